import { AsyncLocalStorage } from 'node:async_hooks';
import { SedaBus, type SedaBusOptions, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { manualBus, numbers } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

const storage = new AsyncLocalStorage<number>();

/** A stage that notes which store its handler runs in. */
function watched(options: SedaBusOptions = {}) {
  const { bus, clock } = manualBus(options);
  const stores: unknown[] = [];
  bus.channel('a', { capacity: 5, maxAttempts: 2, concurrency: 3 });
  bus.subscribe('a', async (envelope, attempt) => {
    stores.push(storage.getStore());
    await Promise.resolve();
    stores.push(storage.getStore());
    if (attempt.redelivered) return true;
    return (envelope.content() as number) % 2 === 0 || attempt.retryIn((envelope.content() as number) % 3);
  });
  return { bus, clock, stores };
}

describe('AsyncLocalStorage: the context of a publisher never reaches the handler of another’s envelope', () => {
  it('with many publishers that wait, delay and are retried, a handler sees no store at all', async () => {
    const { bus, clock, stores } = watched();
    const publish = (n: number): Promise<boolean> =>
      storage.run(n, () => bus.publish(makeEnvelope('a', n), n % 7 === 0 ? { delayMs: n % 5 } : {}));
    const answers = Promise.all(numbers(200).map(publish));
    for (let step = 0; step < 2_000 && bus.stats()['a']?.delivered !== 200; step++) await clock.advance(1);
    expect((await answers).every(Boolean)).toBe(true);
    expect(stores.length).toBeGreaterThan(400);
    expect(new Set(stores)).toEqual(new Set([undefined]));
    expectBalanced(bus);
  });

  it('nor that of one who holds, releases, subscribes, starts or resumes', async () => {
    const { bus, stores } = watched({ autoStart: false });
    bus.offer(makeEnvelope('a', 0));
    await storage.run(1, () => bus.start());
    bus.hold();
    bus.offer(makeEnvelope('a', 0));
    storage.run(2, () => bus.release());
    await turn();
    storage.run(3, () => bus.offer(makeEnvelope('a', 0)));
    await bus.idle();
    expect(new Set(stores)).toEqual(new Set([undefined]));
    expect(stores).toHaveLength(6);
  });

  it('nor that of one who aborts, purges or redrives', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    const stores: unknown[] = [];
    bus.subscribe('a', () => stores.push(storage.getStore()) > 1);
    await storage.run(1, () => bus.publishAndWait(makeEnvelope('a')));
    expect(stores).toEqual([undefined]);
    await storage.run(2, () => bus.deadLetters('a').redrive('all'));
    await bus.idle();
    expect(stores).toEqual([undefined, undefined]);
  });

  it('nor that of one whose work used up the turn of the event loop', async () => {
    const bus = new SedaBus({ turnMs: 0.001 });
    const stores: unknown[] = [];
    bus.subscribe('a', () => void stores.push(storage.getStore()));
    for (const n of numbers(500)) await storage.run(n, () => bus.publish(makeEnvelope('a', n)));
    await bus.idle();
    expect(stores).toHaveLength(500);
    expect(new Set(stores)).toEqual(new Set([undefined]));
  });

  it('a handler sees the context that its bus was constructed in', async () => {
    const bus = storage.run(42, () => new SedaBus());
    const stores: unknown[] = [];
    bus.subscribe('a', () => stores.push(storage.getStore()));
    for (const n of numbers(3)) await storage.run(n, () => bus.publishAndWait(makeEnvelope('a')));
    expect(stores).toEqual([42, 42, 42]);
  });

  it('a publisher goes on in its own context after its publish, waited or not', async () => {
    const { bus } = watched();
    const after = await Promise.all(
      numbers(20).map((n) =>
        storage.run(n, async () => {
          await bus.publish(makeEnvelope('a', 0));
          return storage.getStore();
        }),
      ),
    );
    expect(after).toEqual(numbers(20));
  });
});
