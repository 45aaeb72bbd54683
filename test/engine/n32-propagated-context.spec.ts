import { AsyncLocalStorage } from 'node:async_hooks';
import { type SedaBusOptions, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { manualBus, numbers } from '../support/manual-bus.js';

const storage = new AsyncLocalStorage<number>();

function carrying(options: SedaBusOptions = {}) {
  return manualBus({ propagateContext: true, ...options });
}

describe('N32 propagateContext carries the context of the publish', () => {
  it('N32 of a thousand interleaved envelopes each handler sees its own, before and after it has waited', async () => {
    const { bus } = carrying();
    const mismatches: unknown[] = [];
    let handled = 0;
    bus.channel('a', { capacity: 7, concurrency: 5 }).subscribe('a', async (envelope) => {
      const check = (): void => void (storage.getStore() !== envelope.content() && mismatches.push(storage.getStore()));
      check();
      await Promise.resolve();
      check();
      handled++;
    });
    await Promise.all(numbers(1_000).map((n) => storage.run(n, () => bus.publish(makeEnvelope('a', n)))));
    await bus.idle();
    expect(handled).toBe(1_000);
    expect(mismatches).toEqual([]);
  });

  it('N32 to every attempt, whatever made the envelope wait for it', async () => {
    const { bus, clock } = carrying();
    const stores: unknown[] = [];
    bus.channel('a', { maxAttempts: 3, backoff: { type: 'fixed', delayMs: 10 } });
    bus.subscribe('a', (_, attempt) => {
      stores.push(storage.getStore());
      return attempt.number === 3;
    });
    storage.run(1, () => bus.offer(makeEnvelope('a'), { delayMs: 5 }));
    await clock.advance(5);
    await clock.advance(10);
    await clock.advance(10);
    expect(stores).toEqual([1, 1, 1]);
    expectBalanced(bus);
  });

  it('N32 through all stages of the itinerary, and into what handlers publish', async () => {
    const { bus } = carrying();
    const stores: unknown[] = [];
    bus.subscribe('a', (_, attempt) => attempt.publish(makeEnvelope('c')));
    bus.subscribe('b', () => stores.push(storage.getStore()));
    bus.subscribe('c', () => stores.push(storage.getStore()));
    storage.run(1, () => bus.offer(makeEnvelope('a', undefined, { slip: ['b'] })));
    await bus.idle();
    expect(stores).toEqual([1, 1]);
  });

  it('N32 to the callbacks of the publish', async () => {
    const { bus } = carrying();
    const stores: unknown[] = [];
    const onSettled = (): unknown => stores.push(['settled', storage.getStore()]);
    const onComplete = (): unknown => stores.push(['complete', storage.getStore()]);
    bus.subscribe('a', (envelope) => envelope.content());
    storage.run(1, () => bus.offer(makeEnvelope('a', true), { onComplete, onSettled }));
    storage.run(2, () => bus.offer(makeEnvelope('a', false), { onComplete, onSettled }));
    await bus.idle();
    expect(stores).toEqual([
      ['complete', 1],
      ['settled', 1],
      ['settled', 2],
    ]);
  });

  it('N32 of an envelope that came before its stage, and before the bus had started', async () => {
    const { bus } = carrying({ autoStart: false });
    const stores: unknown[] = [];
    storage.run(1, () => bus.offer(makeEnvelope('late')));
    bus.subscribe('late', () => stores.push(storage.getStore()));
    await storage.run(2, () => bus.start());
    await bus.idle();
    expect(stores).toEqual([1]);
  });

  it('N32 together with publishWhileDraining', async () => {
    const { bus } = carrying({ publishWhileDraining: true });
    const stores: unknown[] = [];
    bus.subscribe('a', async () => {
      await Promise.resolve();
      stores.push(storage.getStore(), await bus.publish(makeEnvelope('b')));
    });
    bus.subscribe('b', () => stores.push(storage.getStore()));
    storage.run(1, () => bus.offer(makeEnvelope('a')));
    expect(await bus.shutdown()).toBe(true);
    expect(stores).toEqual([1, true, 1]);
  });

  it('N32 without it a handler sees no store', async () => {
    const { bus } = manualBus();
    const stores: unknown[] = [];
    bus.subscribe('a', () => stores.push(storage.getStore()));
    storage.run(1, () => bus.offer(makeEnvelope('a')));
    await bus.idle();
    expect(stores).toEqual([undefined]);
  });
});
