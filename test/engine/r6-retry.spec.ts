import { type BackoffOptions, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Recorder, manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

const DAY_MS = 86_400_000;

/** The delays before each further attempt of an envelope that is never acked. */
async function delaysOf(
  backoff: BackoffOptions,
  maxAttempts: number,
  random: () => number = () => 0.5,
): Promise<number[]> {
  const { bus, clock } = manualBus({ random });
  const delays: number[] = [];
  bus.on('retry', ({ delayMs }) => delays.push(delayMs));
  bus.channel('a', { maxAttempts, backoff }).subscribe('a', () => false);
  bus.offer(makeEnvelope('a'));
  await turn();
  for (let attempt = 1; attempt < maxAttempts; attempt++) {
    const before = bus.stats()['a']?.nacked;
    await clock.advance((delays.at(-1) as number) - 0.25);
    expect(bus.stats()['a']).toMatchObject({ retrying: 1, inFlight: 0, nacked: before });
    await clock.advance(0.25);
  }
  expect(bus.stats()['a']).toMatchObject({ deadLettered: 1, nacked: maxAttempts });
  expect(clock.pending).toBe(0);
  expectBalanced(bus);
  return delays;
}

describe('R6.1 a retry goes by admission, ahead of all younger ones', () => {
  it('R6.1 at once, without a backoff', async () => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.channel('a', { maxAttempts: 3, concurrency: 2 });
    bus.subscribe('a', async (envelope, attempt) => {
      recorder.consumer(envelope);
      await Promise.resolve();
      return attempt.number === 3 || (envelope.content() as number) > 1;
    });
    offerEach(bus, 'a', numbers(5));
    await bus.idle();
    expect(recorder.seen).toEqual([0, 1, 0, 1, 0, 1, 2, 3, 4]);
    expectBalanced(bus);
  });

  it('R6.1 several that are due at once in the order they were admitted, whatever the order of their failures', async () => {
    const { bus, clock } = manualBus();
    const recorder = new Recorder();
    bus.channel('a', { maxAttempts: 2 }).subscribe('a', (envelope, attempt) => {
      if (attempt.redelivered) return recorder.consumer(envelope);
      return attempt.retryIn(100 - (envelope.content() as number));
    });
    offerEach(bus, 'a', numbers(5));
    await turn();
    bus.hold();
    await clock.advance(100);
    expect(bus.stats()['a']).toMatchObject({ depth: 5, retrying: 0 });
    bus.release();
    await bus.idle();
    expect(recorder.seen).toEqual(numbers(5));
  });

  it('R6.1 when it is due it overtakes what came after it', async () => {
    const { bus, clock } = manualBus();
    const recorder = new Recorder();
    bus.channel('a', { maxAttempts: 2 }).subscribe('a', (envelope, attempt) => {
      recorder.consumer(envelope);
      return envelope.content() !== 'retried' || attempt.redelivered || attempt.retryIn(10);
    });
    offerEach(bus, 'a', ['retried']);
    await turn();
    bus.hold();
    offerEach(bus, 'a', ['younger', 'youngest']);
    await clock.advance(10);
    bus.release();
    await bus.idle();
    expect(recorder.seen).toEqual(['retried', 'retried', 'younger', 'youngest']);
  });

  it('R6.1 one that was delayed from the start has its place among those that were not', async () => {
    const { bus, clock } = manualBus();
    const recorder = new Recorder();
    bus.subscribe('a', recorder.consumer);
    bus.hold();
    offerEach(bus, 'a', ['first']);
    bus.offer(makeEnvelope('a', 'delayed'), { delayMs: 10 });
    offerEach(bus, 'a', ['last']);
    await clock.advance(10);
    bus.release();
    await bus.idle();
    expect(recorder.seen).toEqual(['first', 'delayed', 'last']);
  });

  it('R6.1 waiting for a backoff holds no permit', async () => {
    const { bus, clock } = manualBus({ concurrency: 1 });
    const recorder = new Recorder();
    bus.channel('a', { maxAttempts: 2, backoff: { type: 'fixed', delayMs: 1_000 } });
    bus.subscribe('a', (envelope, attempt) => {
      recorder.consumer(envelope);
      return attempt.redelivered || envelope.content() !== 0;
    });
    offerEach(bus, 'a', numbers(3));
    await turn();
    expect(recorder.seen).toEqual(numbers(3));
    expect(bus.stats()['a']).toMatchObject({ retrying: 1, inFlight: 0, delivered: 2 });
    await clock.advance(1_000);
    expect(recorder.seen).toEqual([0, 1, 2, 0]);
    expectBalanced(bus);
  });
});

