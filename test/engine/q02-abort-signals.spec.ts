import { getEventListeners } from 'node:events';
import { jest } from '@jest/globals';
import { SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { reachableBytes } from '../support/heap.js';
import { numbers } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

// Much work: a machine that is busy with other things may take its time.
jest.setTimeout(60_000);

const PUBLISHES = 100_000;
const MOST_GROWTH_BYTES = 5 * 1_024 * 1_024;

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

let warnings: string[];
const note = (warning: Error): void => void warnings.push(warning.name);
beforeEach(() => {
  warnings = [];
  process.on('warning', note);
});
afterEach(() => process.removeListener('warning', note));

describe('Q02 one long-lived signal', () => {
  it('Q02 for 100,000 publishes one after another: at most one listener, none afterwards, no growth', async () => {
    const bus = new SedaBus();
    bus.channel('a', { capacity: 1 }).subscribe('a', () => undefined);
    const { signal } = new AbortController();
    const publish = async (count: number): Promise<number> => {
      let most = 0;
      for (let n = 0; n < count; n++) {
        const answer = bus.publish(makeEnvelope('a'), { signal });
        if (n % 100 === 0) most = Math.max(most, listeners(signal));
        await answer;
      }
      await bus.idle();
      return most;
    };
    await publish(1_000);
    const before = reachableBytes();
    expect(await publish(PUBLISHES)).toBeLessThanOrEqual(1);
    expect(listeners(signal)).toBe(0);
    expect(reachableBytes() - before).toBeLessThan(MOST_GROWTH_BYTES);
    expect(warnings).toEqual([]);
  });

  it('Q02 for 50,000 publishers that wait at once, at several stages: still one, and node warns of nothing', async () => {
    const bus = new SedaBus();
    const { signal } = new AbortController();
    const names = numbers(20).map(String);
    for (const name of names) bus.channel(name, { capacity: 1 }).subscribe(name, () => undefined);
    bus.hold();
    const answers = numbers(50_000).map((n) => bus.publish(makeEnvelope(names[n % 20] as string), { signal }));
    expect(listeners(signal)).toBe(1);
    bus.release();
    expect((await Promise.all(answers)).every(Boolean)).toBe(true);
    expect(listeners(signal)).toBe(0);
    await turn();
    expect(warnings).toEqual([]);
    expectBalanced(bus);
  });

  it.each(['abort', 'timeout', 'shutdown', 'admission'] as const)(
    'Q02 the listener is gone after the %s of all',
    async (end) => {
      const bus = new SedaBus();
      const controller = new AbortController();
      const { signal } = controller;
      bus.channel('a', { capacity: 1 }).subscribe('a', () => true);
      bus.hold();
      bus.offer(makeEnvelope('a'));
      const timeoutMs = end === 'timeout' ? 1 : 60_000;
      const answers = numbers(30).map(() => bus.publish(makeEnvelope('a'), { signal, timeoutMs }));
      expect(listeners(signal)).toBe(1);
      if (end === 'abort') controller.abort();
      if (end === 'shutdown') bus.shutdownNow();
      if (end === 'admission') bus.release();
      expect(new Set(await Promise.all(answers))).toEqual(new Set([end === 'admission']));
      expect(listeners(signal)).toBe(0);
      expectBalanced(bus);
    },
  );

  it('Q02 an abort sends away exactly those who wait with it, in their order', async () => {
    const bus = new SedaBus();
    bus.channel('a', { capacity: 1 }).subscribe('a', () => true);
    bus.hold();
    bus.offer(makeEnvelope('a'));
    const controllers = [new AbortController(), new AbortController()];
    const left: number[] = [];
    bus.on('dropped', ({ envelope }) => left.push(envelope.content() as number));
    const answers = numbers(10).map((n) =>
      bus.publish(makeEnvelope('a', n), { signal: controllers[n % 2]?.signal as AbortSignal }),
    );
    controllers[1]?.abort();
    expect(left).toEqual([1, 3, 5, 7, 9]);
    bus.release();
    expect(await Promise.all(answers)).toEqual(numbers(10).map((n) => n % 2 === 0));
    expectBalanced(bus);
  });

  it('Q02 a signal on publishes that need not wait is never listened to', async () => {
    const bus = new SedaBus();
    const { signal } = new AbortController();
    bus.subscribe('a', () => undefined);
    for (const n of numbers(50)) void bus.publish(makeEnvelope('a', n), { signal });
    expect(listeners(signal)).toBe(0);
    await bus.idle();
  });
});
