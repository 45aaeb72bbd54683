import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last line of its output, which is JSON. */
  readonly report: unknown;
  readonly errors: string;
}

/**
 * Runs a program of `fixtures/` against the compiled package until it ends by itself. `onOutput` sees all it has written
 * so far, each time it writes.
 */
export function runFixture(name: string, onOutput: (output: string, child: ChildProcess) => void = () => undefined) {
  const file = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    onOutput(output, child);
  });
  return new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, errors, report: lastLine(output) }));
  });
}

function lastLine(output: string): unknown {
  const line = output.trim().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : line;
}
