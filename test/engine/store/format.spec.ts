import fc from 'fast-check';
import { isIntact, seal } from '../../../lib/engine/store/checksum.js';
import {
  activeKey,
  custodyKey,
  damagedKey,
  delayedKey,
  following,
  historyKey,
  historyOrderKey,
  namedKey,
  parkedKey,
  queuedKey,
  rangeOf,
  rangeOfSpace,
  readInteger,
  Space,
} from '../../../lib/engine/store/keys.js';
import {
  DIGEST_BYTES,
  HEADER_BYTES,
  type RecordFacts,
  bodyOffset,
  readHeader,
  writeHeader,
} from '../../../lib/engine/store/record.js';
import { verify } from '../../../lib/engine/store/verify.js';

/** Often the same, so that what comes after it in a key has its say. */
const upTo = (max: number): fc.Arbitrary<number> =>
  fc.oneof(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max }));
const sequence = upTo(Number.MAX_SAFE_INTEGER);
const stage = upTo(2 ** 32 - 1);
const level = fc.integer({ min: 0, max: 9 });
const time = fc.double({ min: 0, max: 8.64e15, noNaN: true });
const least = (one: Buffer, other: Buffer): number => Math.sign(one.compare(other));
const byNumbers = (...pairs: readonly (readonly [number, number])[]): number => {
  const [one, other] = pairs.find(([a, b]) => a !== b) ?? [0, 0];
  return Math.sign(one - other);
};

describe('The keys of a store', () => {
  it('order what waits by stage, then the most urgent first, then by sequence', () => {
    const place = fc.tuple(stage, level, sequence);
    fc.assert(
      fc.property(place, place, (a, b) => {
        const expected = byNumbers([a[0], b[0]], [b[1], a[1]], [a[2], b[2]]);
        expect(least(queuedKey(...a), queuedKey(...b))).toBe(expected);
      }),
    );
  });

  it('order what is delayed by stage, then by the millisecond at which it is due, then by sequence', () => {
    const place = fc.tuple(stage, sequence, sequence);
    fc.assert(
      fc.property(place, place, (a, b) => {
        const expected = byNumbers([a[0], b[0]], [a[1], b[1]], [a[2], b[2]]);
        expect(least(delayedKey(...a), delayedKey(...b))).toBe(expected);
      }),
    );
  });

  it.each([
    { kind: 'active', of: activeKey },
    { kind: 'parked', of: parkedKey },
    { kind: 'history', of: historyOrderKey },
  ])('order the $kind ones by stage, then by sequence', ({ of }) => {
    const place = fc.tuple(stage, sequence);
    fc.assert(
      fc.property(place, place, (a, b) => {
        expect(least(of(...a), of(...b))).toBe(byNumbers([a[0], b[0]], [a[1], b[1]]));
      }),
    );
  });

  it('say the sequence that they were made with', () => {
    fc.assert(
      fc.property(stage, level, sequence, (of, at, number) => {
        expect(readInteger(queuedKey(of, at, number), 6)).toBe(number);
        expect(readInteger(activeKey(of, number), 5)).toBe(number);
        expect(readInteger(custodyKey(1, number), 5)).toBe(number);
      }),
    );
  });

  it('never make anything due before its time', () => {
    fc.assert(
      fc.property(stage, time, sequence, (of, due, number) => {
        const stored = readInteger(delayedKey(of, due, number), 5);
        expect(stored >= due && stored <= due + 1).toBe(true);
      }),
    );
  });

  it('of one stage and kind are one range, and no others are in it', () => {
    fc.assert(
      fc.property(stage, stage, level, sequence, (of, other, at, number) => {
        const [from, to] = rangeOf(Space.Queued, of);
        const within = (key: Buffer): boolean => key.compare(from) >= 0 && key.compare(to) < 0;
        expect(within(queuedKey(of, at, number))).toBe(true);
        expect(within(queuedKey(other, at, number))).toBe(other === of);
        expect(within(activeKey(of, number))).toBe(false);
      }),
    );
  });

  it('of one kind are one range', () => {
    const [from, to] = rangeOfSpace(Space.History);
    const key = historyKey(2 ** 32 - 1, Buffer.alloc(16, 0xff));
    expect([from.compare(key), key.compare(to)]).toEqual([-1, -1]);
    expect(historyOrderKey(0, 0).compare(to)).toBe(1);
  });

  it('are followed by nothing in between', () => {
    const key = namedKey(Space.Stage, 'orders');
    expect(following(key)).toEqual(Buffer.concat([key, Buffer.of(0)]));
    expect(damagedKey(key).subarray(1)).toEqual(key);
  });
});

