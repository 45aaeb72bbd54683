import { type PublishOptions, type SedaBus, type SedaEventName, makeEnvelope } from '#engine';
import { balance, expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

const EVENTS: readonly SedaEventName[] = [
  'dropped',
  'deadLetter',
  'retry',
  'unroutable',
  'state',
  'stageState',
  'warning',
];

/** Looks at the books wherever the bus calls the user: every event and callback is an instant a caller can observe. */
class Auditor {
  looks = 0;
  readonly errors: unknown[] = [];
  readonly options: PublishOptions = {
    onSettled: () => this.look('onSettled'),
    onComplete: () => this.look('onComplete'),
  };

  constructor(private readonly bus: SedaBus) {
    for (const event of EVENTS) bus.on(event, () => this.look(event));
  }

  look(where: string): void {
    this.looks++;
    for (const [stage, stats] of Object.entries(this.bus.stats())) {
      const { offered, accounted, dropped, reasons } = balance(stats);
      if (offered !== accounted || dropped !== reasons) this.errors.push({ where, stage, offered, accounted });
    }
  }
}

describe('R2 the books balance wherever a caller can look', () => {
  it('R2 in the callbacks and listeners of deliveries, retries, dead letters and refusals', async () => {
    const { bus, clock } = manualBus({ deadLetterChannel: 'dead' });
    const auditor = new Auditor(bus);
    const backoff = { type: 'fixed', delayMs: 5 } as const;
    bus.channel('a', { maxAttempts: 2, backoff, capacity: 8, backpressure: 'reject' });
    bus.subscribe('a', (envelope, attempt) => {
      auditor.look('consumer');
      attempt.signal.addEventListener('abort', () => auditor.look('abort'));
      return (envelope.content() as number) % 3 > 0 || attempt.retryIn(5);
    });
    bus.subscribe('b', () => auditor.look('consumer of b'));
    for (const n of numbers(12)) void bus.publish(makeEnvelope('a', n, { slip: ['b'] }), auditor.options);
    await turn();
    await clock.advance(20);
    await bus.idle();
    expect(auditor.errors).toEqual([]);
    expect(auditor.looks).toBeGreaterThan(40);
    expect(bus.stats()).toMatchObject({ a: { offered: 12, dropped: 4, deadLettered: 3 }, b: { delivered: 5 } });
  });

  it.each(['drop-oldest', 'block'] as const)(
    'R2 in those of a %s stage whose queue is purged',
    async (backpressure) => {
      const { bus } = manualBus({ deadLetterChannel: 'dead' });
      bus.channel('dead', { capacity: 4, backpressure }).subscribe('a', () => false);
      const auditor = new Auditor(bus);
      for (const n of numbers(6)) await bus.publishAndWait(makeEnvelope('a', n), auditor.options);
      expect(await bus.deadLetters('dead').purge('all')).toBe(4);
      expect(auditor.errors).toEqual([]);
      expectBalanced(bus);
    },
  );

  it('R2 in those of a shutdown that abandons queued, delayed, running, hopping and waiting envelopes', async () => {
    const { bus, clock } = manualBus();
    const auditor = new Auditor(bus);
    bus.channel('a', { concurrency: 3, capacity: 4 }).channel('b', { capacity: 1 });
    bus.subscribe('a', (envelope, attempt) => {
      attempt.signal.addEventListener('abort', () => auditor.look('abort'));
      return envelope.content() === 0 ? new Gate().opened : attempt.publish(makeEnvelope('b'), auditor.options);
    });
    bus.subscribe('b', (_, attempt) => {
      attempt.signal.addEventListener('abort', () => auditor.look('abort'));
      return new Gate().opened;
    });
    for (const n of numbers(12))
      void bus.publish(makeEnvelope('a', n, { slip: ['b'] }), { ...auditor.options, timeoutMs: 5 });
    bus.offer(makeEnvelope('b'), { delayMs: 1_000, ...auditor.options });
    await turn();
    const drained = bus.shutdown({ timeoutMs: 100 });
    await clock.advance(100);
    expect(await drained).toBe(false);
    expect(auditor.errors).toEqual([]);
    expect(auditor.looks).toBeGreaterThan(12);
    expectBalanced(bus);
  });

  it('R2 in those of evictions by publishers and by hops', async () => {
    const { bus } = manualBus();
    const auditor = new Auditor(bus);
    bus.channel('b', { capacity: 2, backpressure: 'drop-oldest' }).subscribe('a', () => true);
    bus.hold('b');
    for (const n of numbers(5)) bus.offer(makeEnvelope('b', n), auditor.options);
    for (const n of numbers(5)) bus.offer(makeEnvelope('a', n, { slip: ['b'] }), auditor.options);
    await turn();
    expect(auditor.errors).toEqual([]);
    expect(bus.stats()['b']).toMatchObject({ offered: 10, depth: 2, droppedBy: { 'drop-oldest': 8 } });
    expectBalanced(bus);
  });

  it('R2 while dead letters are on their way back to a full source', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.channel('a', { capacity: 1 }).subscribe('a', () => false);
    for (const n of numbers(3)) await bus.publishAndWait(makeEnvelope('a', n));
    bus.hold('a');
    const auditor = new Auditor(bus);
    const redriven = bus.deadLetters('a').redrive('all');
    await turn();
    expect(bus.stats()).toMatchObject({ a: { depth: 1, waiting: 1 }, dead: { inFlight: 2, depth: 0, delivered: 1 } });
    expectBalanced(bus);
    bus.release('a');
    expect(await redriven).toBe(3);
    await bus.idle();
    expect(auditor.errors).toEqual([]);
    expectBalanced(bus);
  });
});

