import { type SedaBus, type StageOptions, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { manualBus, numbers } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** A stage whose handler never acks, and the envelopes it has failed on. */
async function failedOn(payloads: readonly unknown[], channel?: StageOptions) {
  const { bus, clock } = manualBus();
  if (channel !== undefined) bus.channel('dead', channel);
  bus.setDeadLetterChannel('a', 'dead').subscribe('a', () => false);
  for (const payload of payloads) await bus.publishAndWait(makeEnvelope('a', payload));
  return { bus, clock };
}

const parkedIn = async (bus: SedaBus, stage = 'dead'): Promise<unknown[]> =>
  (await bus.deadLetters(stage).list({ limit: 1_000 })).items.map(({ envelope }) => envelope.content());

describe('R7.1 where dead letters go', () => {
  it('R7.1 to the channel of their source, else to the common one', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'common' });
    bus
      .setDeadLetterChannel('a', 'own')
      .subscribe('a', () => false)
      .subscribe('b', () => false);
    for (const name of ['a', 'b']) await bus.publishAndWait(makeEnvelope(name, name));
    expect([await parkedIn(bus, 'own'), await parkedIn(bus, 'common')]).toEqual([['a'], ['b']]);
    expectBalanced(bus);
  });

  it('R7.1 the last call of setDeadLetterChannel counts, and the source may come later', async () => {
    const { bus } = manualBus();
    bus.setDeadLetterChannel('a', 'first').setDeadLetterChannel('a', 'second');
    bus.channel('a').subscribe('a', () => false);
    await bus.publishAndWait(makeEnvelope('a', 1));
    expect(bus.stats()).toMatchObject({ first: { depth: 0 }, second: { depth: 1 } });
  });

  it('R7.3 a channel that is created so holds 4096 and drops the oldest', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'common', defaults: { capacity: 5, backpressure: 'reject' } });
    bus.setDeadLetterChannel('a', 'own');
    expect(bus.stats()).toMatchObject({
      common: { capacity: 4_096, backpressure: 'drop-oldest' },
      own: { capacity: 4_096, backpressure: 'drop-oldest' },
    });
  });
});

describe('R7.3 channels are bounded, and dead-lettering never waits', () => {
  it.each([
    ['drop-oldest', [3, 4], 'drop-oldest'],
    ['reject', [0, 1], 'rejected'],
    ['drop-newest', [0, 1], 'drop-newest'],
    ['block', [0, 1], 'rejected'],
  ] as const)('R7.3 a full %s channel keeps %j, the others are counted as %s', async (backpressure, kept, reason) => {
    const { bus, clock } = await failedOn(numbers(5), { capacity: 2, backpressure });
    expect(await parkedIn(bus)).toEqual(kept);
    expect(bus.stats()).toMatchObject({
      a: { deadLettered: 5, inFlight: 0 },
      dead: { offered: 5, depth: 2, waiting: 0, droppedBy: { [reason]: 3 } },
    });
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });

  it('R7.3 the event names the channel, or none where it was refused', async () => {
    const { bus } = await failedOn([], { capacity: 1, backpressure: 'reject' });
    const channels: unknown[] = [];
    bus.on('deadLetter', ({ channel }) => channels.push(channel));
    for (const n of numbers(2)) await bus.publishAndWait(makeEnvelope('a', n));
    expect(channels).toEqual(['dead', undefined]);
  });

  it('R7.3 a paused channel, and one of a paused bus, still takes dead letters', async () => {
    const { bus } = await failedOn([]);
    bus.pause('dead');
    bus.offer(makeEnvelope('a', 1));
    bus.pause();
    await bus.idle();
    expect(await parkedIn(bus)).toEqual([1]);
    expect(bus.offer(makeEnvelope('dead'))).toBe(false);
  });

  it('R7.3 a stage that only parks never dead-letters for want of a consumer, not even fresh envelopes', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'common' });
    bus.setDeadLetterChannel('a', 'dead').setDeadLetterChannel('dead', 'other');
    bus.offer(makeEnvelope('dead', 'fresh'));
    await turn();
    await bus.idle();
    expect(bus.stats()).toMatchObject({
      dead: { depth: 1, deadLettered: 0 },
      other: { depth: 0 },
      common: { depth: 0 },
    });
  });
});

