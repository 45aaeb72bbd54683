import { Backpressure, Delivery, Envelope, SedaBus, envelopePayload, makeEnvelope, targetService } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { numbers } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

describe('Compatibility with the TypeScript port', () => {
  it('a pipeline of three stages takes its envelope along the slip and calls onComplete, once', async () => {
    const bus = new SedaBus({ concurrency: 8 });
    bus.channel('ingest', { capacity: 1_000 });
    bus.channel('transform', { capacity: 1_000, concurrency: 4 });
    bus.channel('sink', { capacity: 1_000 });
    const sunk: unknown[] = [];
    const done: string[] = [];
    bus.subscribe('ingest', (e) => {
      e.headers['receivedAt'] = 'now';
    });
    bus.subscribe('transform', (e) => {
      e.addContent((e.content() as string).toUpperCase());
    });
    bus.subscribe('sink', (e) => {
      sunk.push([e.content(), e.headers['receivedAt']]);
    });
    const envelope = makeEnvelope('ingest', 'hello', { slip: ['transform', 'sink'] });
    expect(await bus.publish(envelope, { onComplete: (e) => done.push(e.id) })).toBe(true);
    expect(await bus.shutdown()).toBe(true);
    expect([sunk, done]).toEqual([[['HELLO', 'now']], [envelope.id]]);
    expectBalanced(bus);
  });

  it('channel, subscribe and setDeadLetterChannel chain, and constructing the bus starts it', async () => {
    const bus = new SedaBus();
    const consumer = (): boolean => true;
    expect(bus.channel('a').subscribe('a', consumer).setDeadLetterChannel('a', 'dead').channel('b')).toBe(bus);
    expect(bus.state).toBe('open');
    expect(await bus.publishAndWait(makeEnvelope('a'))).toMatchObject({ status: 'completed' });
    await bus.shutdown();
  });

  it('publish resolves `false` on a paused bus, on a closed one, and for an unknown channel', async () => {
    const bus = new SedaBus().channel('a').subscribe('a', () => true);
    bus.pause();
    expect(await bus.publish(makeEnvelope('a'))).toBe(false);
    bus.resume();
    expect(await bus.publish(makeEnvelope('a'))).toBe(true);
    expect(await bus.publish(makeEnvelope('nope'))).toBe(false);
    expect(await bus.shutdown({ timeoutMs: 1_000 })).toBe(true);
    expect(await bus.publish(makeEnvelope('a'))).toBe(false);
  });

  it('with concurrency 3 the most at once is three, and it is reached', async () => {
    const bus = new SedaBus().channel('limited', { capacity: 100, concurrency: 3 });
    let active = 0;
    let peak = 0;
    bus.subscribe('limited', async () => {
      peak = Math.max(peak, ++active);
      await turn();
      active--;
    });
    for (const n of numbers(30)) await bus.publish(makeEnvelope('limited', n));
    expect(await bus.shutdown()).toBe(true);
    expect(peak).toBe(3);
  });

  it('stats() has the port’s counters for every channel, and those of the books beside them', async () => {
    const bus = new SedaBus().channel('a', { maxAttempts: 2 }).setDeadLetterChannel('a', 'dead');
    bus.subscribe('a', () => false);
    await bus.publishAndWait(makeEnvelope('a'));
    const port = { depth: 0, inFlight: 0, enqueued: 1, delivered: 0, nacked: 2, dropped: 0, deadLettered: 1 };
    const books = {
      offered: 1,
      waiting: 0,
      retrying: 0,
      droppedBy: expect.any(Object),
      capacity: 1_024,
      concurrency: 1,
    };
    expect(bus.stats()).toMatchObject({ a: { ...port, ...books }, dead: { depth: 1, enqueued: 1 } });
    await bus.shutdown();
  });

  it('an exhausted envelope reaches the consumer of a channel that was declared first', async () => {
    const bus = new SedaBus().channel('flaky', { capacity: 10, maxAttempts: 3 }).channel('dead', { capacity: 10 });
    const dead: unknown[] = [];
    let tries = 0;
    bus.setDeadLetterChannel('flaky', 'dead').subscribe('dead', (e) => void dead.push(e.content()));
    bus.subscribe('flaky', () => ++tries < 0);
    await bus.publish(makeEnvelope('flaky', 'boom'));
    expect(await bus.shutdown()).toBe(true);
    expect([tries, dead]).toEqual([3, ['boom']]);
    expect(bus.stats()['dead']).toMatchObject({ capacity: 10, backpressure: 'block' });
  });

  it('a Block publish waits for room within its timeoutMs', async () => {
    const bus = new SedaBus().channel('bp', { capacity: 1, concurrency: 1, backpressure: Backpressure.Block });
    const gate = new Gate();
    bus.subscribe('bp', () => gate.opened);
    await bus.publish(makeEnvelope('bp', 0));
    await bus.publish(makeEnvelope('bp', 1));
    const blocked = bus.publish(makeEnvelope('bp', 2), { timeoutMs: 60_000 });
    gate.open();
    expect(await blocked).toBe(true);
    expect(await bus.shutdown()).toBe(true);
    expect(bus.stats()['bp']?.delivered).toBe(3);
  });

  it('pub/sub reaches every consumer', async () => {
    const bus = new SedaBus().channel('events', { delivery: Delivery.PubSub });
    const seen: unknown[][] = [[], []];
    for (const list of seen) bus.subscribe('events', (e) => void list.push(e.content()));
    for (const n of numbers(5)) await bus.publish(makeEnvelope('events', n));
    await bus.shutdown();
    expect(seen).toEqual([numbers(5), numbers(5)]);
  });

  it('the values of its enumerations and the shape of its envelopes hold', () => {
    expect(Object.values(Backpressure)).toEqual(['block', 'reject', 'drop-newest', 'drop-oldest']);
    expect(Object.values(Delivery)).toEqual(['p2p', 'pubsub']);
    const envelope = makeEnvelope('a', { n: 1 }, { slip: ['b'], sender: 'me', headers: { h: 1 } });
    expect(envelope).toBeInstanceOf(Envelope);
    expect([targetService(envelope), envelopePayload(envelope)]).toEqual(['a', { n: 1 }]);
    expect([envelope.client, envelope.headers, envelope.remainingRoutes()]).toEqual(['me', { h: 1 }, 1]);
  });
});

describe('Envelopes of another class', () => {
  it('R are carried by their shape: an envelope of a second copy of ra-common, and a proxy of one', async () => {
    const bus = new SedaBus().subscribe('a', () => true).subscribe('b', () => true);
    const copy = Object.defineProperties(
      {},
      {
        ...Object.getOwnPropertyDescriptors(Envelope.prototype),
        ...Object.getOwnPropertyDescriptors(Object.getPrototypeOf(Envelope.prototype)),
        ...Object.getOwnPropertyDescriptors(makeEnvelope('a', 1, { slip: ['b'] })),
      },
    ) as Envelope;
    const proxy = new Proxy(makeEnvelope('a', 2, { slip: ['b'] }), {});
    expect(copy).not.toBeInstanceOf(Envelope);
    for (const envelope of [copy, proxy]) {
      expect(await bus.publishAndWait(envelope)).toEqual({ status: 'completed', stage: 'b' });
    }
    await bus.shutdown();
    expectBalanced(bus);
  });
});