describe('R6.2 backoff', () => {
  it.each<[string, BackoffOptions, number, number[]]>([
    ['fixed', { type: 'fixed', delayMs: 100 }, 4, [100, 100, 100]],
    ['fixed with jitter', { type: 'fixed', delayMs: 100, jitter: true }, 3, [50, 50]],
    ['fixed with a maximum', { type: 'fixed', delayMs: 100, maxDelayMs: 30 }, 3, [30, 30]],
    ['exponential', { type: 'exponential', delayMs: 1_000, jitter: false }, 4, [1_000, 2_000, 4_000]],
    ['exponential by its factor', { type: 'exponential', delayMs: 10, factor: 3, jitter: false }, 5, [10, 30, 90, 270]],
    [
      'exponential with a maximum',
      { type: 'exponential', delayMs: 10, maxDelayMs: 25, jitter: false },
      5,
      [10, 20, 25, 25],
    ],
    [
      'exponential by default at most 30 s',
      { type: 'exponential', delayMs: 20_000, jitter: false },
      4,
      [20_000, 30_000, 30_000],
    ],
    ['exponential with jitter, by default', { type: 'exponential', delayMs: 100 }, 4, [50, 100, 200]],
  ])('R6.2 %s', async (_, backoff, maxAttempts, delays) => {
    expect(await delaysOf(backoff, maxAttempts)).toEqual(delays);
  });

  it('R6.2 the jitter is drawn anew for every retry, from the injected source', async () => {
    const drawn = [0.25, 0.5, 0.75];
    const delays = await delaysOf({ type: 'fixed', delayMs: 100, jitter: true }, 4, () => drawn.shift() as number);
    expect(delays).toEqual([25, 50, 75]);
  });

  it('R6.2 attempt 2000 of an exponential backoff is still at its maximum: nothing overflows', async () => {
    const delays = await delaysOf({ type: 'exponential', delayMs: 1, maxDelayMs: 5, jitter: false }, 2_000);
    expect(delays).toHaveLength(1_999);
    expect(new Set(delays.slice(3))).toEqual(new Set([5]));
  });

  it('R6.2 R6.3 attempt.retryIn overrides the delay, 0 included, and not the number of attempts', async () => {
    const { bus, clock } = manualBus();
    const starts: number[] = [];
    const start = clock.now();
    bus.channel('a', { maxAttempts: 3, backoff: { type: 'fixed', delayMs: 1_000 } });
    bus.subscribe('a', (_, attempt) => {
      starts.push(clock.now() - start);
      return attempt.retryIn(attempt.number === 1 ? 0 : 70);
    });
    const end = bus.publishAndWait(makeEnvelope('a'));
    await turn();
    await clock.advance(70);
    expect(starts).toEqual([0, 0, 70]);
    expect(await end).toEqual({ status: 'dead-lettered', stage: 'a', reason: 'max-attempts' });
    expectBalanced(bus);
  });
});

