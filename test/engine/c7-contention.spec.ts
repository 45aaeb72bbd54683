import { jest } from '@jest/globals';
import { type Consumer, SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { numbers } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';
import { seeded } from '../support/random.js';

// Much work: a machine that is busy with other things may take its time.
jest.setTimeout(60_000);

const PRODUCERS = 20;
const EACH = 100;

/** Goes on now, after some microtasks, or when the event loop has come round. */
function yields(random: () => number): () => Promise<void> | undefined {
  return () => {
    const chance = random();
    if (chance < 0.4) return undefined;
    return chance < 0.8 ? Promise.resolve() : turn();
  };
}

/** How many run at once, and the most that ever did. */
class Peak {
  running = 0;
  most = 0;

  async during(work: () => Promise<unknown> | undefined): Promise<void> {
    this.most = Math.max(this.most, ++this.running);
    await work();
    this.running--;
  }
}

describe.each([1, 2, 3, 4, 5])('C7 contention, seed %i', (seed) => {
  const contend = async (backpressure: 'block' | 'reject', capacity: number) => {
    const pause = yields(seeded(seed));
    const bus = new SedaBus({ concurrency: 5 });
    const all = new Peak();
    const stages = ['a', 'b', 'c'].map((name) => ({ name, peak: new Peak(), handled: [] as unknown[] }));
    for (const { name, peak, handled } of stages) {
      const consumer: Consumer = async (envelope) => {
        await all.during(() => peak.during(() => pause()));
        handled.push(envelope.content());
      };
      bus.channel(name, { capacity, concurrency: 2, backpressure });
      bus.subscribe(name, consumer).subscribe(name, (envelope, attempt) => consumer(envelope, attempt));
    }
    const accepted: number[] = [];
    const produce = async (producer: number): Promise<void> => {
      for (const n of numbers(EACH)) {
        await pause();
        const id = producer * EACH + n;
        if (await bus.publish(makeEnvelope('a', id, { slip: ['b', 'c'] }))) accepted.push(id);
      }
    };
    await Promise.all(numbers(PRODUCERS).map(produce));
    await bus.idle();
    expectBalanced(bus);
    return { bus, all, stages, accepted };
  };

  it('C7 with Block each envelope is handled exactly once at each stage, never above a limit', async () => {
    const { all, stages, accepted } = await contend('block', 3);
    expect(accepted).toHaveLength(PRODUCERS * EACH);
    for (const { handled, peak } of stages) {
      expect(handled.toSorted((one, other) => Number(one) - Number(other))).toEqual(numbers(PRODUCERS * EACH));
      expect(peak.most).toBe(2);
    }
    expect(all.most).toBeLessThanOrEqual(5);
  });

  it('C7 with Reject exactly the accepted ones are handled, and each refusal is counted', async () => {
    const { bus, stages, accepted } = await contend('reject', 2);
    const sorted = accepted.toSorted((one, other) => one - other);
    for (const { handled } of stages) {
      expect(handled.toSorted((one, other) => Number(one) - Number(other))).toEqual(sorted);
    }
    expect(accepted.length + (bus.stats()['a']?.dropped ?? 0)).toBe(PRODUCERS * EACH);
    expect(bus.stats()['a']?.dropped).toBeGreaterThan(0);
  });
});
