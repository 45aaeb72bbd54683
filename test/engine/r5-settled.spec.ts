import { type Outcome, type PublishOptions, type SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { manualBus } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';
import { thenable } from '../support/thenable.js';

type Scene = (bus: SedaBus, options: PublishOptions, advance: (ms: number) => Promise<void>) => unknown;

const send = (bus: SedaBus, options: PublishOptions, slip: string[] = []): unknown =>
  bus.publish(makeEnvelope('a', 1, { slip }), options).catch(() => undefined);

/** Every end that an envelope can come to. */
const ENDS: Record<string, [Scene, object]> = {
  'the end of a stage': [
    (bus, options) =>
      send(
        bus.subscribe('a', () => true),
        options,
      ),
    { status: 'completed', stage: 'a' },
  ],
  'the end of an itinerary': [
    (bus, options) =>
      send(
        bus.subscribe('a', () => true).subscribe('b', () => true),
        options,
        ['b', 'a', 'b'],
      ),
    { status: 'completed', stage: 'b' },
  ],
  'the last attempt': [
    (bus, options) =>
      send(
        bus.channel('a', { maxAttempts: 3 }).subscribe('a', () => false),
        options,
      ),
    { status: 'dead-lettered', stage: 'a', reason: 'max-attempts' },
  ],
  'a dead letter of the handler': [
    (bus, options) =>
      send(
        bus.subscribe('a', (_, attempt) => attempt.deadLetter('mine')),
        options,
      ),
    { status: 'dead-lettered', stage: 'a', reason: 'mine' },
  ],
  'no consumer': [
    (bus, options) => send(bus.channel('a'), options),
    { status: 'dead-lettered', reason: 'no-consumer' },
  ],
  'a slip to nowhere': [
    (bus, options) =>
      send(
        bus.subscribe('a', () => true),
        options,
        ['nowhere'],
      ),
    { status: 'dead-lettered', stage: 'a', reason: 'unroutable' },
  ],
  'a hop without room': [
    async (bus, options, advance) => {
      bus.channel('b', { capacity: 1 }).subscribe('a', () => true);
      bus.hold('b');
      bus.offer(makeEnvelope('b'));
      send(bus, options, ['b']);
      await turn();
      await advance(5_000);
    },
    { status: 'dead-lettered', stage: 'a', reason: 'hop-timeout' },
  ],
  'an unknown stage': [(bus, options) => send(bus, options), { status: 'dropped', stage: 'a', reason: 'unroutable' }],
  'a full stage': [
    (bus, options) => {
      bus.channel('a', { capacity: 1, backpressure: 'reject' });
      bus.hold('a');
      bus.offer(makeEnvelope('a'));
      send(bus, options);
    },
    { status: 'dropped', stage: 'a', reason: 'rejected' },
  ],
  'a wait that is over': [
    async (bus, options, advance) => {
      bus.channel('a', { capacity: 1 });
      bus.hold('a');
      bus.offer(makeEnvelope('a'));
      send(bus, { ...options, timeoutMs: 10 });
      await advance(10);
    },
    { status: 'dropped', stage: 'a', reason: 'timeout' },
  ],
  'a pause': [
    (bus, options) => {
      bus.channel('a');
      bus.pause('a');
      send(bus, options);
    },
    { status: 'dropped', stage: 'a', reason: 'paused' },
  ],
  'an end before it': [
    (bus, options) => {
      bus.channel('a').shutdownNow();
      send(bus, options);
    },
    { status: 'dropped', stage: 'a', reason: 'closed' },
  ],
  'an end while it runs': [
    async (bus, options) => {
      send(
        bus.subscribe('a', () => new Gate().opened),
        options,
      );
      await turn();
      bus.shutdownNow();
    },
    { status: 'dropped', stage: 'a', reason: 'abandoned' },
  ],
  'an end while it is queued': [
    (bus, options) => {
      bus.channel('a');
      bus.hold('a');
      send(bus, options);
      bus.shutdownNow();
    },
    { status: 'dropped', stage: 'a', reason: 'abandoned' },
  ],
  'an end while it waits': [
    (bus, options) => {
      bus.channel('a', { capacity: 1 });
      bus.hold('a');
      bus.offer(makeEnvelope('a'));
      send(bus, options);
      bus.shutdownNow();
    },
    { status: 'dropped', stage: 'a', reason: 'closed' },
  ],
};

describe('R5.6 onSettled', () => {
  it.each(Object.entries(ENDS))('R5.6 fires exactly once at %s', async (_, [scene, end]) => {
    const { bus, clock } = manualBus({ deadLetterChannel: 'dead' });
    const outcomes: Outcome[] = [];
    let completed = 0;
    const options = { onSettled: (outcome: Outcome) => outcomes.push(outcome), onComplete: () => void completed++ };
    await scene(bus, options, (ms) => clock.advance(ms));
    await turn();
    expect(outcomes).toEqual([expect.objectContaining(end)]);
    expect(completed).toBe('status' in end && end.status === 'completed' ? 1 : 0);
    expectBalanced(bus);
    bus.shutdownNow();
    await turn();
    expect(outcomes).toHaveLength(1);
  });

  it('R5.6 R7.7 neither fires again for a dead letter that is handled, purged, or redriven to its end', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    const fired: string[] = [];
    let broken = true;
    bus.subscribe('a', () => !broken);
    const options = { onSettled: () => fired.push('settled'), onComplete: () => fired.push('completed') };
    for (const _ of [1, 2, 3]) await bus.publish(makeEnvelope('a'), options);
    await bus.idle();
    const letters = bus.deadLetters('a');
    const ids = (await letters.list()).items.map(({ id }) => id);
    broken = false;
    await letters.purge([ids[0] as string]);
    await letters.redrive([ids[1] as string]);
    bus.subscribe('dead', () => true);
    await bus.idle();
    expect(bus.stats()).toMatchObject({ a: { delivered: 1 }, dead: { delivered: 2, depth: 0 } });
    expect(fired).toEqual(['settled', 'settled', 'settled']);
    expectBalanced(bus);
  });

  it('R5.6 is given the envelope itself', async () => {
    const { bus } = manualBus();
    bus.subscribe('a', () => true);
    const envelope = makeEnvelope('a');
    const given: unknown[] = [];
    const options: PublishOptions = { onComplete: (one) => given.push(one), onSettled: (_, one) => given.push(one) };
    expect(await bus.publishAndWait(envelope, options)).toEqual({ status: 'completed', stage: 'a' });
    expect(given).toHaveLength(2);
    expect(given.every((one) => one === envelope)).toBe(true);
  });

  it('R5.6 publishAndWait resolves with a refusal, too', async () => {
    const { bus } = manualBus();
    bus.channel('a');
    bus.pause('a');
    const refused = { status: 'dropped', stage: 'a', reason: 'paused' };
    expect(await bus.publishAndWait(makeEnvelope('a'))).toEqual(refused);
  });
});

