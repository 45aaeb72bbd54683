import { makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Recorder, manualBus, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

function publishOnly() {
  const recorder = new Recorder();
  const { bus, clock } = manualBus();
  bus.channel('a', { consume: false, capacity: 2 }).subscribe('a', recorder.consumer);
  return { bus, clock, recorder };
}

describe('N36 a stage with consume: false', () => {
  it('N36 admits under its policy and starts no attempt', async () => {
    const { bus, recorder } = publishOnly();
    expect(offerEach(bus, 'a', [1, 2, 3])).toEqual([true, true, false]);
    await turn();
    expect(recorder.seen).toEqual([]);
    expect(bus.stats()['a']).toMatchObject({ state: 'open', depth: 2, inFlight: 0, deadLettered: 0 });
    expectBalanced(bus);
  });

  it('N36 needs no consumer: nothing is dead-lettered for want of one', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.channel('a', { consume: false });
    offerEach(bus, 'a', [1]);
    await turn();
    expect(bus.stats()).toMatchObject({ a: { depth: 1, deadLettered: 0 }, dead: { depth: 0 } });
  });

  it('N36 is idle whatever it holds', async () => {
    const { bus } = publishOnly();
    offerEach(bus, 'a', [1]);
    bus.offer(makeEnvelope('a', 2), { delayMs: 1_000 });
    await bus.idle();
    await bus.idle('a');
    expect(bus.stats()['a']).toMatchObject({ depth: 1, retrying: 1 });
  });

  it('N36 takes in hops', async () => {
    const { bus } = publishOnly();
    bus.subscribe('before', () => true);
    bus.offer(makeEnvelope('before', 1, { slip: ['a'] }));
    await bus.idle();
    expect(bus.stats()).toMatchObject({ before: { delivered: 1 }, a: { depth: 1 } });
  });

  it('N36 in memory does not hold up the shutdown: what it holds is abandoned, and the answer says so', async () => {
    const { bus } = publishOnly();
    offerEach(bus, 'a', [1]);
    expect(await bus.shutdown()).toBe(false);
    expect(bus.stats()['a']).toMatchObject({ depth: 0, droppedBy: { abandoned: 1 } });
    expectBalanced(bus);
  });
});
