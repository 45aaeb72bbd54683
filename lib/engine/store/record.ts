import { CHECKSUM_BYTES } from './checksum.js';

/** The version of the format that this release writes; `docs/store-format.md` describes it. */
export const FORMAT_VERSION = 1;

/**
 * What every record of an envelope begins with, all numbers little-endian, times in milliseconds of the Unix epoch:
 *
 *     0 checksum(4)  4 version(1)  5 flags(1)  6 level(1)  7 history(1)  8 attempts(4)  12 admittedAt(8)  20 sequence(8)
 *     28 notBefore(8)  36 expiresAt(8)  44 order key length(2)  46 digest(16)  62 order key  … body
 */
export const HEADER_BYTES = 62;
export const DIGEST_BYTES = 16;

const AT_VERSION = CHECKSUM_BYTES;
const AT_FLAGS = 5;
const AT_LEVEL = 6;
const AT_ATTEMPTS = 8;
const AT_ADMITTED = 12;
const AT_SEQUENCE = 20;
const AT_NOT_BEFORE = 28;
const AT_EXPIRES = 36;
const AT_KEY_LENGTH = 44;
const AT_DIGEST = 46;

const LEASED = 1;
const DIGESTED = 2;
const AT_MOST_ONCE = 4;

/** What a record says of an envelope besides the envelope. */
export interface RecordFacts {
  /** Whether an attempt was under way. */
  readonly leased: boolean;
  /** Whether the record goes when an attempt begins. */
  readonly atMostOnce: boolean;
  /** 0 to 9, 9 the most urgent. */
  readonly level: number;
  readonly attempts: number;
  readonly admittedAt: number;
  readonly sequence: number;
  /** The earliest start of the next attempt; 0 for at once. */
  readonly notBefore: number;
  /** The time after which it is not delivered any more; 0 for never. */
  readonly expiresAt: number;
  /** What the history of the stage knows it by; `undefined` where nobody looks for duplicates. */
  readonly digest: Uint8Array | undefined;
}

/** Says where the body begins, in a record whose header may never be written: what is handed out at once may not be. */
export function beginRecord(record: Buffer): Buffer {
  record[AT_KEY_LENGTH] = record[AT_KEY_LENGTH + 1] = 0;
  return record;
}

/** Writes the header into the first bytes of a record, the checksum apart. */
export function writeHeader(record: Buffer, facts: RecordFacts): void {
  record[AT_VERSION] = FORMAT_VERSION;
  record[AT_FLAGS] =
    (facts.leased ? LEASED : 0) | (facts.atMostOnce ? AT_MOST_ONCE : 0) | (facts.digest === undefined ? 0 : DIGESTED);
  record[AT_LEVEL] = facts.level;
  record[AT_LEVEL + 1] = 0;
  record.writeUInt32LE(facts.attempts, AT_ATTEMPTS);
  record.writeDoubleLE(facts.admittedAt, AT_ADMITTED);
  record.writeDoubleLE(facts.sequence, AT_SEQUENCE);
  record.writeDoubleLE(facts.notBefore, AT_NOT_BEFORE);
  record.writeDoubleLE(facts.expiresAt, AT_EXPIRES);
  record.writeUInt16LE(0, AT_KEY_LENGTH);
  if (facts.digest === undefined) record.fill(0, AT_DIGEST, AT_DIGEST + DIGEST_BYTES);
  else record.set(facts.digest, AT_DIGEST);
}

/** `undefined` for bytes that are no record of this format. */
export function readHeader(record: Buffer): RecordFacts | undefined {
  if (record.length < HEADER_BYTES || record[AT_VERSION] !== FORMAT_VERSION) return undefined;
  const flags = record[AT_FLAGS] as number;
  return {
    leased: (flags & LEASED) !== 0,
    atMostOnce: (flags & AT_MOST_ONCE) !== 0,
    level: record[AT_LEVEL] as number,
    attempts: record.readUInt32LE(AT_ATTEMPTS),
    admittedAt: record.readDoubleLE(AT_ADMITTED),
    sequence: record.readDoubleLE(AT_SEQUENCE),
    notBefore: record.readDoubleLE(AT_NOT_BEFORE),
    expiresAt: record.readDoubleLE(AT_EXPIRES),
    digest: (flags & DIGESTED) === 0 ? undefined : record.subarray(AT_DIGEST, AT_DIGEST + DIGEST_BYTES),
  };
}

/** Where the body begins. */
export function bodyOffset(record: Buffer): number {
  return HEADER_BYTES + record.readUInt16LE(AT_KEY_LENGTH);
}
