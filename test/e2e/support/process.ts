import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The compiled sample, as `npm run build:sample` leaves it, in a process of its own. */
export class SampleProcess {
  private readonly child: ChildProcess;
  private text = '';
  /** Resolves when it is gone. */
  readonly closed: Promise<void>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    const options = { cwd: root, env: { ...process.env, NO_COLOR: '1', PORT: '0', STORE_PATH: '', ...env } };
    this.child = spawn(process.execPath, ['sample-app/dist/main.js'], options);
    this.closed = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.text += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.text += text));
  }

  /** Resolves when it listens, with its address: a free port. */
  url(): Promise<string> {
    return this.says(/-X POST (http:\S+)\/imports/);
  }

  /** All it has written so far. */
  get output(): string {
    return this.text;
  }

  /** Asks it to end, and resolves with how it did. */
  async end(): Promise<{ code: number | null; signal: string | null }> {
    const closed = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      this.child.once('close', (code, signal) => resolve({ code, signal }));
    });
    if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error(`It has ended:\n${this.text}`);
    this.child.kill('SIGTERM');
    return closed;
  }

  /** Ends it for good, if it runs. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  private says(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      this.child.stdout?.on('data', () => {
        const [, found] = pattern.exec(this.text) ?? [];
        if (found !== undefined) resolve(found);
      });
      this.child.once('close', (code) => reject(new Error(`Ended with code ${code}:\n${this.text}`)));
    });
  }
}