describe('R7.5 a failing dead-letter handler cannot loop', () => {
  it('R7.5 after its last attempt the letter stays parked and is not tried again', async () => {
    const { bus, clock } = await failedOn([1]);
    let calls = 0;
    bus.setDeadLetterChannel('dead', 'deader').subscribe('dead', () => {
      calls++;
      throw new Error('again');
    });
    await bus.idle();
    await clock.advance(1_000_000);
    expect(calls).toBe(1);
    expect(bus.stats()).toMatchObject({ dead: { depth: 1, nacked: 1, deadLettered: 0 }, deader: { offered: 0 } });
    expect(await parkedIn(bus)).toEqual([1]);
    expectBalanced(bus);
  });

  it('R7.5 its own attempts and backoff are kept', async () => {
    const backoff = { type: 'fixed', delayMs: 10 } as const;
    const { bus, clock } = await failedOn([1], { maxAttempts: 3, backoff });
    const attempts: number[] = [];
    bus.subscribe('dead', (_, attempt) => attempts.push(attempt.number) < 0 || false);
    await turn();
    await clock.advance(10);
    await clock.advance(10);
    await clock.advance(10);
    expect(attempts).toEqual([1, 2, 3]);
    expect(bus.stats()['dead']).toMatchObject({ depth: 1, retrying: 0 });
    expectBalanced(bus);
  });

  it('R7.5 R7.6 a handler that dead-letters the letter keeps it parked, headers as they were', async () => {
    const { bus } = await failedOn([1]);
    const before = (await bus.deadLetters('dead').list()).items;
    bus.subscribe('dead', (_, attempt) => attempt.deadLetter('keep'));
    await bus.idle();
    expect((await bus.deadLetters('dead').list()).items).toEqual(before);
    expect(before[0]).toMatchObject({ reason: 'max-attempts', source: 'a' });
    expect(bus.stats()['dead']).toMatchObject({ depth: 1, nacked: 0, deadLettered: 0 });
    expectBalanced(bus);
  });

  it('R7.5 two channels that name one another do not pass a letter to and fro', async () => {
    const { bus } = manualBus();
    const calls = { a: 0, b: 0 };
    bus.setDeadLetterChannel('a', 'b').setDeadLetterChannel('b', 'a');
    bus.subscribe('a', () => ++calls.a < 0).subscribe('b', () => ++calls.b < 0);
    await bus.publish(makeEnvelope('a', 1));
    await bus.idle();
    expect(calls).toEqual({ a: 1, b: 1 });
    expect(bus.stats()).toMatchObject({ a: { deadLettered: 1, depth: 0 }, b: { depth: 1, deadLettered: 0 } });
    expectBalanced(bus);
  });
});

describe('R7.6 R7.7 a dead letter that is handled', () => {
  it('R7.7 is done with the ack: no hop, though its slip goes on', async () => {
    const { bus } = manualBus();
    bus
      .setDeadLetterChannel('a', 'dead')
      .subscribe('a', () => false)
      .subscribe('b', () => true);
    const slips: number[] = [];
    bus.subscribe('dead', (envelope) => void slips.push(envelope.remainingRoutes()));
    await bus.publish(makeEnvelope('a', 1, { slip: ['b'] }));
    await bus.idle();
    expect(slips).toEqual([1]);
    expect(bus.stats()).toMatchObject({ b: { offered: 0 }, dead: { delivered: 1, depth: 0 } });
    expect(await parkedIn(bus)).toEqual([]);
    expectBalanced(bus);
  });

  it('R7.7 leaves route and slip untouched', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.subscribe('a', (envelope) => {
      envelope.addRoute('elsewhere');
      return false;
    });
    const envelope = makeEnvelope('a', 1, { slip: ['b', 'c'] });
    envelope.getRoute();
    const before = JSON.stringify([envelope.route, envelope.dynamicRoutingSlip]);
    await bus.publishAndWait(envelope);
    expect(JSON.stringify([envelope.route, envelope.dynamicRoutingSlip])).toBe(before);
  });

  it('R7 a fresh envelope that is published to a channel with a handler travels on like any other', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.subscribe('dead', () => true).subscribe('b', () => true);
    const outcome = await bus.publishAndWait(makeEnvelope('dead', 1, { slip: ['b'] }));
    expect(outcome).toEqual({ status: 'completed', stage: 'b' });
    expectBalanced(bus);
  });
});
