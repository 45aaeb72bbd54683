import { Backpressure, type Outcome, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { Recorder, manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

describe('R1.1 capacity', () => {
  it('R1.1 bounds what is queued and delayed, and not what runs', async () => {
    const { bus } = manualBus();
    bus.channel('a', { capacity: 3, concurrency: 2, backpressure: 'reject' }).subscribe('a', () => new Gate().opened);
    offerEach(bus, 'a', numbers(2));
    await turn();
    expect(bus.offer(makeEnvelope('a'), { delayMs: 50 })).toBe(true);
    expect(offerEach(bus, 'a', numbers(3))).toEqual([true, true, false]);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 2, depth: 2, retrying: 1 });
    expectBalanced(bus);
  });

  it('R1.1 counts what waits for a retry, and lets nothing new in on its account', async () => {
    const { bus, clock } = manualBus();
    const backoff = { type: 'fixed', delayMs: 100 } as const;
    bus.channel('a', { capacity: 2, maxAttempts: 2, backoff, backpressure: 'reject' });
    bus.subscribe('a', (_, attempt) => attempt.redelivered);
    offerEach(bus, 'a', [1, 2]);
    await turn();
    expect(bus.stats()['a']).toMatchObject({ retrying: 2, depth: 0 });
    expect(offerEach(bus, 'a', [3])).toEqual([false]);
    expectBalanced(bus);
    await clock.advance(100);
    expect(offerEach(bus, 'a', [4])).toEqual([true]);
    expectBalanced(bus);
  });

  it('R1.1 a nacked envelope re-enters above it, by at most `concurrency`, and then nothing new comes in until below', async () => {
    const { bus } = manualBus();
    const gates = [new Gate(), new Gate()];
    bus.channel('a', { capacity: 2, concurrency: 2, maxAttempts: 2 });
    bus.subscribe('a', async (envelope, attempt) => {
      if (attempt.redelivered) return true;
      await gates[envelope.content() as number]?.opened;
      return (envelope.content() as number) >= 2;
    });
    offerEach(bus, 'a', [0, 1]);
    await turn();
    offerEach(bus, 'a', [2, 3]);
    const waiting = bus.publish(makeEnvelope('a', 4));
    bus.hold('a');
    gates.forEach((gate) => gate.open());
    await turn();
    expect(bus.stats()['a']).toMatchObject({ depth: 4, waiting: 1, inFlight: 0 });
    expect(bus.offer(makeEnvelope('a', 5))).toBe(false);
    bus.on('retry', () => undefined);
    expectBalanced(bus);
    bus.release('a');
    expect(await waiting).toBe(true);
    await bus.idle();
    expect(bus.stats()['a']).toMatchObject({ delivered: 5, dropped: 1 });
    expectBalanced(bus);
  });

  it('R1.1 room is given where an envelope starts, not where it ends', async () => {
    const { bus } = manualBus();
    const gate = new Gate();
    bus.channel('a', { capacity: 1 }).subscribe('a', () => gate.opened);
    bus.hold();
    offerEach(bus, 'a', [1]);
    const second = bus.publish(makeEnvelope('a', 2));
    bus.release();
    expect(await second).toBe(true);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 1, depth: 1, delivered: 0 });
    expectBalanced(bus);
  });

  it('R1.1 a purge makes room for who waits', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.channel('dead', { capacity: 2, backpressure: 'block' }).subscribe('a', () => false);
    for (const n of numbers(2)) await bus.publishAndWait(makeEnvelope('a', n));
    const waiting = bus.publish(makeEnvelope('dead', 'new'));
    await turn();
    expect(bus.stats()['dead']).toMatchObject({ depth: 2, waiting: 1 });
    expect(await bus.deadLetters('a').purge('all')).toBe(2);
    expect(await waiting).toBe(true);
    expect(bus.stats()['dead']).toMatchObject({ depth: 1, waiting: 0, droppedBy: { purged: 2 } });
    expectBalanced(bus);
  });
});

