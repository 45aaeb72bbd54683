import { DEAD_LETTER_HEADERS, type Outcome, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Recorder, manualBus } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

describe('C2 retry and dead letter', () => {
  it('C2 an envelope that is nacked until its last allowed attempt and then acked is delivered once', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    const attempts: [number, number, boolean][] = [];
    bus.channel('a', { maxAttempts: 4 }).subscribe('a', (_, attempt) => {
      attempts.push([attempt.number, attempt.max, attempt.redelivered]);
      return attempt.number === 4;
    });
    expect(await bus.publishAndWait(makeEnvelope('a'))).toEqual({ status: 'completed', stage: 'a' });
    expect(attempts).toEqual([
      [1, 4, false],
      [2, 4, true],
      [3, 4, true],
      [4, 4, true],
    ]);
    expect(bus.stats()).toMatchObject({ a: { delivered: 1, nacked: 3, deadLettered: 0 }, dead: { offered: 0 } });
    expectBalanced(bus);
  });

  it('C2 no attempt state is left for a second publish of the same envelope', async () => {
    const { bus } = manualBus();
    const attempts: number[] = [];
    bus.channel('a', { maxAttempts: 2 }).subscribe('a', (_, attempt) => {
      attempts.push(attempt.number);
      return attempt.redelivered;
    });
    const envelope = makeEnvelope('a');
    await bus.publishAndWait(envelope);
    await bus.publishAndWait(envelope);
    expect(attempts).toEqual([1, 2, 1, 2]);
    expectBalanced(bus);
  });

  it('C2 R7.1 R7.2 after exactly maxAttempts it is dead-lettered, in its channel, with its headers', async () => {
    const { bus, clock } = manualBus();
    let calls = 0;
    bus.channel('a', { maxAttempts: 3 }).setDeadLetterChannel('a', 'a.dead');
    bus.subscribe('a', () => {
      calls++;
      throw new RangeError(`no ${calls}`);
    });
    const outcome = (await bus.publishAndWait(makeEnvelope('a', 'x'))) as Extract<Outcome, { status: 'dead-lettered' }>;
    expect(outcome).toMatchObject({ status: 'dead-lettered', stage: 'a', reason: 'max-attempts' });
    expect(outcome.error).toMatchObject({ name: 'RangeError', message: 'no 3' });
    const [letter] = (await bus.deadLetters('a').list()).items;
    expect(letter?.envelope.headers).toEqual({
      [DEAD_LETTER_HEADERS.reason]: 'max-attempts',
      [DEAD_LETTER_HEADERS.source]: 'a',
      [DEAD_LETTER_HEADERS.attempts]: '3',
      [DEAD_LETTER_HEADERS.error]: 'RangeError: no 3',
      [DEAD_LETTER_HEADERS.at]: new Date(clock.now()).toISOString(),
    });
    expectBalanced(bus);
  });

  it('C2 a dead letter is never delivered again', async () => {
    const { bus, clock } = manualBus({ deadLetterChannel: 'dead' });
    let calls = 0;
    bus.channel('a', { maxAttempts: 3 }).subscribe('a', () => ++calls < 0);
    await bus.publish(makeEnvelope('a'));
    await bus.idle();
    await clock.advance(1_000_000);
    expect(calls).toBe(3);
    expect(bus.stats()).toMatchObject({ a: { deadLettered: 1, nacked: 3, delivered: 0 }, dead: { depth: 1 } });
    expectBalanced(bus);
  });

  it('C2 an envelope for a stage without a consumer is dead-lettered, not discarded, after no attempt', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.channel('a');
    expect(await bus.publish(makeEnvelope('a', 'x'))).toBe(true);
    await bus.idle();
    const [letter] = (await bus.deadLetters('a').list()).items;
    expect(letter).toMatchObject({ reason: 'no-consumer', source: 'a', attempts: 0, channel: 'dead' });
    expect(letter?.envelope.content()).toBe('x');
    expect(bus.stats()['a']).toMatchObject({ deadLettered: 1, inFlight: 0 });
    expectBalanced(bus);
  });

  it('C2 without a dead-letter channel the attempts end all the same, counted and told', async () => {
    const { bus } = manualBus();
    const told: unknown[] = [];
    bus.on('deadLetter', ({ stage, channel, reason, attempts }) => told.push({ stage, channel, reason, attempts }));
    bus.subscribe('a', () => false);
    await bus.publishAndWait(makeEnvelope('a'));
    expect(told).toEqual([{ stage: 'a', channel: undefined, reason: 'max-attempts', attempts: 1 }]);
    expect(bus.stats()['a']).toMatchObject({ deadLettered: 1, depth: 0 });
    expectBalanced(bus);
  });

  it('C2 R6.3 attempt.deadLetter ends the attempts at once, with its own reason', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.channel('a', { maxAttempts: 9 }).subscribe('a', (_, attempt) => attempt.deadLetter('spoiled'));
    expect(await bus.publishAndWait(makeEnvelope('a'))).toMatchObject({ status: 'dead-lettered', reason: 'spoiled' });
    const [letter] = (await bus.deadLetters('a').list()).items;
    expect(letter).toMatchObject({ reason: 'spoiled', attempts: 1, error: undefined });
    expectBalanced(bus);
  });

  it('C2 consumers that leave while their envelope waits for a retry leave it without one', async () => {
    const { bus, clock } = manualBus({ deadLetterChannel: 'dead' });
    const nack = (): boolean => false;
    bus.channel('a', { maxAttempts: 5, backoff: { type: 'fixed', delayMs: 10 } }).subscribe('a', nack);
    await bus.publish(makeEnvelope('a'));
    await turn();
    await clock.advance(5);
    bus.unsubscribe('a', nack);
    await clock.advance(5);
    expect((await bus.deadLetters('a').list()).items).toMatchObject([{ reason: 'no-consumer', attempts: 1 }]);
    expectBalanced(bus);
  });

  it('C2 R7.2 a later dead letter does not keep the error of an earlier one', async () => {
    const { bus } = manualBus();
    const parked = new Recorder();
    bus.subscribe('a', () => {
      throw new Error('first');
    });
    bus.subscribe('b', (_, attempt) => attempt.deadLetter('second'));
    bus.setDeadLetterChannel('a', 'a.dead').setDeadLetterChannel('b', 'b.dead');
    bus.subscribe('a.dead', async (envelope, attempt) => {
      envelope.addRoute('b');
      envelope.ratchet();
      await attempt.publish(envelope);
    });
    bus.subscribe('b.dead', (envelope) => parked.seen.push({ ...envelope.headers }));
    await bus.publish(makeEnvelope('a'));
    await bus.idle();
    expect(parked.seen).toHaveLength(1);
    expect(parked.seen[0]).not.toHaveProperty(DEAD_LETTER_HEADERS.error);
    expect(parked.seen[0]).toMatchObject({ [DEAD_LETTER_HEADERS.reason]: 'second' });
  });
});
