import { type Attempt, type Outcome, type SedaBus, type SedaEventName, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** Work of every kind: queued, delayed, running, hopping, waiting, parked. */
async function busyBus() {
  const { bus, clock } = manualBus({ deadLetterChannel: 'dead' });
  const ends: Outcome[] = [];
  const onSettled = (end: Outcome): void => void ends.push(end);
  bus.channel('b', { capacity: 1 }).channel('a', { concurrency: 2, capacity: 4 });
  bus
    .subscribe('a', (envelope) => envelope.content() !== 0 || new Gate().opened)
    .subscribe('b', () => new Gate().opened);
  bus.subscribe('c', () => false);
  await bus.publish(makeEnvelope('c', 'parked'));
  await bus.idle();
  for (const n of numbers(8)) void bus.publish(makeEnvelope('a', n, { slip: ['b'] }), { onSettled });
  bus.offer(makeEnvelope('c'), { delayMs: 1_000, onSettled });
  await turn();
  return { bus, clock, ends, published: 9 };
}

describe('R8.6 a shutdownNow inside of what the bus calls', () => {
  const places: SedaEventName[] = ['dropped', 'deadLetter', 'retry', 'state', 'warning'];

  it.each(places)(
    'R8.6 in a listener of `%s`: every call has the same answer, the books balance, no timer is left',
    async (event) => {
      const { bus, clock, ends, published } = await busyBus();
      const answers: boolean[] = [];
      bus.on(event, () => void answers.push(bus.shutdownNow()));
      bus.channel('d', { maxAttempts: 2 }).subscribe('d', () => false);
      offerEach(bus, 'd', [1]);
      await turn();
      answers.push(bus.shutdownNow(), await bus.shutdown());
      expect(answers.length).toBeGreaterThan(2);
      expect(new Set(answers)).toEqual(new Set([false]));
      expect(ends).toHaveLength(published);
      expect(
        Object.values(bus.stats()).every(({ inFlight, waiting, retrying }) => inFlight + waiting + retrying === 0),
      ).toBe(true);
      expectBalanced(bus);
      expect(clock.pending).toBe(0);
    },
  );

  it('R8.6 in onSettled and in an abort listener', async () => {
    const { bus, clock } = manualBus();
    const answers: boolean[] = [];
    const end = (): void => void answers.push(bus.shutdownNow());
    bus.channel('a', { concurrency: 3 }).subscribe('a', (_, attempt) => {
      attempt.signal.addEventListener('abort', end);
      return new Gate().opened;
    });
    for (const n of numbers(5)) bus.offer(makeEnvelope('a', n), { onSettled: end });
    await turn();
    end();
    expect(answers).toEqual(numbers(9).map(() => false));
    expectBalanced(bus);
    expect(clock.pending).toBe(0);
  });

  it('R8.6 a true answer is true for those who ask from within, too', async () => {
    const { bus } = manualBus();
    const answers: boolean[] = [];
    bus.channel('a').on('state', () => void answers.push(bus.shutdownNow()));
    answers.push(bus.shutdownNow());
    expect(answers).toEqual([true, true]);
  });

  it('R8.6 a listener that shuts down when it hears of a shutdown joins it, whatever timeout it asks for', async () => {
    const { bus, clock } = manualBus();
    bus.subscribe('a', () => new Gate().opened);
    offerEach(bus, 'a', [1]);
    await turn();
    const inner: Promise<boolean>[] = [];
    bus.on('state', ({ to }) => to === 'draining' && inner.push(bus.shutdown({ timeoutMs: 60_000 })));
    const outer = bus.shutdown({ timeoutMs: 10 });
    await clock.advance(10);
    expect([await outer, await inner[0]]).toEqual([false, false]);
    expect(clock.pending).toBe(0);
  });
});

describe('R8.3 a shutdownNow inside a handler', () => {
  const ways: [string, (attempt: Attempt) => unknown][] = [
    ['acks', () => true],
    ['nacks', () => false],
    ['hangs', () => new Gate().opened],
    ['hangs with its signal in hand', (attempt) => (attempt.signal.throwIfAborted(), new Gate().opened)],
    ['asks for a retry', (attempt) => attempt.retryIn(10)],
    ['publishes', (attempt) => attempt.publish(makeEnvelope('b'))],
  ];

  it.each(ways)('R8.3 that then %s: nothing runs, waits or is timed afterwards', async (_, then) => {
    const { bus, clock } = manualBus();
    let attempt: Attempt | undefined;
    bus.channel('a', { timeoutMs: 1_000, maxAttempts: 3 }).subscribe('a', (__, given) => {
      attempt = given;
      bus.shutdownNow();
      return then(given);
    });
    bus.subscribe('b', () => true);
    const ends: Outcome[] = [];
    for (const n of numbers(3))
      bus.offer(makeEnvelope('a', n, { slip: ['b'] }), { onSettled: (end) => ends.push(end) });
    await turn();
    expect(ends.map((end) => 'reason' in end && end.reason)).toEqual(['abandoned', 'abandoned', 'abandoned']);
    expect(bus.stats()).toMatchObject({ a: { inFlight: 0, depth: 0 }, b: { depth: 0, inFlight: 0, enqueued: 0 } });
    expect(clock.pending).toBe(0);
    expect(attempt?.number).toBe(1);
    expectBalanced(bus);
  });

  it.each(['p2p', 'pubsub'] as const)(
    'R8.3 in %s delivery: the signal of an attempt that goes on is aborted',
    async (delivery) => {
      const { bus } = manualBus();
      const attempts: Attempt[] = [];
      bus.channel('a', { delivery }).subscribe('a', (_, attempt) => {
        attempts.push(attempt);
        bus.shutdownNow();
        return new Gate().opened;
      });
      offerEach(bus, 'a', [1]);
      await turn();
      expect(attempts[0]?.signal.reason).toMatchObject({ code: 'SEDA_ATTEMPT_INTERRUPTED' });
      expectBalanced(bus);
    },
  );
});

describe('R1.4 R2 a listener that acts while an envelope makes room', () => {
  const full = (act: (bus: SedaBus) => void) => {
    const { bus } = manualBus();
    bus.channel('a', { capacity: 1, backpressure: 'drop-oldest' }).subscribe('source', () => true);
    bus.hold('a');
    offerEach(bus, 'a', ['old']);
    let acted = false;
    bus.on('dropped', () => {
      if (!acted) act(bus);
      acted = true;
    });
    return bus;
  };

  it('R8.6 by shutting down: nothing comes into the closed bus', () => {
    const bus = full((each) => void each.shutdownNow());
    const ends: Outcome[] = [];
    expect(bus.offer(makeEnvelope('a', 'new'), { onSettled: (end) => ends.push(end) })).toBe(false);
    expect(ends).toEqual([{ status: 'dropped', stage: 'a', reason: 'closed' }]);
    expect(bus.stats()['a']).toMatchObject({ depth: 0, droppedBy: { 'drop-oldest': 1, closed: 1 } });
    expectBalanced(bus);
  });

  it('R8.6 by shutting down while a hop comes in: the hop is abandoned', async () => {
    const bus = full((each) => void each.shutdownNow());
    const end = bus.publishAndWait(makeEnvelope('source', 'hop', { slip: ['a'] }));
    expect(await end).toEqual({ status: 'dropped', stage: 'source', reason: 'abandoned' });
    expect(bus.stats()).toMatchObject({ a: { depth: 0, offered: 1 }, source: { inFlight: 0 } });
    expectBalanced(bus);
  });

  it('R1.4 by publishing: the stage is not above its capacity afterwards', () => {
    const bus = full((each) => void offerEach(each, 'a', ['of the listener']));
    expect(offerEach(bus, 'a', ['new'])).toEqual([true]);
    expect(bus.stats()['a']).toMatchObject({ depth: 1, offered: 3, droppedBy: { 'drop-oldest': 2 } });
    expectBalanced(bus);
  });
});

describe('R a handler that turns the bus upside down', () => {
  it('R4.1 unsubscribes itself: what is left is dead-lettered', async () => {
    const { bus } = manualBus();
    const consumer = (): void => void bus.unsubscribe('a', consumer);
    bus.subscribe('a', consumer);
    offerEach(bus, 'a', numbers(3));
    await bus.idle();
    expect(bus.stats()['a']).toMatchObject({ delivered: 1, deadLettered: 2 });
    expectBalanced(bus);
  });

  it('R7.4 redrives and purges from the handler of dead letters', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    let broken = true;
    bus.subscribe('a', () => !broken);
    bus.subscribe('dead', async (envelope, attempt) => {
      broken = false;
      if (envelope.content() === 0) await bus.deadLetters('dead').redrive('all');
      else await bus.deadLetters('dead').purge('all');
      return attempt.deadLetter('keep');
    });
    bus.hold('dead');
    for (const n of numbers(3)) await bus.publish(makeEnvelope('a', n));
    await bus.idle('a');
    bus.release('dead');
    await bus.idle();
    expect(bus.stats()).toMatchObject({ a: { delivered: 2 }, dead: { depth: 1, delivered: 2, inFlight: 0 } });
    expectBalanced(bus);
  });

  it('R5.6 publishes from its callbacks, again and again', async () => {
    const { bus } = manualBus({ concurrency: 1 });
    bus.channel('a', { capacity: 1, backpressure: 'reject' }).subscribe('a', () => true);
    let left = 1_000;
    const again = (): void => {
      if (left-- > 0) bus.offer(makeEnvelope('a'), { onSettled: again });
    };
    again();
    await bus.idle();
    expect(bus.stats()['a']).toMatchObject({ offered: 1_000, delivered: 1_000 });
    expectBalanced(bus);
  });
});