describe('Q10 R5.6 callbacks that fail', () => {
  it.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('of the user');
      },
    ],
    ['reject', () => Promise.reject(new Error('of the user'))],
    [
      'answer with a thenable that throws',
      () =>
        thenable(() => {
          throw new Error('of the user');
        }),
    ],
  ])('Q10 callbacks that %s change no outcome and are counted', async (_, fail) => {
    const { bus } = manualBus({ concurrency: 1 });
    const told: unknown[] = [];
    bus.on('error', ({ where, error }) => told.push([where, error.message]));
    bus.subscribe('a', () => true).subscribe('b', () => false);
    await bus.publish(makeEnvelope('a'), { onComplete: fail, onSettled: fail });
    await bus.publish(makeEnvelope('b'), { onSettled: fail });
    await bus.publish(makeEnvelope('nowhere'), { onSettled: fail });
    expect(await bus.publishAndWait(makeEnvelope('a'), { onSettled: fail })).toEqual({
      status: 'completed',
      stage: 'a',
    });
    await turn();
    expect(bus.totals()).toEqual({ callbackErrors: 5, unroutable: 1, early: 0, abandoned: 0, damaged: 0 });
    expect(told).toEqual([1, 2, 3, 4, 5].map(() => ['callback of a publish', 'of the user']));
    expect(bus.stats()).toMatchObject({ a: { delivered: 2 }, b: { deadLettered: 1 } });
    expectBalanced(bus);
  });
});