describe('R2 reasons and counters', () => {
  it('R2 every discard has one of its reasons, and the listeners of `dropped` hear each', async () => {
    const { bus, clock } = manualBus();
    const told: string[] = [];
    bus.on('dropped', ({ reason }) => told.push(reason));
    bus.channel('a', { capacity: 1 }).subscribe('a', () => true);
    bus.hold();
    offerEach(bus, 'a', [1, 2]);
    void bus.publish(makeEnvelope('a'), { timeoutMs: 1 });
    void bus.publish(makeEnvelope('a'), { signal: AbortSignal.abort() });
    await clock.advance(1);
    bus.pause('a');
    offerEach(bus, 'a', [3]);
    bus.shutdownNow();
    offerEach(bus, 'a', [4]);
    expect(told).toEqual(['rejected', 'aborted', 'timeout', 'paused', 'abandoned', 'closed']);
    expect(bus.stats()['a']?.dropped).toBe(6);
    expectBalanced(bus);
  });

  it('R2 a pub/sub envelope is one unit, whatever the number of consumers and attempts', async () => {
    const { bus } = manualBus();
    bus.channel('a', { delivery: 'pubsub', maxAttempts: 3, concurrency: 2 });
    for (const _ of numbers(3)) bus.subscribe('a', (__, attempt) => attempt.number === 3);
    await bus.publishAndWait(makeEnvelope('a'));
    expect(bus.stats()['a']).toMatchObject({ offered: 1, enqueued: 1, delivered: 1, nacked: 2, inFlight: 0 });
    expectBalanced(bus);
  });

  it('R2 a hop that waits is in flight at the stage it leaves, and unknown to the next', async () => {
    const { bus } = manualBus();
    bus.channel('b', { capacity: 1 }).subscribe('a', () => true);
    bus.hold('b');
    offerEach(bus, 'b', [1]);
    bus.offer(makeEnvelope('a', 2, { slip: ['b'] }));
    await turn();
    expect(bus.stats()).toMatchObject({ a: { inFlight: 1, delivered: 0 }, b: { offered: 1, waiting: 0, depth: 1 } });
    expectBalanced(bus);
  });
});
