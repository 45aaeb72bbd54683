import { type Outcome, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { Recorder, manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** `a` leads to `b`, which is full and held. */
function towardsFull(backpressure: 'block' | 'reject' | 'drop-newest' | 'drop-oldest' = 'block', hopTimeoutMs = 5_000) {
  const { bus, clock } = manualBus({ deadLetterChannel: 'dead' });
  const arrived = new Recorder();
  bus.channel('a', { hopTimeoutMs }).channel('b', { capacity: 1, backpressure });
  bus.subscribe('a', () => true).subscribe('b', arrived.consumer);
  bus.hold('b');
  offerEach(bus, 'b', ['first']);
  return { bus, clock, arrived };
}

const toB = (payload: unknown = 'hop') => makeEnvelope('a', payload, { slip: ['b'] });

describe('R5.1 on ack the envelope goes to the next stage of its slip', () => {
  it('R5.1 in the order of the slip, to its end', async () => {
    const { bus } = manualBus();
    let way = '';
    for (const name of ['a', 'b', 'c']) bus.subscribe(name, () => void (way += name));
    const envelope = makeEnvelope('a', 1, { slip: ['c', 'b', 'a', 'c'] });
    expect(await bus.publishAndWait(envelope)).toEqual({ status: 'completed', stage: 'c' });
    expect(way).toBe('acbac');
    expectBalanced(bus);
  });

  it('R5.1 before the permit of the stage it leaves is given back', async () => {
    const { bus } = towardsFull();
    offerEach(bus, 'a', ['behind']);
    await bus.idle('a');
    bus.offer(toB());
    offerEach(bus, 'a', ['behind']);
    await turn();
    expect(bus.stats()['a']).toMatchObject({ inFlight: 1, depth: 1 });
    bus.release('b');
    await bus.idle();
    expectBalanced(bus);
  });
});

describe('R5.2 a hop waits for room', () => {
  it.each(['block', 'reject', 'drop-newest'] as const)(
    'R5.2 at a full %s stage, and is not refused',
    async (policy) => {
      const { bus, arrived } = towardsFull(policy);
      const end = bus.publishAndWait(toB());
      await turn();
      expect(bus.stats()).toMatchObject({ a: { inFlight: 1 }, b: { depth: 1, waiting: 0, dropped: 0 } });
      bus.release('b');
      expect(await end).toEqual({ status: 'completed', stage: 'b' });
      expect(arrived.seen).toEqual(['first', 'hop']);
      expectBalanced(bus);
    },
  );

  it('R5.2 ahead of all publishers that wait, however long', async () => {
    const { bus, arrived } = towardsFull();
    const waiting = numbers(3).map((n) => bus.publish(makeEnvelope('b', n)));
    await turn();
    bus.offer(toB('hop 1'));
    bus.offer(toB('hop 2'));
    await turn();
    bus.release('b');
    await Promise.all(waiting);
    await bus.idle();
    expect(arrived.seen.slice(0, 2)).toEqual(['first', 'hop 1']);
    expect(arrived.seen.toSorted()).toEqual([...numbers(3), 'first', 'hop 1', 'hop 2']);
    expectBalanced(bus);
  });

  it('R5.2 and together with `attempt.publish` in one line, first come first served', async () => {
    const { bus, arrived } = towardsFull();
    bus
      .channel('c', { concurrency: 2 })
      .subscribe('c', (envelope, attempt) => attempt.publish(makeEnvelope('b', envelope.content())));
    offerEach(bus, 'c', ['published 1']);
    await turn();
    bus.offer(toB('hop'));
    await turn();
    offerEach(bus, 'c', ['published 2']);
    await turn();
    const outside = bus.publish(makeEnvelope('b', 'outside'));
    bus.release('b');
    await outside;
    await bus.idle();
    expect(arrived.seen).toEqual(['first', 'published 1', 'hop', 'published 2', 'outside']);
    expectBalanced(bus);
  });

  it('R5.2 in order, and not in the place of dead letters that may come back', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus
      .channel('dead', { capacity: 1, backpressure: 'block' })
      .channel('x', { capacity: 1 })
      .channel('a', { concurrency: 2 });
    bus.subscribe('x', () => false).subscribe('a', () => true);
    await bus.publishAndWait(makeEnvelope('x', 'letter'));
    bus.hold('x');
    offerEach(bus, 'x', ['full']);
    bus.offer(makeEnvelope('a', 'hop 1', { slip: ['dead'] }));
    await turn();
    const redriven = bus.deadLetters('x').redrive('all');
    bus.offer(makeEnvelope('a', 'hop 2', { slip: ['dead'] }));
    await turn();
    expect(bus.stats()).toMatchObject({ a: { inFlight: 2 }, dead: { inFlight: 1, depth: 0 } });
    const arrived = new Recorder();
    bus.subscribe('dead', arrived.consumer).subscribe('x', () => true);
    bus.release('x');
    expect(await redriven).toBe(1);
    await bus.idle('a');
    expect(arrived.seen.filter((payload) => String(payload).startsWith('hop'))).toEqual(['hop 1', 'hop 2']);
    await bus.idle();
    expectBalanced(bus);
  });

  it('R5.2 up to hopTimeoutMs; then it is dead-lettered where it was leaving, slip untouched', async () => {
    const { bus, clock } = towardsFull('block', 300);
    const envelope = toB();
    const end = bus.publishAndWait(envelope);
    await turn();
    await clock.advance(299);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 1, deadLettered: 0 });
    await clock.advance(1);
    expect(await end).toMatchObject({ stage: 'a', reason: 'hop-timeout', error: { code: 'SEDA_HOP_TIMEOUT' } });
    expect((await bus.deadLetters('a').list()).items).toMatchObject([
      { reason: 'hop-timeout', source: 'a', attempts: 1 },
    ]);
    expect(envelope.dynamicRoutingSlip.peekAtNextRoute()?.service).toBe('b');
    expect(envelope.getRoute()?.service).toBe('a');
    expect(bus.stats()['b']).toMatchObject({ offered: 1, depth: 1 });
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });

  it('R5.2 but not at a DropOldest stage, where the oldest makes room', async () => {
    const { bus, arrived } = towardsFull('drop-oldest');
    bus.offer(toB());
    await turn();
    expect(bus.stats()).toMatchObject({ a: { inFlight: 0, delivered: 1 }, b: { depth: 1, dropped: 1 } });
    bus.release('b');
    await bus.idle();
    expect(arrived.seen).toEqual(['hop']);
    expectBalanced(bus);
  });

  it('R5.2 and not where it leads back to the stage that it leaves: it is admitted at once, above its capacity', async () => {
    const { bus } = manualBus();
    const rounds: unknown[] = [];
    bus.channel('a', { capacity: 1, backpressure: 'drop-oldest' }).subscribe('a', async (envelope) => {
      rounds.push(envelope.content());
      if (rounds.length === 1) offerEach(bus, 'a', ['queued']);
      await Promise.resolve();
    });
    const end = bus.publishAndWait(makeEnvelope('a', 'self', { slip: ['a', 'a'] }));
    expect(await end).toEqual({ status: 'completed', stage: 'a' });
    expect(rounds).toEqual(['self', 'queued', 'self', 'self']);
    expect(bus.stats()['a']).toMatchObject({ offered: 4, delivered: 4, dropped: 0 });
    expectBalanced(bus);
  });

  it('R5.2 a stage that is paused accepts hops, and a bus that is (R5.3)', async () => {
    const { bus, arrived } = towardsFull();
    bus.release('b');
    await bus.idle();
    bus.hold('a');
    bus.offer(toB());
    bus.pause('b');
    bus.pause();
    bus.release('a');
    await bus.idle();
    expect(arrived.seen).toEqual(['first', 'hop']);
    expect(await bus.publish(makeEnvelope('b'))).toBe(false);
    expectBalanced(bus);
  });

  it('R5.3 a bus that drains accepts hops', async () => {
    const { bus, arrived } = towardsFull();
    bus.offer(toB());
    const drained = bus.shutdown();
    bus.release('b');
    expect(await drained).toBe(true);
    expect(arrived.seen).toEqual(['first', 'hop']);
    expectBalanced(bus);
  });
});

