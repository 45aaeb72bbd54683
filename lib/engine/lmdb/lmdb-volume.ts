import { StoreError, StoreFullError } from '../store/errors.js';
import type { Verification, Volume, VolumeEntry, WriteGroup, Written } from '../store/volume.js';
import type { LockFile } from './lock-file.js';
import type { Database } from './peer.js';
import { bufferOf, scanDatabase } from './scan.js';
import type { StateFile } from './state-file.js';

/** What a record takes besides its bytes, about. */
const OVERHEAD = 16;
/** So much may be written between two looks at how much is in use. */
const LOOK_AFTER = 1 << 20;

/** A database of LMDB as a volume. */
export class LmdbVolume implements Volume {
  private last: Promise<unknown> = Promise.resolve();
  private closing: Promise<void> | undefined;
  /** Bytes in use, as of the last look and what was written since. */
  private used = 0;
  private unseen = Number.POSITIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly maxSizeBytes: number,
    private readonly lock: LockFile,
    private readonly state: StateFile,
    readonly verification: Verification | undefined,
  ) {}

  write(group: WriteGroup): Written {
    const stored = this.commit(group);
    // What was committed later may be flushed with it.
    const durable = stored.then(() => this.database.flushed as Promise<unknown>).then(() => undefined);
    this.last = durable.catch(() => undefined);
    return { stored, durable };
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.database.getBinary(bufferOf(key));
  }

  scan(from: Uint8Array, to: Uint8Array, limit: number, reverse = false): VolumeEntry[] {
    return scanDatabase(this.database, from, to, limit, reverse);
  }

  close(): Promise<void> {
    return (this.closing ??= this.closeOnce());
  }

  private async commit(group: WriteGroup): Promise<void> {
    const { keys, values } = group;
    if (!group.reserved && !this.hasRoomFor(group)) throw new StoreFullError(this.name);
    const { database } = this;
    try {
      const committed = database.batch(() => {
        for (let at = 0; at < keys.length; at++) {
          const value = values[at];
          // What they answer says nothing within a batch: the batch is what fails.
          if (value === undefined) void database.remove(keys[at] as Buffer);
          else void database.put(keys[at] as Buffer, value as Buffer);
        }
      });
      await committed;
    } catch (error) {
      throw await this.errorOf(error);
    }
  }

  private hasRoomFor({ keys, values }: WriteGroup): boolean {
    let wanted = 0;
    for (let at = 0; at < keys.length; at++) {
      const value = values[at];
      if (value !== undefined) wanted += (keys[at] as Uint8Array).length + value.length + OVERHEAD;
    }
    this.unseen += wanted;
    if (this.unseen > LOOK_AFTER || this.used + wanted > this.maxSizeBytes) this.look();
    this.used += wanted;
    return this.used <= this.maxSizeBytes;
  }

  private look(): void {
    const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = this.database.getStats() as Pages;
    this.used = pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
    this.unseen = 0;
  }

  private async errorOf(thrown: unknown): Promise<StoreError> {
    const { commitError = thrown } = thrown as { commitError?: unknown };
    const cause: unknown = await Promise.resolve(commitError).catch((error: unknown) => error);
    const text = [thrown, cause].map(messageOf).join(' ');
    this.unseen = Number.POSITIVE_INFINITY;
    if (/MAP_FULL|ENOSPC|EDQUOT|No space|quota/i.test(text)) return new StoreFullError(this.name, cause);
    return new StoreError(`The store ${this.name} could not be written.`, cause);
  }

  private async closeOnce(): Promise<void> {
    await this.last;
    try {
      await this.database.close();
      this.state.markClosed();
    } finally {
      this.lock.release();
    }
  }
}

interface Pages {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
