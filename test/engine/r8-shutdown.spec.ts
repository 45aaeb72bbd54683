import { type Attempt, type SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** One attempt that runs until the gate opens, and its attempt. */
async function running(maxAttempts = 3) {
  const { bus, clock } = manualBus({ deadLetterChannel: 'dead' });
  const gate = new Gate();
  const attempts: Attempt[] = [];
  bus.channel('a', { maxAttempts }).subscribe('a', async (_, attempt) => {
    attempts.push(attempt);
    await gate.opened;
    throw new Error('interrupted, or not');
  });
  const end = bus.publishAndWait(makeEnvelope('a'));
  await turn();
  return { bus, clock, gate, attempts, end };
}

describe('R8.2 shutdown', () => {
  it('R8.2 of an idle bus is at once, and true', async () => {
    const { bus, clock } = manualBus();
    bus.subscribe('a', () => true);
    await bus.publishAndWait(makeEnvelope('a'));
    expect(await bus.shutdown()).toBe(true);
    expect(bus.state).toBe('closed');
    expect(clock.pending).toBe(0);
  });

  it('R8.2 closes the intake for good: `false`, reason `closed`, and stats() still answers', async () => {
    const { bus } = manualBus();
    const gate = new Gate();
    bus.subscribe('a', () => gate.opened);
    offerEach(bus, 'a', [1]);
    await turn();
    const drained = bus.shutdown();
    expect([bus.state, await bus.publish(makeEnvelope('a'))]).toEqual(['draining', false]);
    bus.resume();
    expect(bus.offer(makeEnvelope('a'))).toBe(false);
    gate.open();
    expect(await drained).toBe(true);
    expect(await bus.publish(makeEnvelope('a'))).toBe(false);
    expect(bus.stats()['a']).toMatchObject({ state: 'closed', delivered: 1, droppedBy: { closed: 3 } });
    expectBalanced(bus);
  });

  it('R8.2 abandons retries and delays that are due later at once, and waits for those due in time', async () => {
    const { bus, clock } = manualBus();
    bus.subscribe('a', () => true);
    for (const delayMs of [100, 4_000, 60_000]) bus.offer(makeEnvelope('a'), { delayMs });
    const drained = bus.shutdown({ timeoutMs: 5_000 });
    expect(bus.stats()['a']).toMatchObject({ retrying: 2, droppedBy: { abandoned: 1 } });
    expectBalanced(bus);
    await clock.advance(5_000);
    expect(await drained).toBe(false);
    expect(bus.stats()['a']).toMatchObject({ delivered: 2, retrying: 0 });
    expectBalanced(bus);
  });

  it('R8.2 with nothing left but what is due too late it does not wait for its timeout', async () => {
    const { bus, clock } = manualBus();
    const before = clock.now();
    bus.channel('a');
    bus.offer(makeEnvelope('a'), { delayMs: 60_000 });
    expect(await bus.shutdown()).toBe(false);
    expect(clock.now()).toBe(before);
    expect(clock.pending).toBe(0);
  });

  it('R8.2 a delayed `attempt.publish` that waits for room while the bus drains is not kept beyond the deadline', async () => {
    const { bus, clock } = manualBus();
    const before = clock.now();
    bus.channel('b', { capacity: 1 }).subscribe('b', () => true);
    bus.hold('b');
    offerEach(bus, 'b', [1]);
    let answer: unknown;
    bus.subscribe('a', async (_, attempt) => {
      answer = await attempt.publish(makeEnvelope('b'), { delayMs: 60_000 });
    });
    offerEach(bus, 'a', [1]);
    await turn();
    const drained = bus.shutdown({ timeoutMs: 1_000 });
    bus.release('b');
    expect(await drained).toBe(false);
    expect([answer, clock.now()]).toEqual([false, before]);
    expectBalanced(bus);
  });

  it('R8.2 drains a bus that is paused', async () => {
    const { bus } = manualBus();
    bus.subscribe('a', () => true);
    offerEach(bus, 'a', numbers(5));
    bus.pause();
    expect(await bus.shutdown()).toBe(true);
    expect(bus.stats()['a']).toMatchObject({ delivered: 5 });
  });

  it('R8.2 handles the dead letters of a channel that has a consumer, and those that come of the draining', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.subscribe('a', () => false).subscribe('dead', async () => turn());
    offerEach(bus, 'a', numbers(5));
    expect(await bus.shutdown()).toBe(true);
    expect(bus.stats()['dead']).toMatchObject({ delivered: 5, depth: 0 });
    expectBalanced(bus);
  });

  it('R8.2 parked dead letters stay listed, and there is one warning', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    const warnings: string[] = [];
    bus.on('warning', ({ code, message }) => warnings.push(`${code}: ${message}`));
    bus.subscribe('a', () => false);
    offerEach(bus, 'a', numbers(3));
    expect(await bus.shutdown()).toBe(true);
    expect(bus.shutdownNow()).toBe(true);
    expect(warnings).toEqual([
      'SEDA_DEAD_LETTERS_LEFT: 3 dead letter(s) end with the bus: their channel is in memory.',
    ]);
    expect((await bus.deadLetters('dead').list()).items).toHaveLength(3);
    expect(await bus.deadLetters('dead').redrive('all')).toBe(0);
    expect((await bus.deadLetters('dead').list()).items).toHaveLength(3);
    expectBalanced(bus);
  });
});

