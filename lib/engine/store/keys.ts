/**
 * What a record is, by the first byte of its key. `docs/store-format.md` describes all of them.
 *
 *     space(1) · stage(4) · level(1) · sequence(8)      Queued: 9 − level, so that the most urgent come first
 *     space(1) · stage(4) · sequence(8)                 Active, Parked
 *     space(1) · stage(4) · due(8) · sequence(8)        Delayed
 */
export const Space = Object.freeze({
  Meta: 0x01,
  Stage: 0x02,
  Queued: 0x10,
  Delayed: 0x11,
  Parked: 0x12,
  Active: 0x13,
  Custody: 0x20,
  History: 0x30,
  HistoryOrder: 0x31,
  Damaged: 0x40,
} as const);

export type SpaceByte = (typeof Space)[keyof typeof Space];

const TWO_TO_32 = 2 ** 32;
/** A space and a stage's number: what every key of a stage's records begins with. */
export const PREFIX_BYTES = 5;

/** The key of a record that waits its turn: the most urgent level first, then by sequence. */
export function queuedKey(stage: number, level: number, sequence: number): Buffer {
  const key = sequenced(Space.Queued, stage, 14);
  key[5] = 9 - level;
  writeInteger(key, 6, sequence);
  return key;
}

export function activeKey(stage: number, sequence: number): Buffer {
  const key = sequenced(Space.Active, stage, 13);
  writeInteger(key, 5, sequence);
  return key;
}

/** The key of a record that waits for a point in time. `due` is rounded up to whole milliseconds. */
export function delayedKey(stage: number, due: number, sequence: number): Buffer {
  const key = sequenced(Space.Delayed, stage, 21);
  writeInteger(key, 5, Math.max(0, Math.ceil(Math.min(due, Number.MAX_SAFE_INTEGER))));
  writeInteger(key, 13, sequence);
  return key;
}

export function parkedKey(stage: number, sequence: number): Buffer {
  const key = sequenced(Space.Parked, stage, 13);
  writeInteger(key, 5, sequence);
  return key;
}

/** The key of the copy of an envelope that has left a stage for one that forgets: what it was there. */
export function custodyKey(stage: number, sequence: number): Buffer {
  const key = sequenced(Space.Custody, stage, 13);
  writeInteger(key, 5, sequence);
  return key;
}

export function historyKey(stage: number, digest: Uint8Array): Buffer {
  const key = sequenced(Space.History, stage, PREFIX_BYTES + digest.length);
  key.set(digest, PREFIX_BYTES);
  return key;
}

export function historyOrderKey(stage: number, order: number): Buffer {
  const key = sequenced(Space.HistoryOrder, stage, 13);
  writeInteger(key, 5, order);
  return key;
}

/** The key of the record that a stage's counters are in, and of the meta records: by name. */
export function namedKey(space: SpaceByte, name: string): Buffer {
  return Buffer.concat([Buffer.of(space), Buffer.from(name)]);
}

/** Where a moved record was: its old key after the space. */
export function damagedKey(key: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(Space.Damaged), key]);
}

/** The first key of a stage's records of one kind, and the first key after them. */
export function rangeOf(space: SpaceByte, stage: number): readonly [Buffer, Buffer] {
  return [sequenced(space, stage, PREFIX_BYTES), after(sequenced(space, stage, PREFIX_BYTES))];
}

/** Every key of a space. */
export function rangeOfSpace(space: SpaceByte): readonly [Buffer, Buffer] {
  return [Buffer.of(space), Buffer.of(space + 1)];
}

/** The least key that is greater than this one. */
export function following(key: Uint8Array): Buffer {
  return Buffer.concat([key, Buffer.of(0)]);
}

/** The integer of eight bytes at `at`. */
export function readInteger(key: Uint8Array, at: number): number {
  const bytes = key as Buffer;
  const high =
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0;
  const low =
    (((bytes[at + 4] as number) << 24) |
      ((bytes[at + 5] as number) << 16) |
      ((bytes[at + 6] as number) << 8) |
      (bytes[at + 7] as number)) >>>
    0;
  return high * TWO_TO_32 + low;
}

function sequenced(space: SpaceByte, stage: number, length: number): Buffer {
  const key = Buffer.allocUnsafe(length);
  key[0] = space;
  key[1] = stage >>> 24;
  key[2] = stage >>> 16;
  key[3] = stage >>> 8;
  key[4] = stage;
  return key;
}

function writeInteger(key: Uint8Array, at: number, value: number): void {
  const high = Math.floor(value / TWO_TO_32);
  key[at] = high >>> 24;
  key[at + 1] = high >>> 16;
  key[at + 2] = high >>> 8;
  key[at + 3] = high;
  key[at + 4] = value >>> 24;
  key[at + 5] = value >>> 16;
  key[at + 6] = value >>> 8;
  key[at + 7] = value;
}

/** Counts the last bytes up by one. */
function after(prefix: Buffer): Buffer {
  for (let at = prefix.length - 1; at >= 0; at--) {
    const byte = prefix[at] as number;
    prefix[at] = byte + 1;
    if (byte < 0xff) break;
  }
  return prefix;
}
