import { statfsSync } from 'node:fs';
import { StoreError, StoreFullError } from '../store/errors.js';
import type { Verification, Volume, VolumeEntry, WriteGroup, Written } from '../store/volume.js';
import type { LockFile } from './lock-file.js';
import type { Database } from './peer.js';
import { bufferOf, scanDatabase } from './scan.js';
import type { Slack } from './slack.js';
import type { StateFile } from './state-file.js';

/** Bytes. */
const NEXT_TO_NOTHING = 1 << 20;
/** What a record takes besides its bytes, about. */
const OVERHEAD = 16;
/** A database of LMDB as a volume. */
export class LmdbVolume implements Volume {
  private last: Promise<unknown> = Promise.resolve();
  private closing: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly maxSizeBytes: number,
    private readonly slack: Slack,
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
      // What the writes in it answer says nothing: the batch is what fails.
      const committed = database.batch(() => {
        for (let at = 0; at < keys.length; at++) {
          const value = values[at] as Buffer | undefined;
          if (value === undefined) void database.remove(keys[at] as Buffer);
          else void database.put(keys[at] as Buffer, value);
        }
      });
      this.holdPromises();
      setImmediate(this.holdPromises);
      await committed;
    } catch (error) {
      throw await this.errorOf(error);
    }
  }

  /**
   * At the beginning and at the end of a turn's writes `lmdb` makes a promise for all of them that it hands to nobody, and that
   * would end the process when it is rejected with the rest.
   */
  private readonly holdPromises = (): void => {
    if (this.closing === undefined) this.database.committed.then(undefined, () => undefined);
  };

  private hasRoomFor({ keys, values }: WriteGroup): boolean {
    let wanted = 0;
    for (let at = 0; at < keys.length; at++) {
      const value = values[at];
      if (value !== undefined) wanted += (keys[at] as Uint8Array).length + value.length + OVERHEAD;
    }
    const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = this.database.getStats() as Pages;
    const used = pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
    return used + wanted <= this.maxSizeBytes && this.slack.reaches(used, wanted);
  }

  private async errorOf(thrown: unknown): Promise<StoreError> {
    const { commitError = thrown } = thrown as { commitError?: unknown };
    const cause: unknown = await Promise.resolve(commitError).catch((error: unknown) => error);
    const text = [thrown, cause].map(messageOf).join(' ');
    if (/MAP_FULL|ENOSPC|EDQUOT|No space|quota/i.test(text) || this.diskIsFull())
      return new StoreFullError(this.name, cause);
    return new StoreError(`The store ${this.name} could not be written.`, cause);
  }

  /** A write that was cut short for want of room is told as an error of the device. */
  private diskIsFull(): boolean {
    const { bavail, bsize } = statfsSync(this.name);
    return bavail * bsize < NEXT_TO_NOTHING;
  }

  private async closeOnce(): Promise<void> {
    await this.last;
    try {
      const { pageSize, lastPageNumber } = this.database.getStats() as Pages;
      await this.database.close();
      this.slack.close(pageSize * (lastPageNumber + 1));
      this.state.markClosed();
    } finally {
      this.lock.release();
    }
  }
}

interface Pages {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