describe('R8.3 Q04 Q15 what is interrupted', () => {
  const ways: [string, (bus: SedaBus, advance: (ms: number) => Promise<void>) => Promise<boolean>][] = [
    ['shutdownNow', async (bus) => bus.shutdownNow()],
    [
      'shutdown at its timeout',
      async (bus, advance) => {
        const drained = bus.shutdown({ timeoutMs: 50 });
        await advance(50);
        return drained;
      },
    ],
  ];

  it.each(ways)('Q15 %s: it sees its signal aborted, and is no failed attempt', async (_, end) => {
    const { bus, clock, gate, attempts, ...scene } = await running();
    expect(await end(bus, (ms) => clock.advance(ms))).toBe(false);
    expect(attempts[0]?.signal.reason).toMatchObject({ code: 'SEDA_ATTEMPT_INTERRUPTED' });
    expect(await scene.end).toEqual({ status: 'dropped', stage: 'a', reason: 'abandoned' });
    expect(bus.stats()).toMatchObject({
      a: { nacked: 0, deadLettered: 0, droppedBy: { abandoned: 1 } },
      dead: { offered: 0 },
    });
    gate.open();
    await turn();
    expect(attempts).toHaveLength(1);
    expectBalanced(bus);
  });

  it.each(ways)('Q04 %s: nothing runs in the books afterwards, and its late end changes nothing', async (_, end) => {
    const { bus, clock, gate } = await running();
    await end(bus, (ms) => clock.advance(ms));
    const before = bus.stats()['a'];
    expect(before).toMatchObject({ inFlight: 0, dropped: 1 });
    gate.open();
    await turn();
    expect(bus.stats()['a']).toMatchObject({ inFlight: 0, dropped: 1, nacked: 0, delivered: 0 });
    expect(clock.pending).toBe(0);
    expect(bus.totals().callbackErrors).toBe(0);
  });

  it('R8.3 exactly those are interrupted that still run, whatever the order in which the others ended', async () => {
    const { bus } = manualBus();
    const gates = numbers(7).map(() => new Gate());
    const attempts: Attempt[] = [];
    bus.channel('a', { concurrency: 7 }).subscribe('a', (envelope, attempt) => {
      attempts.push(attempt);
      return gates[envelope.content() as number]?.opened;
    });
    offerEach(bus, 'a', numbers(7));
    await turn();
    for (const n of [3, 6, 0, 4]) {
      gates[n]?.open();
      await turn();
    }
    expect(bus.shutdownNow()).toBe(false);
    expect(attempts.map(({ signal }) => signal.aborted)).toEqual(numbers(7).map((n) => [1, 2, 5].includes(n)));
    expect(bus.stats()['a']).toMatchObject({ delivered: 4, inFlight: 0, droppedBy: { abandoned: 3 } });
    expectBalanced(bus);
  });

  it.each(ways)('R8.4 %s: publishers that wait get `false`', async (_, end) => {
    const { bus, clock } = await running();
    bus.channel('full', { capacity: 1 });
    bus.hold('full');
    offerEach(bus, 'full', [1]);
    const answers = numbers(3).map((n) => bus.publish(makeEnvelope('full', n), { timeoutMs: 10_000 }));
    await end(bus, (ms) => clock.advance(ms));
    expect(await Promise.all(answers)).toEqual([false, false, false]);
    expect(bus.stats()['full']).toMatchObject({ waiting: 0, droppedBy: { closed: 3, abandoned: 1 } });
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });
});

describe('R8.6 every end is idempotent and may coincide with another', () => {
  it('R8.6 all get the same answer', async () => {
    const { bus, clock, attempts } = await running();
    const ends = [bus.shutdown({ timeoutMs: 50 }), bus.shutdown({ timeoutMs: 1 }), bus.shutdown()];
    await clock.advance(49);
    expect(attempts[0]?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await Promise.all(ends)).toEqual([false, false, false]);
    expect([bus.shutdownNow(), await bus.shutdown()]).toEqual([false, false]);
    expectBalanced(bus);
  });

  it('R8.6 a shutdownNow cuts a shutdown short', async () => {
    const { bus, clock } = await running();
    const drained = bus.shutdown();
    expect(bus.shutdownNow()).toBe(false);
    expect(await drained).toBe(false);
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });

  it('R8.6 a shutdown after a shutdownNow is that', async () => {
    const { bus } = manualBus();
    expect(bus.shutdownNow()).toBe(true);
    expect([await bus.shutdown(), bus.shutdownNow(), bus.state]).toEqual([true, true, 'closed']);
  });

  it('R8.6 start, pause, resume, hold and release of a closed bus change nothing', async () => {
    const { bus } = manualBus({ autoStart: false });
    bus.channel('a');
    bus.shutdownNow();
    bus.pause();
    bus.resume();
    bus.hold();
    bus.release();
    bus.pause('a');
    bus.release('a');
    await expect(bus.start()).rejects.toMatchObject({ code: 'SEDA_CLOSED' });
    expect(bus.state).toBe('closed');
    await bus.idle();
  });
});
