import { type Attempt, type Consumer, type Outcome, type SedaBus, type StageOptions, makeEnvelope } from '#engine';
import type { Envelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { manualBus, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

function pubsub(consumers: readonly Consumer[], options: StageOptions = {}, concurrency = 1) {
  const { bus, clock } = manualBus({ concurrency, deadLetterChannel: 'dead' });
  bus.channel('a', { delivery: 'pubsub', ...options });
  for (const consumer of consumers) bus.subscribe('a', consumer);
  return { bus, clock };
}

const dead =
  (reason: string): Consumer =>
  (_, attempt) =>
    attempt.deadLetter(reason);
const retry =
  (ms: number): Consumer =>
  (_, attempt) =>
    attempt.retryIn(ms);
const ack: Consumer = () => true;
const nack: Consumer = () => false;
const later =
  (consumer: Consumer): Consumer =>
  async (envelope, attempt) => {
    await Promise.resolve();
    return consumer(envelope, attempt);
  };

describe('R4.2 copies', () => {
  it('R4.2 every consumer has its own envelope, headers, slip and record; the payload is shared', async () => {
    const seen: Envelope[] = [];
    const { bus } = pubsub(
      [1, 2].map((n) => (envelope: Envelope) => {
        envelope.headers['mine'] = n;
        envelope.addNvp('mine', n);
        envelope.addRoute(`mine.${n}`);
        seen.push(envelope);
      }),
    );
    const payload = { shared: true };
    const original = makeEnvelope('a', payload, { headers: { given: 1 } });
    expect(await bus.publishAndWait(original)).toEqual({ status: 'completed', stage: 'a' });
    expect(seen.map(({ headers }) => headers)).toEqual([1, 2].map((mine) => ({ given: 1, mine })));
    expect(seen.map((copy) => copy.value('mine'))).toEqual([1, 2]);
    expect(seen.map((copy) => copy.remainingRoutes())).toEqual([1, 1]);
    expect(seen.every((copy) => copy.content() === payload && copy.id === original.id && copy !== original)).toBe(true);
    expect([original.headers, original.value('mine'), original.remainingRoutes()]).toEqual([
      { given: 1 },
      undefined,
      0,
    ]);
  });

  it('R4.2 with copyPayload the payload is copied for each, too', async () => {
    const seen: unknown[] = [];
    const mark: Consumer = (envelope) => {
      const payload = envelope.content() as { marks: number };
      payload.marks++;
      seen.push(payload);
    };
    const { bus } = pubsub([mark, mark], { copyPayload: true });
    const payload = { marks: 0 };
    await bus.publishAndWait(makeEnvelope('a', payload));
    expect(payload).toEqual({ marks: 0 });
    expect(seen).toEqual([{ marks: 1 }, { marks: 1 }]);
    expect(seen[0]).not.toBe(seen[1]);
  });

  it('R4.2 a payload that cannot be copied is a failed attempt, and no more', async () => {
    const { bus } = pubsub([ack], { copyPayload: true });
    const outcome = await bus.publishAndWait(makeEnvelope('a', { uncopyable: () => undefined }));
    expect(outcome).toMatchObject({
      status: 'dead-lettered',
      reason: 'max-attempts',
      error: { name: 'DataCloneError' },
    });
    expect(bus.stats()['a']).toMatchObject({ inFlight: 0 });
    expectBalanced(bus);
  });

  it('R4.2 the original travels on, and routes pushed on copies are ignored', async () => {
    const { bus } = pubsub([(envelope) => envelope.addRoute('elsewhere'), ack]);
    const arrived: unknown[] = [];
    bus
      .subscribe('b', (envelope) => void arrived.push(envelope))
      .subscribe('elsewhere', () => arrived.push('elsewhere'));
    const original = makeEnvelope('a', 1, { slip: ['b'] });
    expect(await bus.publishAndWait(original)).toEqual({ status: 'completed', stage: 'b' });
    expect(arrived).toEqual([original]);
    expect(arrived[0]).toBe(original);
  });
});

describe('R4.2 one permit, side by side', () => {
  it('R4.2 all consumers of an envelope run at once under one permit of stage and bus', async () => {
    const gate = new Gate();
    let running = 0;
    const wait: Consumer = async () => {
      running++;
      await gate.opened;
    };
    const { bus } = pubsub([wait, wait, wait]);
    offerEach(bus, 'a', [1, 2]);
    await turn();
    expect(running).toBe(3);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 1, depth: 1 });
    gate.open();
    await bus.idle();
    expect(running).toBe(6);
    expectBalanced(bus);
  });

  it('R4.2 R4.4 each has its own timeout; the envelope has its verdict when the last one has', async () => {
    const attempts: Attempt[] = [];
    const hang: Consumer = (_, attempt) => {
      attempts.push(attempt);
      return new Gate().opened;
    };
    const { bus, clock } = pubsub([hang, ack, hang], { timeoutMs: 50 });
    const end = bus.publishAndWait(makeEnvelope('a'));
    await turn();
    await clock.advance(50);
    expect(await end).toMatchObject({ status: 'dead-lettered', error: { code: 'SEDA_ATTEMPT_TIMEOUT' } });
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });

  it('R4.2 without consumers it is dead-lettered like any other', async () => {
    const { bus } = pubsub([]);
    expect(await bus.publishAndWait(makeEnvelope('a'))).toMatchObject({ reason: 'no-consumer' });
    expectBalanced(bus);
  });
});