describe('R1.4 DropOldest', () => {
  const heldStage = (capacity: number, backoffMs = 0) => {
    const { bus, clock } = manualBus();
    const evicted: unknown[] = [];
    bus.on('dropped', ({ envelope }) => evicted.push(envelope.content()));
    const backoff = { type: 'fixed', delayMs: backoffMs } as const;
    bus.channel('a', { capacity, backpressure: Backpressure.DropOldest, maxAttempts: 2, backoff });
    return { bus, clock, evicted };
  };

  it('R1.4 evicts in order of admission, a nacked envelope with the place it had', async () => {
    const { bus, evicted } = heldStage(3);
    const recorder = new Recorder();
    bus.subscribe('a', (envelope, attempt) => {
      recorder.consumer(envelope);
      if (attempt.redelivered) return true;
      bus.hold();
      return false;
    });
    offerEach(bus, 'a', [1]);
    await turn();
    offerEach(bus, 'a', [2, 3, 4, 5]);
    expect(evicted).toEqual([1, 2]);
    expect(bus.stats()['a']).toMatchObject({ depth: 3, droppedBy: { 'drop-oldest': 2 } });
    expectBalanced(bus);
  });

  it('R1.4 with nothing queued the retry due last goes', async () => {
    const { bus, clock, evicted } = heldStage(3);
    bus.hold();
    for (const delayMs of [20, 40, 30]) bus.offer(makeEnvelope('a', delayMs), { delayMs });
    expect(bus.stats()['a']).toMatchObject({ retrying: 3, depth: 0 });
    expect(bus.offer(makeEnvelope('a', 'new'), { delayMs: 10 })).toBe(true);
    expect(evicted).toEqual([40]);
    expect(bus.offer(makeEnvelope('a', 'queued'))).toBe(true);
    expect(evicted).toEqual([40, 30]);
    expect(bus.offer(makeEnvelope('a', 'newest'))).toBe(true);
    expect(evicted).toEqual([40, 30, 'queued']);
    expect(clock.pending).toBe(1);
    expectBalanced(bus);
  });

  it('R1.4 leaves no timer when the last delayed envelope is evicted', () => {
    const { bus, clock, evicted } = heldStage(1);
    bus.hold();
    bus.offer(makeEnvelope('a', 'delayed'), { delayMs: 1_000 });
    expect(clock.pending).toBe(1);
    bus.offer(makeEnvelope('a', 'queued'));
    expect(evicted).toEqual(['delayed']);
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });

  it('R1.4 the evicted one is settled as dropped, the new one with its own end', async () => {
    const { bus } = heldStage(1);
    bus.subscribe('a', () => true);
    bus.hold();
    const ends: [string, Outcome][] = [];
    for (const name of ['old', 'new'])
      bus.offer(makeEnvelope('a'), { onSettled: (outcome) => ends.push([name, outcome]) });
    expect(ends).toEqual([['old', { status: 'dropped', stage: 'a', reason: 'drop-oldest' }]]);
    bus.release();
    await bus.idle();
    expect(ends[1]).toEqual(['new', { status: 'completed', stage: 'a' }]);
    expectBalanced(bus);
  });

  it('R1.4 a stage above its capacity is brought below it', async () => {
    const { bus, evicted } = heldStage(1);
    const gate = new Gate();
    bus.subscribe('a', async () => {
      await gate.opened;
      bus.hold();
      return false;
    });
    offerEach(bus, 'a', [1]);
    await turn();
    bus.offer(makeEnvelope('a', 2));
    gate.open();
    await turn();
    expect(bus.stats()['a']).toMatchObject({ depth: 2 });
    offerEach(bus, 'a', [3]);
    expect(evicted).toEqual([1, 2]);
    expect(bus.stats()['a']).toMatchObject({ depth: 1 });
    expectBalanced(bus);
  });
});
