import { getEventListeners } from 'node:events';
import { jest } from '@jest/globals';
import { SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { reachableBytes } from '../support/heap.js';
import { manualBus, numbers } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

// Much work: a machine that is busy with other things may take its time.
jest.setTimeout(60_000);

const CYCLES = 50;
const MOST_GROWTH_BYTES = 8 * 1_024 * 1_024;

/** A bus with everything that could keep something: retries, delays, timeouts, waiting publishers, running attempts. */
function busyBus(signal: AbortSignal): SedaBus {
  const bus = new SedaBus({ concurrency: 4, deadLetterChannel: 'dead' });
  const backoff = { type: 'exponential', delayMs: 60_000 } as const;
  bus.channel('retried', { maxAttempts: 5, backoff }).subscribe('retried', () => false);
  bus.channel('slow', { timeoutMs: 60_000, capacity: 1 }).subscribe('slow', (_, attempt) => {
    attempt.signal.addEventListener('abort', () => undefined);
    return new Promise(() => undefined);
  });
  bus.channel('copied', { delivery: 'pubsub', timeoutMs: 60_000 });
  bus.subscribe('copied', () => new Promise(() => undefined)).subscribe('copied', () => true);
  bus.subscribe('hopping', () => true);
  bus.on('dropped', () => undefined);
  for (const n of numbers(20)) {
    bus.offer(makeEnvelope('retried', n), { delayMs: n % 2 });
    void bus.publish(makeEnvelope('slow', n), { timeoutMs: 60_000, signal });
    bus.offer(makeEnvelope('copied', n));
    bus.offer(makeEnvelope('hopping', n, { slip: ['slow'] }));
  }
  return bus;
}

/** How many of each kind there are of what keeps the process alive or is held outside of the bus. */
function held(signal: AbortSignal): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  counts.set('abort listeners', getEventListeners(signal, 'abort').length);
  for (const event of ['exit', 'beforeExit', 'SIGTERM', 'SIGINT']) counts.set(event, process.listenerCount(event));
  return counts;
}

/** What one cycle leaves behind is there fifty times; the test runner's own timers come and go in ones. */
const growth = (before: Map<string, number>, after: Map<string, number>): [string, number][] =>
  [...after].filter(([kind, count]) => count - (before.get(kind) ?? 0) >= CYCLES / 2);

describe('C6 life cycles', () => {
  it.each<[string, (bus: SedaBus) => Promise<unknown>]>([
    ['shutdownNow', async (bus) => bus.shutdownNow()],
    ['shutdown', (bus) => bus.shutdown({ timeoutMs: 0 })],
  ])('C6 R8.6 fifty times construct, use, %s: nothing is held afterwards', async (_, end) => {
    const { signal } = new AbortController();
    const cycle = async (): Promise<void> => {
      const bus = busyBus(signal);
      await turn();
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      await end(bus);
      expectBalanced(bus);
      await turn();
    };
    await turn();
    const before = held(signal);
    for (let warmUp = 0; warmUp < 5; warmUp++) await cycle();
    const bytes = reachableBytes();
    for (let count = 0; count < CYCLES; count++) await cycle();
    expect(growth(before, held(signal))).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(reachableBytes() - bytes).toBeLessThan(MOST_GROWTH_BYTES);
  });

  it('C6 R8.7 a bus with work to do later keeps the process alive, until it is shut down', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const bus = new SedaBus();
    bus.subscribe('a', () => true);
    const before = timers();
    bus.offer(makeEnvelope('a'), { delayMs: 60_000 });
    expect(timers()).toBe(before + 1);
    bus.shutdownNow();
    expect(timers()).toBe(before);
  });

  it('C6 R8.7 a bus without work has no timer', async () => {
    const { bus, clock } = manualBus();
    bus.channel('a', { timeoutMs: 50 }).subscribe('a', async () => turn());
    expect(await bus.publishAndWait(makeEnvelope('a'), { timeoutMs: 50 })).toMatchObject({ status: 'completed' });
    expect(clock.pending).toBe(0);
  });

  it('C6 an idle bus that used a big queue has given its memory back', async () => {
    const bus = new SedaBus();
    bus.channel('a', { capacity: 200_000 }).subscribe('a', () => true);
    const fill = async (count: number): Promise<void> => {
      bus.hold('a');
      for (let n = 0; n < count; n++) bus.offer(makeEnvelope('a', n));
      bus.release('a');
      await bus.idle();
    };
    await fill(100);
    const before = reachableBytes();
    await fill(200_000);
    expect(reachableBytes() - before).toBeLessThan(MOST_GROWTH_BYTES);
    expectBalanced(bus);
  });
});