describe('R5.5 a slip that leads nowhere', () => {
  it.each<[string, (envelope: ReturnType<typeof toB>) => void, string]>([
    ['an unknown stage', (envelope) => envelope.addRoute('nowhere'), "The slip leads from 'a' to 'nowhere'."],
    ['an external route', (envelope) => envelope.addExternalRoute('b'), "The slip leads from 'a' to no stage."],
  ])('R5.5 to %s dead-letters with reason `unroutable`', async (_, push, message) => {
    const { bus } = manualBus({ unknownStage: 'throw', deadLetterChannel: 'dead' });
    bus.subscribe('b', () => true).subscribe('a', push as never);
    const outcome: Outcome = await bus.publishAndWait(toB());
    expect(outcome).toMatchObject({ stage: 'a', reason: 'unroutable', error: { code: 'SEDA_UNROUTABLE', message } });
    expect((await bus.deadLetters('a').list()).items).toMatchObject([{ reason: 'unroutable' }]);
    expect(bus.totals().unroutable).toBe(0);
    expectBalanced(bus);
  });
});

describe('R5 waiting hops and the end', () => {
  it('R5.2 R8.3 are abandoned by a shutdownNow, and counted at the stage they were leaving', async () => {
    const { bus, clock } = towardsFull();
    const end = bus.publishAndWait(toB());
    await turn();
    expect(bus.shutdownNow()).toBe(false);
    expect(await end).toEqual({ status: 'dropped', stage: 'a', reason: 'abandoned' });
    expect(bus.stats()).toMatchObject({
      a: { droppedBy: { abandoned: 1 } },
      b: { offered: 1, droppedBy: { abandoned: 1 } },
    });
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });

  it('R5.2 an attempt that timed out does not hop when its handler ends at last', async () => {
    const { bus, clock } = manualBus();
    const gate = new Gate();
    bus
      .channel('a', { timeoutMs: 10 })
      .subscribe('a', () => gate.opened)
      .subscribe('b', () => true);
    bus.offer(toB());
    await turn();
    await clock.advance(10);
    gate.open();
    await turn();
    expect(bus.stats()).toMatchObject({ a: { deadLettered: 1 }, b: { offered: 0 } });
    expectBalanced(bus);
  });
});