describe('R6 Q13 the default', () => {
  it('Q13 a handler that always throws is tried maxAttempts times, with growing gaps and nothing to do between', async () => {
    const { bus, clock } = manualBus({ deadLetterChannel: 'dead', random: () => 0.5 });
    const starts: number[] = [];
    bus.channel('a', { maxAttempts: 4, backoff: { type: 'exponential', delayMs: 1_000, jitter: false } });
    bus.subscribe('a', () => {
      starts.push(clock.now());
      throw new Error('always');
    });
    bus.offer(makeEnvelope('a'));
    await turn();
    for (let second = 0; second < 60; second++) {
      expect(clock.pending).toBeLessThanOrEqual(1);
      await clock.advance(1_000);
    }
    expect(starts.map((at) => (at - (starts[0] as number)) / 1_000)).toEqual([0, 1, 3, 7]);
    expect(bus.stats()).toMatchObject({ a: { deadLettered: 1, nacked: 4 }, dead: { depth: 1 } });
  });

  it('R6 without options one attempt is made', async () => {
    const { bus } = manualBus();
    let calls = 0;
    bus.subscribe('a', () => ++calls < 0);
    await bus.publishAndWait(makeEnvelope('a'));
    expect(calls).toBe(1);
  });
});

describe('R6 timers', () => {
  it('R6 a stage has one timer, for the earliest, however many wait', async () => {
    const { bus, clock } = manualBus();
    const recorder = new Recorder();
    bus.channel('a').subscribe('a', recorder.consumer);
    for (const delayMs of [50, 30, 70, 10, 30]) bus.offer(makeEnvelope('a', delayMs), { delayMs });
    expect(clock.pending).toBe(1);
    for (const [at, seen] of [
      [10, [10]],
      [30, [10, 30, 30]],
      [50, [10, 30, 30, 50]],
    ] as const) {
      await clock.advance(at - (recorder.seen.length === 0 ? 0 : (recorder.seen.at(-1) as number)));
      expect(recorder.seen).toEqual(seen);
      expect(clock.pending).toBe(1);
    }
    await clock.advance(20);
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });

  it.each([60, 1_000])('R6 a retry in %i days is not due before, though a timer cannot be that long', async (days) => {
    const { bus, clock } = manualBus();
    const set = clock.setTimeout.bind(clock);
    const longest: number[] = [];
    clock.setTimeout = (callback, delayMs) => {
      longest.push(delayMs);
      return set(callback, Math.min(delayMs, 2 ** 31 - 1));
    };
    const backoff = { type: 'fixed', delayMs: days * DAY_MS } as const;
    bus.channel('a', { maxAttempts: 2, backoff }).subscribe('a', (_, attempt) => attempt.redelivered);
    bus.offer(makeEnvelope('a'));
    await turn();
    await clock.advance(days * DAY_MS - 1);
    expect(bus.stats()['a']).toMatchObject({ retrying: 1, delivered: 0 });
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(bus.stats()['a']).toMatchObject({ retrying: 0, delivered: 1 });
    expect(Math.max(...longest)).toBeGreaterThan(2 ** 31);
    expectBalanced(bus);
  });

  it('R6 the timer is set anew only for an earlier one', () => {
    const { bus, clock } = manualBus();
    const set = clock.setTimeout.bind(clock);
    let times = 0;
    clock.setTimeout = (callback, delayMs) => (times++, set(callback, delayMs));
    bus.channel('a');
    for (const n of numbers(1_000)) bus.offer(makeEnvelope('a'), { delayMs: 1_000 + n });
    expect([times, clock.pending]).toEqual([1, 1]);
    bus.offer(makeEnvelope('a'), { delayMs: 999 });
    expect([times, clock.pending]).toEqual([2, 1]);
  });

  it('R6 delayMs 0 waits for nothing', async () => {
    const { bus, clock } = manualBus();
    bus.channel('a');
    bus.hold();
    bus.offer(makeEnvelope('a'), { delayMs: 0 });
    expect(bus.stats()['a']).toMatchObject({ depth: 1, retrying: 0 });
    expect(clock.pending).toBe(0);
  });

  it('R6 the timer goes with the bus', async () => {
    const { bus, clock } = manualBus();
    bus.channel('a');
    bus.offer(makeEnvelope('a'), { delayMs: 1_000 });
    bus.shutdownNow();
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });
});