describe('R4.2 the worst verdict wins', () => {
  const outcomeOf = async (consumers: readonly Consumer[], maxAttempts = 1): Promise<[Outcome, number]> => {
    const { bus, clock } = pubsub(consumers, { maxAttempts });
    const start = clock.now();
    const end = bus.publishAndWait(makeEnvelope('a'));
    let endedAt = start;
    void end.then(() => (endedAt = clock.now()));
    await turn();
    for (let ms = 0; ms < 100; ms++) await clock.advance(1);
    expectBalanced(bus);
    return [await end, endedAt - start];
  };

  it.each<[string, readonly Consumer[], string]>([
    ['dead letter over retry', [retry(5), dead('spoiled'), ack], 'spoiled'],
    ['dead letter over nack', [dead('spoiled'), nack], 'spoiled'],
    ['dead letter over ack', [ack, dead('spoiled')], 'spoiled'],
    ['nack over ack', [ack, nack, ack], 'max-attempts'],
    ['the first of two dead letters', [dead('first'), dead('second')], 'first'],
  ])('R4.2 %s', async (_, consumers, reason) => {
    for (const variant of [consumers, consumers.map(later)]) {
      expect((await outcomeOf(variant))[0]).toMatchObject({ status: 'dead-lettered', reason });
    }
  });

  it('R4.2 of several retries the longest counts, and any of them over a plain nack', async () => {
    const once =
      (consumer: Consumer): Consumer =>
      (envelope, attempt) =>
        attempt.redelivered || consumer(envelope, attempt);
    const consumers = [once(retry(10)), once(nack), once(retry(40)), once(retry(20)), ack];
    for (const variant of [consumers, consumers.map(later)]) {
      expect(await outcomeOf(variant, 2)).toEqual([{ status: 'completed', stage: 'a' }, 40]);
    }
  });
});

describe('R4.2 retries', () => {
  const calls = async (consumers: Record<string, Consumer>, change?: (bus: SedaBus) => void): Promise<string> => {
    let order = '';
    const noted = Object.entries(consumers).map(([name, consumer]): Consumer => (envelope, attempt) => {
      order += `${name}${attempt.number} `;
      return consumer(envelope, attempt);
    });
    const { bus, clock } = pubsub(noted, { maxAttempts: 3, backoff: { type: 'fixed', delayMs: 10 } });
    offerEach(bus, 'a', [1]);
    await turn();
    change?.(bus);
    await clock.advance(10);
    await clock.advance(10);
    expectBalanced(bus);
    return order.trim();
  };
  const until =
    (number: number): Consumer =>
    (_, attempt) =>
      attempt.number >= number;

  it('R4.2 a retry goes only to those that have not acked', async () => {
    expect(await calls({ x: ack, y: until(3), z: until(2) })).toBe('x1 y1 z1 y2 z2 y3');
    expect(await calls({ x: later(ack), y: later(until(3)), z: until(2) })).toBe('x1 y1 z1 y2 z2 y3');
  });

  it('R4.2 a newcomer does not get an envelope that others were given before', async () => {
    let newcomer = 0;
    const order = await calls({ x: until(2) }, (bus) => bus.subscribe('a', () => newcomer++));
    expect([order, newcomer]).toEqual(['x1 x2', 0]);
  });

  it.each([
    ['synchronous', (consumer: Consumer) => consumer],
    ['asynchronous', later],
  ])('R4.2 a %s consumer that is subscribed twice is two: the one that failed is retried', async (_, wrap) => {
    const { bus } = pubsub([], { maxAttempts: 2 });
    const verdicts = [true, false, true];
    const seen: number[] = [];
    const consumer = wrap((__, attempt) => {
      seen.push(attempt.number);
      return verdicts.shift();
    });
    bus.subscribe('a', consumer).subscribe('a', consumer);
    expect(await bus.publishAndWait(makeEnvelope('a'))).toEqual({ status: 'completed', stage: 'a' });
    expect(seen).toEqual([1, 1, 2]);
  });

  it('R4.2 when those that failed have left, the envelope is done', async () => {
    const { bus, clock } = pubsub([ack], { maxAttempts: 2, backoff: { type: 'fixed', delayMs: 10 } });
    bus.subscribe('a', nack);
    const end = bus.publishAndWait(makeEnvelope('a'));
    await turn();
    bus.unsubscribe('a', nack);
    await clock.advance(10);
    expect(await end).toEqual({ status: 'completed', stage: 'a' });
    expectBalanced(bus);
  });

  it('R4.2 a redriven dead letter is new: it goes to everybody again', async () => {
    const seen: string[] = [];
    let broken = true;
    const { bus } = pubsub([() => void seen.push('x'), () => seen.push('y') > 0 && !broken]);
    await bus.publishAndWait(makeEnvelope('a'));
    broken = false;
    expect(await bus.deadLetters('a').redrive('all')).toBe(1);
    await bus.idle();
    expect(seen).toEqual(['x', 'y', 'x', 'y']);
    expectBalanced(bus);
  });
});
