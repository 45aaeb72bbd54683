import { jest } from '@jest/globals';
import { type Consumer, SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { manualBus, numbers, offerEach } from '../support/manual-bus.js';

// Much work: a machine that is busy with other things may take its time.
jest.setTimeout(60_000);

/** Enough work for many turns on any machine; a loop that starves its timer ends here all the same. */
const MOST = 400_000;

/** Runs `step` until a 10 ms timer fires or the work is used up; how much was done by then, and in how many turns. */
async function untilTimerFires(
  step: () => Promise<unknown>,
): Promise<{ fired: boolean; steps: number; turns: number }> {
  const seen = { fired: false, steps: 0, turns: 0 };
  const timer = setTimeout(() => (seen.fired = true), 10);
  const count = (): void => {
    seen.turns++;
    if (!seen.fired && seen.steps < MOST) setImmediate(count);
  };
  setImmediate(count);
  while (!seen.fired && seen.steps < MOST) {
    seen.steps++;
    await step();
  }
  clearTimeout(timer);
  return seen;
}

describe('C14 R3.4 the event loop turns while every stage is saturated', () => {
  it('C14 a timer fires between the envelopes of producers in `await publish` loops', async () => {
    const bus = new SedaBus({ concurrency: 4 });
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) bus.channel(name, { capacity: 64 }).subscribe(name, () => true);
    let n = 0;
    const { fired, steps } = await untilTimerFires(() => bus.publish(makeEnvelope(names[n++ % 4] as string, n)));
    expect(fired).toBe(true);
    expect(steps).toBeLessThan(MOST);
    await bus.idle();
    expectBalanced(bus);
  });

  it.each(['reject', 'drop-newest', 'drop-oldest'] as const)(
    'C14 a producer that a full %s stage answers at once lets the loop turn, too',
    async (backpressure) => {
      const bus = new SedaBus();
      bus.channel('a', { capacity: 1, backpressure }).subscribe('a', () => true);
      bus.hold('a');
      expect(await untilTimerFires(() => bus.publish(makeEnvelope('a')))).toMatchObject({ fired: true });
      expectBalanced(bus);
    },
  );

  it('C14 a handler in an `await attempt.publish` loop lets the loop turn, too', async () => {
    const bus = new SedaBus();
    bus.channel('b', { capacity: 1, backpressure: 'drop-oldest' });
    bus.hold('b');
    let result: unknown;
    bus.subscribe('a', async (_, attempt) => {
      result = await untilTimerFires(() => attempt.publish(makeEnvelope('b')));
    });
    await bus.publishAndWait(makeEnvelope('a'));
    expect(result).toMatchObject({ fired: true });
    expectBalanced(bus);
  });

  /** How often the event loop comes round until the work is done. */
  const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
    const seen = { turns: 0, done: false };
    const count = (): void => {
      seen.turns++;
      if (!seen.done) setImmediate(count);
    };
    setImmediate(count);
    await work();
    seen.done = true;
    return seen.turns;
  };

  it.each<[string, Consumer]>([
    ['synchronous', () => true],
    ['asynchronous', async () => true],
  ])('C14 a backlog of %s work is handled in many turns, whatever the injected clock says', async (_, consumer) => {
    const { bus } = manualBus({ turnMs: 1 });
    bus.channel('a', { capacity: 100_000, drainBatch: 100_000 }).subscribe('a', consumer);
    bus.hold();
    for (let n = 0; n < 100_000; n++) bus.offer(makeEnvelope('a', n));
    bus.release();
    expect(await turnsDuring(() => bus.idle())).toBeGreaterThan(3);
    expectBalanced(bus);
  });

  it('C14 many dead letters are redriven in many turns', async () => {
    const { bus } = manualBus({ turnMs: 0.001, deadLetterChannel: 'dead' });
    bus.subscribe('a', () => false);
    for (const n of numbers(200)) await bus.publishAndWait(makeEnvelope('a', n));
    bus.hold('a');
    expect(await turnsDuring(() => bus.deadLetters('a').redrive('all'))).toBeGreaterThan(20);
    expect(bus.stats()['a']).toMatchObject({ depth: 200 });
    expectBalanced(bus);
  });
});

describe('C14 R3.3 round robin', () => {
  /** The stages of each attempt, in order; `turnMs` is out of the way. */
  const orderOf = async (concurrency: number | undefined, drainBatch: number): Promise<string> => {
    const { bus } = manualBus({ turnMs: 1e9, ...(concurrency && { concurrency }), defaults: { drainBatch } });
    let order = '';
    for (const name of ['a', 'b', 'c']) bus.subscribe(name, () => void (order += name));
    bus.hold();
    for (const name of ['a', 'b', 'c']) offerEach(bus, name, numbers(6));
    bus.release();
    await bus.idle();
    return order;
  };

  it.each([
    [1, 'abcabcabcabcabcabc'],
    [2, 'aabbccaabbccaabbcc'],
    [32, 'aaaaaabbbbbbcccccc'],
  ])('C14 R3.2 with drainBatch %i no ready stage waits more than one round', async (drainBatch, order) => {
    expect(await orderOf(undefined, drainBatch)).toBe(order);
  });

  it('C14 a bus-wide cap of one changes nothing about that', async () => {
    expect(await orderOf(1, 1)).toBe('abcabcabcabcabcabc');
  });

  it('C14 a stage that always has work does not starve one that becomes ready later', async () => {
    const { bus } = manualBus({ turnMs: 1e9 });
    let handledBefore = -1;
    let handled = 0;
    bus.channel('busy', { drainBatch: 4 }).subscribe('busy', () => {
      if (handled++ < 1_000) bus.offer(makeEnvelope('busy'));
      if (handled === 10) bus.offer(makeEnvelope('late'));
    });
    bus.subscribe('late', () => void (handledBefore = handled));
    bus.offer(makeEnvelope('busy'));
    await bus.idle();
    expect(handledBefore).toBe(12);
    expect(handled).toBe(1_001);
  });

  it('C14 asynchronous attempts take turns under a bus-wide cap, too', async () => {
    const { bus } = manualBus({ turnMs: 1e9, concurrency: 1 });
    let order = '';
    for (const name of ['a', 'b', 'c'])
      bus.subscribe(name, async () => {
        await Promise.resolve();
        order += name;
      });
    for (const name of ['a', 'b', 'c']) offerEach(bus, name, numbers(3));
    await bus.idle();
    expect(order).toBe('abcabcabc');
  });
});
