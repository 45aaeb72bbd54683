import { type Attempt, type Consumer, type Outcome, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';
import { thenable } from '../support/thenable.js';

describe('R4.1 point to point', () => {
  it('R4.1 each envelope goes to one consumer, round robin', async () => {
    const { bus } = manualBus();
    const seen: [string, unknown][] = [];
    for (const name of ['x', 'y', 'z']) bus.subscribe('a', (envelope) => void seen.push([name, envelope.content()]));
    offerEach(bus, 'a', numbers(6));
    await bus.idle();
    expect(seen.map(([name]) => name).join('')).toBe('xyzxyz');
    expect(seen.map(([, payload]) => payload)).toEqual(numbers(6));
  });

  it('R4.1 a consumer subscribed twice has two turns, and loses one at a time', async () => {
    const { bus } = manualBus();
    let order = '';
    const x: Consumer = () => void (order += 'x');
    bus.subscribe('a', x).subscribe('a', x);
    bus.subscribe('a', () => void (order += 'y'));
    const handle = async (): Promise<string> => {
      order = '';
      offerEach(bus, 'a', numbers(6));
      await bus.idle();
      return [...order].toSorted().join('');
    };
    expect(await handle()).toBe('xxxxyy');
    bus.unsubscribe('a', x);
    expect(await handle()).toBe('xxxyyy');
    bus.unsubscribe('a', x).unsubscribe('a', x).unsubscribe('nowhere', x);
    expect(await handle()).toBe('yyyyyy');
  });

  it('R4.1 a consumer may subscribe and unsubscribe others, and itself, while it runs', async () => {
    const { bus } = manualBus();
    const seen: string[] = [];
    const second: Consumer = () => void seen.push('second');
    const first: Consumer = () => {
      seen.push('first');
      bus.unsubscribe('a', first).subscribe('a', second);
    };
    bus.subscribe('a', first);
    offerEach(bus, 'a', numbers(3));
    await bus.idle();
    expect(seen).toEqual(['first', 'second', 'second']);
    expectBalanced(bus);
  });

  it('R4.1 the attempt tells what is attempted', async () => {
    const { bus, clock } = manualBus();
    let attempt: Attempt | undefined;
    bus.channel('a', { maxAttempts: 3 }).subscribe('a', (_, given) => void (attempt = given));
    bus.hold();
    offerEach(bus, 'a', [1]);
    const enqueuedAt = clock.now();
    await clock.advance(250);
    bus.release();
    await bus.idle();
    expect(attempt).toMatchObject({ number: 1, max: 3, stage: 'a', enqueuedAt, redelivered: false });
  });
});

describe('R4.3 verdicts', () => {
  const outcomeOf = async (consumer: Consumer): Promise<Outcome & { nacked?: number }> => {
    const { bus, clock } = manualBus();
    bus.subscribe('a', consumer);
    const end = bus.publishAndWait(makeEnvelope('a'));
    await clock.advance(10_000);
    expectBalanced(bus);
    return { ...(await end), nacked: bus.stats()['a']?.nacked ?? Number.NaN };
  };

  it.each([undefined, null, true, 0, '', Number.NaN, 'false', [false], { ok: false }, () => false])(
    'R4.3 %p acks, at once and later',
    async (value) => {
      expect(await outcomeOf(() => value)).toEqual({ status: 'completed', stage: 'a', nacked: 0 });
      expect(await outcomeOf(async () => value)).toEqual({ status: 'completed', stage: 'a', nacked: 0 });
    },
  );

  it.each<[string, Consumer, string]>([
    ['false', () => false, 'SEDA_NACKED'],
    ['a promise of false', async () => false, 'SEDA_NACKED'],
    ['a thenable of false', () => thenable((resolve) => resolve(false)), 'SEDA_NACKED'],
    ['a thenable of a promise of false', () => thenable((resolve) => resolve(Promise.resolve(false))), 'SEDA_NACKED'],
  ])('R4.3 %s nacks', async (_, consumer, code) => {
    const outcome = await outcomeOf(consumer);
    expect(outcome).toMatchObject({ status: 'dead-lettered', reason: 'max-attempts', error: { code }, nacked: 1 });
  });

  it('R4.3 a throw nacks with that very error', async () => {
    const error = new TypeError('mine');
    const fail = (): never => {
      throw error;
    };
    for (const consumer of [fail, async () => fail()]) {
      const outcome = await outcomeOf(consumer);
      expect('error' in outcome && outcome.error).toBe(error);
    }
  });

  it('R4.3 a verdict that is recorded holds whatever the handler returns, and the last one counts', async () => {
    const spoiled = { status: 'dead-lettered', stage: 'a', reason: 'spoiled', nacked: 0 };
    const recorded: Consumer[] = [
      (_, attempt) => attempt.deadLetter('spoiled'),
      (_, attempt) => void attempt.deadLetter('spoiled'),
      (_, attempt) => attempt.deadLetter('spoiled') && true,
      (_, attempt) => attempt.deadLetter('spoiled') && false,
      async (_, attempt) => void attempt.deadLetter('spoiled'),
      (_, attempt) => [attempt.retryIn(5), attempt.deadLetter('other'), attempt.deadLetter('spoiled')],
    ];
    for (const consumer of recorded) expect(await outcomeOf(consumer)).toEqual(spoiled);
  });

  it('R4.3 a throw after a recorded verdict is what counts', async () => {
    const outcome = await outcomeOf((_, attempt) => {
      attempt.deadLetter('spoiled');
      throw new Error('later');
    });
    expect(outcome).toMatchObject({ reason: 'max-attempts', error: { message: 'later' }, nacked: 1 });
  });

  it('R4.3 after its verdict an attempt is inert', async () => {
    const { bus } = manualBus();
    let kept: Attempt | undefined;
    bus.channel('a', { maxAttempts: 5 }).subscribe('a', (_, attempt) => void (kept = attempt));
    bus.subscribe('b', () => true);
    await bus.publishAndWait(makeEnvelope('a'));
    kept?.retryIn(5);
    kept?.deadLetter('late');
    const ends: Outcome[] = [];
    expect(await kept?.publish(makeEnvelope('b'), { onSettled: (end) => ends.push(end) })).toBe(false);
    await bus.idle();
    expect(bus.stats()).toMatchObject({ a: { delivered: 1, nacked: 0, offered: 1 }, b: { droppedBy: { closed: 1 } } });
    expect(ends).toEqual([{ status: 'dropped', stage: 'b', reason: 'closed' }]);
    expectBalanced(bus);
  });
});

describe('R4.4 timeout', () => {
  const timedStage = (maxAttempts = 1) => {
    const { bus, clock } = manualBus({ concurrency: 1 });
    const gate = new Gate();
    const attempts: Attempt[] = [];
    bus.channel('a', { timeoutMs: 100, maxAttempts }).subscribe('a', async (_, attempt) => {
      attempts.push(attempt);
      expect(attempt.signal.aborted).toBe(false);
      if (attempts.length === 1) await gate.opened;
    });
    return { bus, clock, gate, attempts };
  };

  it('R4.4 aborts the signal and nacks, both with AttemptTimeoutError', async () => {
    const { bus, clock, attempts } = timedStage();
    const end = bus.publishAndWait(makeEnvelope('a'));
    await turn();
    await clock.advance(99);
    expect(attempts[0]?.signal.aborted).toBe(false);
    await clock.advance(1);
    const error = attempts[0]?.signal.reason as unknown;
    expect(error).toMatchObject({ name: 'AttemptTimeoutError', code: 'SEDA_ATTEMPT_TIMEOUT' });
    expect(await end).toMatchObject({ status: 'dead-lettered', reason: 'max-attempts', error });
    expect(bus.stats()['a']).toMatchObject({ nacked: 1, inFlight: 0 });
    expectBalanced(bus);
  });

  it('R4.4 the permits are free at once for the next, and a late result is ignored', async () => {
    const { bus, clock, gate, attempts } = timedStage();
    offerEach(bus, 'a', [1, 2]);
    await turn();
    expect(attempts).toHaveLength(1);
    await clock.advance(100);
    expect(attempts).toHaveLength(2);
    expect(bus.stats()['a']).toMatchObject({ delivered: 1, deadLettered: 1, inFlight: 0 });
    gate.open();
    await turn();
    expect(bus.stats()['a']).toMatchObject({ delivered: 1, deadLettered: 1 });
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });

  it('R4.4 a handler in time leaves no timer', async () => {
    const { bus, clock, gate } = timedStage();
    offerEach(bus, 'a', [1]);
    await turn();
    expect(clock.pending).toBe(1);
    gate.open();
    await bus.idle();
    expect(clock.pending).toBe(0);
  });

  it('R4.4 an attempt that timed out is tried again while attempts are left', async () => {
    const { bus, clock, attempts } = timedStage(2);
    const end = bus.publishAndWait(makeEnvelope('a'));
    await turn();
    await clock.advance(100);
    expect(await end).toEqual({ status: 'completed', stage: 'a' });
    expect(attempts.map(({ number, signal }) => [number, signal.aborted])).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  it('R4.4 a signal first read after the timeout is aborted', async () => {
    const { bus, clock } = manualBus();
    let kept: Attempt | undefined;
    bus.channel('a', { timeoutMs: 1 }).subscribe('a', (_, attempt) => {
      kept = attempt;
      return new Gate().opened;
    });
    offerEach(bus, 'a', [1]);
    await turn();
    await clock.advance(1);
    expect(kept?.signal.reason).toMatchObject({ code: 'SEDA_ATTEMPT_TIMEOUT' });
  });

  it('R4.4 a timeout longer than a timer can be does not end early', async () => {
    const { bus, clock } = manualBus();
    const set = clock.setTimeout.bind(clock);
    clock.setTimeout = (callback, delayMs) => set(callback, Math.min(delayMs, 2 ** 31 - 1));
    const sixtyDays = 60 * 86_400_000;
    bus.channel('a', { timeoutMs: sixtyDays }).subscribe('a', () => new Gate().opened);
    offerEach(bus, 'a', [1]);
    await turn();
    await clock.advance(sixtyDays - 1);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 1 });
    await clock.advance(1);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 0, nacked: 1 });
    expect(clock.pending).toBe(0);
  });
});
