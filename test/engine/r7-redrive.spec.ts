import { DEAD_LETTER_HEADERS, type DeadLetter, type StageOptions, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** A source that fails until it is repaired, and its dead letters. */
async function parked(count: number, source: StageOptions = {}, channel?: StageOptions) {
  const { bus, clock } = manualBus();
  const state = { broken: true, seen: [] as unknown[], attempts: [] as number[] };
  if (channel !== undefined) bus.channel('dead', channel);
  bus.setDeadLetterChannel('a', 'dead');
  bus.channel('a', { maxAttempts: 2, ...source }).subscribe('a', (envelope, attempt) => {
    if (state.broken) return false;
    state.attempts.push(attempt.number);
    return state.seen.push(envelope.content());
  });
  for (const n of numbers(count)) await bus.publishAndWait(makeEnvelope('a', n));
  state.broken = false;
  const letters = bus.deadLetters('a');
  const { items } = await letters.list({ limit: 1_000 });
  return { bus, clock, state, letters, ids: items.map(({ id }) => id) };
}

const payloads = (items: readonly DeadLetter[]): unknown[] => items.map(({ envelope }) => envelope.content());

describe('R7.4 list', () => {
  it('R7.4 pages oldest first, by a cursor', async () => {
    const { letters } = await parked(7);
    const pages: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await letters.list({ limit: 3, cursor });
      pages.push(payloads(page.items));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(pages).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
  });

  it('R7.4 a page that ends exactly has no next one; the default is 100', async () => {
    const { letters } = await parked(101);
    expect((await letters.list({ limit: 101 })).cursor).toBeUndefined();
    expect((await letters.list()).items).toHaveLength(100);
    expect((await letters.list()).cursor).toEqual(expect.any(String));
  });

  it('R7.4 the cursor survives what leaves and what comes between two pages', async () => {
    const { bus, letters, ids, state } = await parked(5);
    const { cursor } = await letters.list({ limit: 2 });
    await letters.purge(ids.slice(0, 3));
    state.broken = true;
    await bus.publishAndWait(makeEnvelope('a', 'late'));
    expect(payloads((await letters.list({ cursor })).items)).toEqual([3, 4, 'late']);
  });

  it('R7.4 shows of a source its own, of a channel all', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.subscribe('a', () => false).subscribe('b', () => false);
    for (const name of ['a', 'b', 'a']) await bus.publishAndWait(makeEnvelope(name, name));
    const sources = async (stage: string): Promise<unknown[]> => payloads((await bus.deadLetters(stage).list()).items);
    expect([await sources('a'), await sources('b'), await sources('dead')]).toEqual([
      ['a', 'a'],
      ['b'],
      ['a', 'b', 'a'],
    ]);
    expect(await bus.deadLetters('b').purge('all')).toBe(1);
    expect(await sources('dead')).toEqual(['a', 'a']);
  });

  it('R7.4 of a stage without a channel there are none', async () => {
    const { bus } = manualBus();
    const letters = bus.channel('a').deadLetters('a');
    expect([await letters.list(), await letters.redrive('all'), await letters.purge('all')]).toEqual([
      { items: [], cursor: undefined },
      0,
      0,
    ]);
  });
});

