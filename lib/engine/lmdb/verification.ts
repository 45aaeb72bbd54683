import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StoreCorruptedError, StoreError } from '../store/errors.js';
import type { Verification } from '../store/volume.js';

const CHILD = fileURLToPath(new URL('verify-child.js', import.meta.url));
/** Longer than this takes nobody who reads a file from its beginning to its end. */
const SLOWEST_BYTES_PER_MS = 1_000;
const SHORTEST_MS = 20_000;

type Answer =
  | { readonly damaged: readonly string[]; readonly counts: Readonly<Record<string, number>> }
  | { readonly error: string };

/**
 * Has a child read a whole database and write it anew: what kills it, kills only the child.
 * @throws StoreCorruptedError, StoreError (as rejections)
 */
export async function verifyInChild(folder: string, file: string, size: number): Promise<Verification> {
  const { output, errors, code, signal } = await run(folder, SHORTEST_MS + Math.ceil(size / SLOWEST_BYTES_PER_MS));
  const answer = parse(output);
  if (answer === undefined && signal === null && code !== 0 && /Cannot find|ERR_/.test(errors))
    throw new StoreError(`The store's verification could not be started: ${errors.trim()}`);
  if (answer === undefined) {
    const how = signal === null ? `ended with ${code}` : `was ended by ${signal}`;
    throw new StoreCorruptedError(file, `the process that was to read it ${how}`);
  }
  if ('error' in answer) throw new StoreCorruptedError(file, answer.error);
  return { damaged: answer.damaged.map((key) => Buffer.from(key, 'hex')), counts: answer.counts };
}

interface Ended {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function run(folder: string, timeout: number): Promise<Ended> {
  const inherited = loadersIn((process.env['NODE_OPTIONS'] ?? '').split(/\s+/));
  const child = spawn(process.execPath, [...loadersIn(process.execArgv), CHILD, folder], {
    env: { ...process.env, NODE_OPTIONS: inherited.join(' ') },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new StoreError("The store's verification could not be started.", error)));
    child.once('close', (code, signal) => resolve({ output, errors, code, signal }));
  });
}

/** The options that say how modules are found; no others of this process, an inspector's port say, are the child's. */
export function loadersIn(options: readonly string[]): string[] {
  const found: string[] = [];
  for (const [at, option] of options.entries()) {
    const [name = ''] = option.split('=');
    if (!LOADERS.has(name)) continue;
    found.push(option);
    const value = options[at + 1];
    if (name === option && value !== undefined) found.push(value);
  }
  return found;
}

const LOADERS: ReadonlySet<string> = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--conditions',
]);

function parse(output: string): Answer | undefined {
  try {
    return JSON.parse(output) as Answer;
  } catch {
    return undefined;
  }
}
