import { isIntact } from './checksum.js';
import { Entry, type EntryOwner, Place } from './entry.js';
import { Space, type SpaceByte, following, rangeOf } from './keys.js';
import { readHeader } from './record.js';
import type { Volume, VolumeEntry } from './volume.js';

/** Records read at once. */
const PAGE = 256;

/** The spaces of a stage's envelopes, and what they say. */
const PLACE_OF: ReadonlyMap<SpaceByte, Place> = new Map<SpaceByte, Place>([
  [Space.Queued, Place.Queued],
  [Space.Delayed, Place.Delayed],
  [Space.Parked, Place.Parked],
  [Space.Active, Place.Active],
]);

/** Reads a stage's records off the disk, in pages: nothing is held open between two of them. */
export class StageReader {
  constructor(
    private readonly volume: Volume,
    private readonly number: number,
  ) {}

  /** All records of one space from a key on, in order; `from` is where to begin. */
  *records(space: SpaceByte, from?: Uint8Array): Generator<VolumeEntry> {
    const [first, end] = rangeOf(space, this.number);
    let next = from ?? first;
    for (;;) {
      const page = this.volume.scan(next, end, PAGE);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      next = following(last.key);
    }
  }

  /** At most `limit` of the records that wait their turn. */
  queuedAfter(key: Uint8Array, limit: number): VolumeEntry[] {
    const [, end] = rangeOf(Space.Queued, this.number);
    return this.volume.scan(following(key), end, limit);
  }

  /** What was written under a key; `undefined` when it is not there or not what was written. */
  intact(key: Uint8Array): Buffer | undefined {
    const value = this.volume.get(key);
    return value !== undefined && isIntact(key, value) ? bufferOf(value) : undefined;
  }
}

/** What a record says; `undefined` for one that is not what was written. */
export function entryOf(owner: EntryOwner, { key, value }: VolumeEntry): Entry | undefined {
  const bytes = bufferOf(value);
  const facts = isIntact(key, value) ? readHeader(bytes) : undefined;
  const place = PLACE_OF.get(key[0] as SpaceByte);
  if (facts === undefined || place === undefined) return undefined;
  const entry = new Entry(owner, facts.sequence, facts.level, facts.admittedAt, bytes);
  entry.attempts = facts.attempts;
  entry.dueAt = facts.notBefore;
  entry.atMostOnce = facts.atMostOnce;
  entry.digest = facts.digest;
  entry.known = true;
  entry.storedKey = key;
  entry.place = entry.storedPlace = place;
  return entry;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