describe('R7.4 redrive', () => {
  it.each<[string, (ids: string[]) => string[] | 'all', number[]]>([
    ['one', (ids) => [ids[1] as string], [1]],
    [
      'some, oldest first whatever the order of the ids',
      (ids) => [ids[3] as string, ids[0] as string, 'unknown'],
      [0, 3],
    ],
    ['all', () => 'all', [0, 1, 2, 3]],
    ['none', () => [], []],
  ])('R7.4 %s', async (_, which, expected) => {
    const { bus, letters, ids, state } = await parked(4);
    expect(await letters.redrive(which(ids))).toBe(expected.length);
    await bus.idle();
    expect(state.seen).toEqual(expected);
    const left = numbers(4).filter((n) => !expected.includes(n));
    expect(payloads((await letters.list()).items)).toEqual(left);
    expect(bus.stats()['dead']).toMatchObject({ delivered: expected.length, depth: left.length, inFlight: 0 });
    expectBalanced(bus);
  });

  it('R7.7 without its headers, with no attempts counted, slip as it was', async () => {
    const { bus, clock } = manualBus({ deadLetterChannel: 'dead' });
    const seen: unknown[] = [];
    let broken = true;
    bus.channel('a', { maxAttempts: 2 }).subscribe('a', (envelope, attempt) => {
      if (broken) return false;
      seen.push([attempt.number, attempt.redelivered, attempt.enqueuedAt === clock.now(), { ...envelope.headers }]);
      return true;
    });
    bus.subscribe('b', () => void seen.push('b')).subscribe('c', () => void seen.push('c'));
    await bus.publishAndWait(makeEnvelope('a', 1, { slip: ['b', 'c'], headers: { mine: 1 } }));
    broken = false;
    await clock.advance(50);
    expect(await bus.deadLetters('a').redrive('all')).toBe(1);
    await bus.idle();
    expect(seen).toEqual([[1, false, true, { mine: 1 }], 'b', 'c']);
    expectBalanced(bus);
  });

  it('R7.7 an envelope that failed at its hop is tried at the stage that it was leaving', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    const way: string[] = [];
    bus.subscribe('a', () => void way.push('a'));
    await bus.publishAndWait(makeEnvelope('a', 1, { slip: ['late'] }));
    bus.subscribe('late', () => void way.push('late'));
    await bus.deadLetters('a').redrive('all');
    await bus.idle();
    expect(way).toEqual(['a', 'a', 'late']);
  });

  it('R7.4 one that fails again is a dead letter again, with the headers of its new end', async () => {
    const { bus, clock, letters, state, ids } = await parked(1);
    state.broken = true;
    await clock.advance(1_000);
    await letters.redrive('all');
    await bus.idle();
    const { items } = await letters.list();
    expect(items).toMatchObject([{ id: ids[0], attempts: 2, at: new Date(clock.now()).toISOString() }]);
    expectBalanced(bus);
  });

  it.each<[string, StageOptions]>([
    ['refuses', { capacity: 1, backpressure: 'reject' }],
    ['is paused', {}],
  ])('R7.4 a letter whose source %s stays, in its place and with its headers', async (what, source) => {
    const { bus, letters } = await parked(3, source);
    bus.hold('a');
    if (what === 'is paused') bus.pause('a');
    else offerEach(bus, 'a', ['full']);
    const before = (await letters.list()).items.map(({ envelope }) => ({ ...envelope.headers }));
    expect(await letters.redrive('all')).toBe(0);
    const { items } = await letters.list();
    expect(payloads(items)).toEqual([0, 1, 2]);
    expect(items.map(({ envelope }) => envelope.headers)).toEqual(before);
    expect(before[0]).toHaveProperty(DEAD_LETTER_HEADERS.source, 'a');
    expect(bus.stats()['dead']).toMatchObject({ depth: 3, inFlight: 0, delivered: 0 });
    expectBalanced(bus);
  });

  it('R7.4 a source that waits when full is waited for', async () => {
    const { bus, letters, state } = await parked(3, { capacity: 1 });
    bus.hold('a');
    const redriven = letters.redrive('all');
    await turn();
    expect(bus.stats()).toMatchObject({ a: { depth: 1, waiting: 1 }, dead: { inFlight: 2 } });
    bus.release('a');
    expect(await redriven).toBe(3);
    await bus.idle();
    expect(state.seen).toEqual([0, 1, 2]);
    expectBalanced(bus);
  });

  it('R7.4 a second redrive, and a purge, leave alone what is on its way', async () => {
    const { bus, letters, state } = await parked(3, { capacity: 1 });
    bus.hold('a');
    const redriven = letters.redrive('all');
    await turn();
    expect([await letters.redrive('all'), await letters.purge('all'), (await letters.list()).items]).toEqual([
      0,
      0,
      [],
    ]);
    bus.release('a');
    expect(await redriven).toBe(3);
    await bus.idle();
    expect(state.seen).toEqual([0, 1, 2]);
    expectBalanced(bus);
  });

  it('R7.3 R7.4 letters that come back to a channel that has filled meanwhile do not take it further above its capacity than `concurrency`', async () => {
    const { bus, letters, state } = await parked(3, { capacity: 1 }, { capacity: 3, backpressure: 'drop-oldest' });
    bus.hold('a');
    const redriven = letters.redrive('all');
    await turn();
    state.broken = true;
    bus.setDeadLetterChannel('b', 'dead').subscribe('b', () => false);
    for (const n of ['x', 'y', 'z']) await bus.publishAndWait(makeEnvelope('b', n));
    bus.shutdownNow();
    expect(await redriven).toBe(1);
    expect(bus.stats()['dead']).toMatchObject({ depth: 4, droppedBy: { 'drop-oldest': 1 } });
    expect(payloads((await bus.deadLetters('dead').list()).items)).toEqual([2, 'x', 'y', 'z']);
    expectBalanced(bus);
  });

  it('R7.5 a parked letter that its source refuses stays parked', async () => {
    const { bus, clock, letters } = await parked(1);
    let calls = 0;
    bus.pause('a');
    bus.subscribe('dead', (_, attempt) => (++calls, attempt.retryIn(1_000)));
    await turn();
    expect(bus.stats()['dead']).toMatchObject({ depth: 1 });
    expect(await letters.redrive('all')).toBe(0);
    await clock.advance(2_000);
    expect([calls, bus.stats()['dead']?.depth]).toEqual([1, 1]);
    expectBalanced(bus);
  });

  it.each(['block', 'reject', 'drop-newest'] as const)(
    'R7.3 R7.4 a %s channel keeps the places of letters that may come back',
    async (backpressure) => {
      const { bus, letters, state } = await parked(3, { capacity: 1 }, { capacity: 3, backpressure });
      bus.hold('a');
      const redriven = letters.redrive('all');
      await turn();
      state.broken = true;
      bus.setDeadLetterChannel('b', 'dead').subscribe('b', () => false);
      for (const n of ['x', 'y', 'z']) await bus.publishAndWait(makeEnvelope('b', n));
      bus.shutdownNow();
      expect(await redriven).toBe(1);
      expect(payloads((await bus.deadLetters('dead').list()).items)).toEqual([1, 2, 'x']);
      expect(bus.stats()['dead']).toMatchObject({ depth: 3, dropped: 2 });
      expectBalanced(bus);
    },
  );

  it.each([1, 2])('R7.4 %i letters that fail again at once find their places in a full channel', async (count) => {
    const { bus, letters, state } = await parked(
      count,
      { maxAttempts: 1, capacity: 1 },
      { capacity: count, backpressure: 'reject' },
    );
    state.broken = true;
    expect(await letters.redrive('all')).toBe(count);
    await bus.idle();
    expect(payloads((await letters.list()).items)).toEqual(numbers(count));
    expect(bus.stats()['dead']).toMatchObject({ depth: count, delivered: count, dropped: 0 });
    expectBalanced(bus);
  });

  it('R7.4 nor is one lost that had to wait for its source and then fails at once', async () => {
    const { bus, letters, state } = await parked(
      2,
      { maxAttempts: 1, capacity: 1 },
      { capacity: 2, backpressure: 'reject' },
    );
    state.broken = true;
    bus.hold('a');
    const redriven = letters.redrive('all');
    await turn();
    bus.release('a');
    expect(await redriven).toBe(2);
    await bus.idle();
    expect(bus.stats()['dead']).toMatchObject({ depth: 2, delivered: 2, dropped: 0 });
    expectBalanced(bus);
  });

  it('R7.4 a letter that its handler has yet to retry keeps its delay when its source refuses', async () => {
    const { bus, letters } = await parked(1, {}, { maxAttempts: 3 });
    bus.pause('a');
    const delays: number[] = [];
    bus.subscribe('dead', (_, attempt) => {
      delays.push(attempt.number);
      return attempt.retryIn(1_000);
    });
    await turn();
    expect(bus.stats()['dead']).toMatchObject({ retrying: 1 });
    expect(await letters.redrive('all')).toBe(0);
    await turn();
    expect(delays).toEqual([1]);
    expect(bus.stats()['dead']).toMatchObject({ retrying: 1, depth: 0 });
    expectBalanced(bus);
  });
});

describe('R7.4 purge', () => {
  it('R7.4 discards some or all, counted with a reason, and the listeners hear', async () => {
    const { bus, letters, ids } = await parked(4);
    const told: unknown[] = [];
    bus.on('dropped', ({ stage, reason, envelope }) => told.push([stage, reason, envelope.content()]));
    expect(await letters.purge([ids[2] as string, 'unknown'])).toBe(1);
    expect(await letters.purge('all')).toBe(3);
    expect(await letters.purge('all')).toBe(0);
    expect(told).toEqual([2, 0, 1, 3].map((n) => ['dead', 'purged', n]));
    expect(bus.stats()['dead']).toMatchObject({ depth: 0, droppedBy: { purged: 4 } });
    expectBalanced(bus);
  });
});
