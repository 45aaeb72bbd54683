import { CHECKSUM_BYTES, isIntact, seal } from './checksum.js';
import type { Group } from './journal.js';
import { historyKey, historyOrderKey } from './keys.js';
import { DIGEST_BYTES } from './record.js';
import type { StageRecord } from './stage-record.js';
import type { Volume } from './volume.js';

/**
 * What a stage has admitted, so that the same again is known for a duplicate: an entry from its admission on, put in order
 * when it is delivered, forgotten when it left in another way or when `size` were delivered after it.
 *
 *     historyKey(digest)      ─► there
 *     historyOrderKey(order)  ─► digest
 */
export class History {
  /** Those whose first record is on its way. */
  private readonly arriving = new Set<string>();
  /** What this group has put in order: it cannot be read yet. */
  private readonly ordered = new Map<number, Uint8Array>();

  constructor(
    private readonly volume: Volume,
    private readonly record: StageRecord,
    private readonly size: number,
  ) {}

  knows(digest: Uint8Array): boolean {
    return this.isArriving(digest) || this.volume.get(historyKey(this.record.number, digest)) !== undefined;
  }

  isArriving(digest: Uint8Array): boolean {
    return this.arriving.has(textOf(digest));
  }

  arrives(digest: Uint8Array): void {
    this.arriving.add(textOf(digest));
  }

  /** It is stored, or was refused. */
  arrived(digest: Uint8Array): void {
    this.arriving.delete(textOf(digest));
  }

  remember(digest: Uint8Array, group: Group): void {
    put(group, historyKey(this.record.number, digest), Buffer.alloc(0));
  }

  forget(digest: Uint8Array, group: Group): void {
    group.remove(historyKey(this.record.number, digest));
  }

  /** It is delivered; who was delivered too long ago is forgotten. */
  order(digest: Uint8Array, group: Group): void {
    const { record, size, ordered } = this;
    const order = record.historyNext++;
    ordered.set(order, digest);
    put(group, historyOrderKey(record.number, order), digest);
    while (record.historyNext - record.historyFirst > size) this.forgetFirst(group);
    group.close(this.written);
  }

  private readonly written = (): void => this.ordered.clear();

  private forgetFirst(group: Group): void {
    const { record, volume } = this;
    const key = historyOrderKey(record.number, record.historyFirst);
    const digest = this.ordered.get(record.historyFirst++) ?? digestIn(key, volume.get(key));
    if (digest !== undefined) this.forget(digest, group);
    group.remove(key);
  }
}

function put(group: Group, key: Buffer, contents: Uint8Array): void {
  const value = Buffer.alloc(CHECKSUM_BYTES + contents.length);
  value.set(contents, CHECKSUM_BYTES);
  group.put(key, seal(key, value));
}

function digestIn(key: Uint8Array, value: Uint8Array | undefined): Uint8Array | undefined {
  if (value?.length !== CHECKSUM_BYTES + DIGEST_BYTES || !isIntact(key, value)) return undefined;
  return value.subarray(CHECKSUM_BYTES);
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.length).toString('latin1');
}
