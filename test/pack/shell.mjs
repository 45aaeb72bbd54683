import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MINUTES = 60_000;
const execute = promisify(execFile);

/** A folder that is gone when the process is, whatever ends it. */
export function scratchFolder() {
  const scratch = mkdtempSync(join(tmpdir(), 'seda-pack-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  return scratch;
}

/** Runs commands whose temporary files stay in the scratch folder. Resolves to what a command prints, rejects if it fails. */
export function shellIn(scratch) {
  const env = { ...process.env, TMPDIR: join(scratch, 'tmp'), NODE_OPTIONS: '' };
  mkdirSync(env.TMPDIR);
  return async ([command, ...args], cwd) => {
    const { stdout } = await execute(command, args, { cwd, env, timeout: 5 * MINUTES, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  };
}

/** Runs the jobs in their order, at most `limit` at a time. */
export async function inParallel(limit, jobs) {
  const left = [...jobs];
  const lane = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) await job();
  };
  await Promise.all(Array.from({ length: limit }, lane));
}
