import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { StoreLockedError } from '../store/errors.js';

/** Milliseconds between two looks at a lock that somebody holds. */
const LOOK_AGAIN_MS = 50;

/** Who holds a lock. The three of them together are one process and no other, after a reboot and as pid 1 of a container. */
interface Holder {
  readonly pid: number;
  /** Of the kernel; `undefined` where it has none. */
  readonly bootId: string | undefined;
  /** Clock ticks from the boot to the start of the process; `undefined` where nobody says. */
  readonly startTime: string | undefined;
  /** ISO 8601. */
  readonly since: string;
}

/** A file that says which process has the folder, removed by its end or by the next one that finds it dead. */
export class LockFile {
  private readonly text: string;
  private held = false;

  constructor(
    private readonly path: string,
    private readonly store: string,
  ) {
    const { pid } = process;
    const holder: Holder = { pid, bootId: bootId(), startTime: startTimeOf(pid), since: new Date().toISOString() };
    this.text = JSON.stringify(holder);
  }

  /**
   * Waits for the lock, `waitMs` at most.
   * @throws StoreLockedError (as a rejection) that names the holder
   */
  async acquire(waitMs: number): Promise<void> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const holder = this.tryToAcquire();
      if (holder === undefined) return;
      if (performance.now() >= deadline) throw new StoreLockedError(this.store, holder.pid, holder.since, waitMs);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  /** Twice is once. */
  release(): void {
    if (this.held) rmSync(this.path, { force: true });
    this.held = false;
  }

  /** `undefined` when it is ours now, otherwise who has it. */
  private tryToAcquire(): Holder | undefined {
    const mine = `${this.path}.${process.pid}`;
    writeFileSync(mine, this.text, { mode: 0o600 });
    try {
      // A link appears whole or not at all: nobody reads half a lock.
      linkSync(mine, this.path);
      this.held = true;
      return undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(mine, { force: true });
    }
    const text = readText(this.path);
    const holder = text === undefined ? undefined : parse(text);
    if (holder !== undefined && isAlive(holder)) return holder;
    if (text !== undefined) this.clear(text);
    return this.tryToAcquire();
  }

  /** Takes a dead lock away; if somebody has taken its place meanwhile, that one is put back. */
  private clear(dead: string): void {
    const away = `${this.path}.dead.${process.pid}`;
    try {
      renameSync(this.path, away);
      if (readText(away) !== dead) linkSync(away, this.path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
    } finally {
      rmSync(away, { force: true });
    }
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** `undefined` for a text that no process of ours has written whole. */
function parse(text: string): Holder | undefined {
  try {
    const { pid, bootId: boot, startTime, since } = JSON.parse(text) as Holder;
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, bootId: boot, startTime, since: String(since) } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, bootId: boot, startTime }: Holder): boolean {
  if (boot !== bootId()) return false;
  if (startTime !== undefined) return startTimeOf(pid) === startTime;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function bootId(): string | undefined {
  return readText('/proc/sys/kernel/random/boot_id')?.trim();
}

/** The 22nd field of `proc_pid_stat(5)`; the second one may contain blanks and brackets. */
function startTimeOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
