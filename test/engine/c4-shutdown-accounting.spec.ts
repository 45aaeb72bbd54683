import { type Outcome, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { manualBus, numbers } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

const STAGES = ['a', 'b', 'c'];

describe('C4 shutdown accounting', () => {
  it('C4 R8.2 finishes whole itineraries that are under way, retries included, and resolves true', async () => {
    const { bus, clock } = manualBus({ concurrency: 2, deadLetterChannel: 'dead' });
    for (const stage of STAGES) {
      bus.channel(stage, { capacity: 3, concurrency: 2, maxAttempts: 2, backoff: { type: 'fixed', delayMs: 50 } });
      bus.subscribe(stage, async (envelope, attempt) => {
        await turn();
        return attempt.redelivered || (envelope.content() as number) % 2 === 0;
      });
    }
    const outcomes: Outcome[] = [];
    const onSettled = (outcome: Outcome): void => void outcomes.push(outcome);
    for (const n of numbers(3)) await bus.publish(makeEnvelope('a', n, { slip: ['b', 'c'] }), { onSettled });
    const drained = bus.shutdown({ timeoutMs: 1_000 });
    for (let steps = 0; outcomes.length < 3 && steps < 100; steps++) await clock.advance(10);
    expect(await drained).toBe(true);
    expect(outcomes).toEqual(numbers(3).map(() => ({ status: 'completed', stage: 'c' })));
    expect(bus.stats()).toMatchObject({ a: { delivered: 3 }, b: { delivered: 3 }, c: { delivered: 3 } });
    expectBalanced(bus);
    expect(clock.pending).toBe(0);
  });

  it('C4 R8.3 at the timeout all that is left anywhere is abandoned, and resolves false', async () => {
    const { bus, clock } = manualBus();
    const gate = new Gate();
    bus.channel('b', { capacity: 1 });
    bus.subscribe('a', () => true).subscribe('b', () => gate.opened);
    const ends: Outcome[] = [];
    const onSettled = (outcome: Outcome): void => void ends.push(outcome);
    for (const n of numbers(5)) await bus.publish(makeEnvelope('a', n, { slip: ['b'] }), { onSettled });
    await turn();
    // One runs at b, one is queued there, one waits at a for its hop, two are queued at a.
    expect(bus.stats()).toMatchObject({ a: { inFlight: 1, depth: 2 }, b: { inFlight: 1, depth: 1 } });
    const drained = bus.shutdown({ timeoutMs: 1_000 });
    await clock.advance(1_000);
    expect(await drained).toBe(false);
    expect(bus.stats()).toMatchObject({ a: { droppedBy: { abandoned: 3 } }, b: { droppedBy: { abandoned: 2 } } });
    expect(ends.map((end) => 'reason' in end && end.reason)).toEqual(numbers(5).map(() => 'abandoned'));
    expectBalanced(bus);
    expect(clock.pending).toBe(0);
    gate.open();
    await turn();
    expectBalanced(bus);
  });

  it('C4 true means just that: an attempt interrupted is not true although its queue was empty', async () => {
    const { bus, clock } = manualBus();
    bus.subscribe('a', () => new Promise(() => undefined));
    await bus.publish(makeEnvelope('a'));
    const drained = bus.shutdown({ timeoutMs: 10 });
    await clock.advance(10);
    expect(await drained).toBe(false);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 0, nacked: 0, droppedBy: { abandoned: 1 } });
    expectBalanced(bus);
  });

  it('C4 what dead letters come of a shutdown are kept, and do not make it false', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.channel('a', { maxAttempts: 3 }).subscribe('a', () => false);
    for (const n of numbers(4)) await bus.publish(makeEnvelope('a', n));
    expect(await bus.shutdown()).toBe(true);
    expect((await bus.deadLetters('a').list()).items).toHaveLength(4);
    expect(bus.stats()).toMatchObject({ a: { deadLettered: 4 }, dead: { depth: 4 } });
    expectBalanced(bus);
  });

  it('C4 a retry that is due in time is waited for, one due later is abandoned at once', async () => {
    const { bus, clock } = manualBus();
    const gate = new Gate();
    bus.channel('a', { maxAttempts: 9, concurrency: 2 }).subscribe('a', async (envelope, attempt) => {
      await gate.opened;
      return attempt.number === 3 || attempt.retryIn(envelope.content() as number);
    });
    const soon = bus.publishAndWait(makeEnvelope('a', 10));
    const late = bus.publishAndWait(makeEnvelope('a', 2_000));
    await turn();
    const drained = bus.shutdown({ timeoutMs: 1_000 });
    gate.open();
    await clock.advance(5);
    expect(await late).toEqual({ status: 'dropped', stage: 'a', reason: 'abandoned' });
    await clock.advance(100);
    expect(await soon).toEqual({ status: 'completed', stage: 'a' });
    expect(await drained).toBe(false);
    expectBalanced(bus);
  });
});