describe('The header of a record', () => {
  const facts: fc.Arbitrary<RecordFacts> = fc.record({
    leased: fc.boolean(),
    atMostOnce: fc.boolean(),
    level,
    attempts: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    admittedAt: time,
    sequence,
    notBefore: time,
    expiresAt: time,
    digest: fc.option(
      fc.uint8Array({ minLength: DIGEST_BYTES, maxLength: DIGEST_BYTES }).map((bytes) => Buffer.from(bytes)),
      { nil: undefined },
    ),
  });

  it('says what was written, and leaves the body alone', () => {
    fc.assert(
      fc.property(facts, (said) => {
        const record = Buffer.alloc(HEADER_BYTES + 4, 0xee);
        writeHeader(record, said);
        expect(readHeader(record)).toEqual(said);
        expect(record.subarray(bodyOffset(record))).toEqual(Buffer.alloc(4, 0xee));
      }),
    );
  });

  it.each([
    { bytes: 'too few bytes', record: Buffer.alloc(HEADER_BYTES - 1, 1) },
    { bytes: 'another version', record: Buffer.alloc(HEADER_BYTES, 2) },
  ])('is not found in $bytes', ({ record }) => {
    expect(readHeader(record)).toBeUndefined();
  });
});

describe('The checksum of a record', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((each) => Buffer.from(each));
  const sealed = (key: Buffer, text: Buffer): Buffer => seal(key, Buffer.concat([Buffer.alloc(4), text]));

  it('holds for what was written', () => {
    fc.assert(fc.property(bytes, bytes, (key, text) => expect(isIntact(key, sealed(key, text))).toBe(true)));
  });

  it('finds every single bit that is another', () => {
    fc.assert(
      fc.property(bytes, bytes, fc.nat(), (key, text, bit) => {
        const value = sealed(key, text);
        const at = bit % (value.length * 8);
        value[at >> 3] = (value[at >> 3] as number) ^ (1 << (at & 7));
        expect(isIntact(key, value)).toBe(false);
      }),
    );
  });

  it('finds a record under the key of another, and bytes that are too few', () => {
    const value = sealed(Buffer.of(1), Buffer.of(7));
    expect([isIntact(Buffer.of(2), value), isIntact(Buffer.of(1), value.subarray(0, 3))]).toEqual([false, false]);
  });
});

test('C12: a verification finds every damaged record among more than are read at once, and counts the others', () => {
  const keys = Array.from({ length: 1_500 }, (_, number) => queuedKey(number % 2, 4, number)).toSorted(Buffer.compare);
  const entries = keys.map((key, index) => ({ key, value: seal(key, Buffer.alloc(8, index)) }));
  for (const index of [0, 511, 512, 1_499]) (entries[index] as { value: Buffer }).value[7] = index + 1;
  const scan = (from: Uint8Array, to: Uint8Array, limit: number): typeof entries =>
    entries.filter(({ key }) => key.compare(from) >= 0 && key.compare(to) < 0).slice(0, limit);
  expect(verify({ scan })).toEqual({
    damaged: [0, 511, 512, 1_499].map((index) => keys[index]),
    counts: { '1000000000': 747, '1000000001': 749 },
  });
});
