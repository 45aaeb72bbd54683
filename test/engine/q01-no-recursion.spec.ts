import { jest } from '@jest/globals';
import { SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { numbers } from '../support/manual-bus.js';

// Much work: a machine that is busy with other things may take its time.
jest.setTimeout(60_000);

const MILLION = 1_000_000;
const HOPS = 100_000;

describe('Q01 R3.5 synchronous work does not grow the stack', () => {
  it('Q01 a million queued envelopes are handled after a hold', async () => {
    const bus = new SedaBus();
    bus.channel('a', { capacity: MILLION, drainBatch: MILLION }).subscribe('a', () => undefined);
    bus.hold('a');
    for (let n = 0; n < MILLION; n++) bus.offer(makeEnvelope('a'));
    bus.release('a');
    await bus.idle();
    expect(bus.stats()['a']).toMatchObject({ offered: MILLION, delivered: MILLION, depth: 0, inFlight: 0 });
    expectBalanced(bus);
  });

  it('Q01 two stages that publish to one another 100,000 times', async () => {
    const bus = new SedaBus({ concurrency: 1 });
    let left = HOPS;
    bus.subscribe('a', () => left-- > 0 && bus.offer(makeEnvelope('b')));
    bus.subscribe('b', () => left-- > 0 && bus.offer(makeEnvelope('a')));
    bus.offer(makeEnvelope('a'));
    await bus.idle();
    expect(left).toBe(-1);
    expectBalanced(bus);
  });

  it('Q01 two stages between which one envelope travels 100,000 hops', async () => {
    const bus = new SedaBus({ concurrency: 1 });
    let hops = 0;
    for (const [here, there] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      bus.channel(here, { capacity: 1 }).subscribe(here, (envelope) => {
        if (++hops < HOPS) envelope.addRoute(there);
      });
    }
    expect(await bus.publishAndWait(makeEnvelope('a'))).toEqual({ status: 'completed', stage: 'b' });
    expect(hops).toBe(HOPS);
    expectBalanced(bus);
  });

  it('Q01 a synchronous handler that nacks 100,000 times', async () => {
    const bus = new SedaBus();
    let calls = 0;
    bus.channel('a', { maxAttempts: HOPS }).subscribe('a', () => ++calls < 0);
    expect(await bus.publishAndWait(makeEnvelope('a'))).toMatchObject({ reason: 'max-attempts' });
    expect(calls).toBe(HOPS);
    expectBalanced(bus);
  });

  it('Q01 fifty thousand publishers that wait, and as many that are sent away', async () => {
    const bus = new SedaBus();
    bus.channel('a', { capacity: 1 }).subscribe('a', () => undefined);
    const wait = (): Promise<boolean>[] => numbers(50_000).map(() => bus.publish(makeEnvelope('a')));
    expect((await Promise.all(wait())).every(Boolean)).toBe(true);
    await bus.idle();
    bus.hold();
    const sentAway = wait();
    bus.shutdownNow();
    expect((await Promise.all(sentAway)).filter(Boolean)).toHaveLength(1);
    expectBalanced(bus);
  });
});
