import { getEventListeners } from 'node:events';
import { type Outcome, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { Recorder, manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** A held stage of capacity 1 that is full. */
function fullStage(maxWaiting?: number) {
  const { bus, clock } = manualBus();
  const recorder = new Recorder();
  bus.channel('a', { capacity: 1, maxWaiting: maxWaiting ?? 100 }).subscribe('a', recorder.consumer);
  bus.hold();
  offerEach(bus, 'a', ['first']);
  return { bus, clock, recorder };
}

describe('R1.2 Block', () => {
  it('R1.2 admits first come first served', async () => {
    const { bus, recorder } = fullStage();
    const answered: number[] = [];
    for (const n of numbers(5)) void bus.publish(makeEnvelope('a', n)).then(() => answered.push(n));
    bus.release();
    await turn();
    expect(answered).toEqual(numbers(5));
    expect(recorder.seen).toEqual(['first', ...numbers(5)]);
    expectBalanced(bus);
  });

  it('R1.2 gives a newcomer no room ahead of those who wait, not even one who is told of the room first', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.channel('dead', { capacity: 1, backpressure: 'block' }).subscribe('a', () => false);
    await bus.publishAndWait(makeEnvelope('a'));
    const waiting = bus.publish(makeEnvelope('dead', 'waiting'));
    const newcomers: boolean[] = [];
    bus.on('dropped', ({ reason }) => {
      if (reason === 'purged') newcomers.push(...offerEach(bus, 'dead', ['newcomer']));
    });
    await bus.deadLetters('dead').purge('all');
    expect(newcomers).toEqual([false]);
    expect(await waiting).toBe(true);
    expectBalanced(bus);
  });

  it('R1.2 nor ahead of those who wait for the end of a pause', async () => {
    const { bus, recorder } = fullStage();
    const waiting = bus.publish(makeEnvelope('a', 'waiting'));
    bus.pause();
    bus.release();
    await turn();
    const newcomers: boolean[] = [];
    bus.on('state', ({ to }) => {
      if (to === 'open') newcomers.push(...offerEach(bus, 'a', ['newcomer']));
    });
    bus.resume();
    expect(newcomers).toEqual([false]);
    expect(await waiting).toBe(true);
    await bus.idle();
    expect(recorder.seen).toEqual(['first', 'waiting']);
    expectBalanced(bus);
  });

  it('R1.2 ends the wait at timeoutMs, reason `timeout`, and not before', async () => {
    const { bus, clock } = fullStage();
    const ends: Outcome[] = [];
    const onSettled = (outcome: Outcome): void => void ends.push(outcome);
    const answer = bus.publish(makeEnvelope('a'), { timeoutMs: 100, onSettled });
    await clock.advance(99);
    expect(ends).toEqual([]);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await answer).toBe(false);
    expect(ends).toEqual([{ status: 'dropped', stage: 'a', reason: 'timeout' }]);
    expect(bus.stats()['a']).toMatchObject({ waiting: 0, droppedBy: { timeout: 1 } });
    expectBalanced(bus);
  });

  it('R1.2 timeoutMs 0 does not wait at all, and takes room where there is some', async () => {
    const { bus, clock } = fullStage();
    expect(await bus.publish(makeEnvelope('a'), { timeoutMs: 0 })).toBe(false);
    expect(bus.stats()['a']).toMatchObject({ droppedBy: { timeout: 1 } });
    expect(clock.pending).toBe(0);
    bus.release();
    await bus.idle();
    expect(await bus.publish(makeEnvelope('a'), { timeoutMs: 0 })).toBe(true);
    expectBalanced(bus);
  });

  it('R1.2 an abort ends the wait, reason `aborted`, and leaves no timer and no listener', async () => {
    const { bus, clock } = fullStage();
    const controller = new AbortController();
    const { signal } = controller;
    const answers = numbers(3).map((n) => bus.publish(makeEnvelope('a', n), { timeoutMs: 100, signal }));
    const other = bus.publish(makeEnvelope('a', 'other'));
    controller.abort();
    expect(await Promise.all(answers)).toEqual([false, false, false]);
    expect(bus.stats()['a']).toMatchObject({ waiting: 1, droppedBy: { aborted: 3 } });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
    bus.release();
    expect(await other).toBe(true);
  });

  it('R1.2 a signal that is aborted already refuses at once, even where there is room', async () => {
    const { bus } = fullStage();
    bus.release();
    await bus.idle();
    const ends: Outcome[] = [];
    const options = { signal: AbortSignal.abort(), onSettled: (outcome: Outcome) => ends.push(outcome) };
    expect(await bus.publish(makeEnvelope('a'), options)).toBe(false);
    expect(bus.offer(makeEnvelope('a'), options)).toBe(false);
    expect(ends.map((end) => 'reason' in end && end.reason)).toEqual(['aborted', 'aborted']);
    expectBalanced(bus);
  });

  it('R1.2 an abort after the admission changes nothing', async () => {
    const { bus, recorder } = fullStage();
    const controller = new AbortController();
    const answer = bus.publish(makeEnvelope('a', 'second'), { signal: controller.signal, timeoutMs: 50 });
    bus.release();
    expect(await answer).toBe(true);
    controller.abort();
    await bus.idle();
    expect(recorder.seen).toEqual(['first', 'second']);
    expectBalanced(bus);
  });

  it('R1.2 at most maxWaiting publishers wait; beyond that `false` at once, reason `rejected`', async () => {
    const { bus } = fullStage(2);
    const answers = numbers(3).map((n) => bus.publish(makeEnvelope('a', n)));
    expect(await answers[2]).toBe(false);
    expect(bus.stats()['a']).toMatchObject({ waiting: 2, droppedBy: { rejected: 1 } });
    bus.release();
    expect(await Promise.all(answers)).toEqual([true, true, false]);
    await bus.idle();
    expectBalanced(bus);
  });

  it('R1.2 with maxWaiting 0 nobody waits', async () => {
    const { bus } = fullStage(0);
    expect(await bus.publish(makeEnvelope('a'))).toBe(false);
    expect(bus.stats()['a']).toMatchObject({ waiting: 0, droppedBy: { rejected: 1 } });
  });

  it('R1.2 a delay counts from the admission, not from the call', async () => {
    const { bus, clock, recorder } = fullStage();
    const delayed = bus.publish(makeEnvelope('a', 'delayed'), { delayMs: 100 });
    await clock.advance(500);
    bus.release();
    expect(await delayed).toBe(true);
    await clock.advance(99);
    expect(recorder.seen).toEqual(['first']);
    expect(bus.stats()['a']).toMatchObject({ retrying: 1, depth: 0 });
    await clock.advance(1);
    expect(recorder.seen).toEqual(['first', 'delayed']);
    expectBalanced(bus);
  });

  it('R1.2 who waits is `waiting` in the books, one who leaves is `dropped`', async () => {
    const { bus, clock } = fullStage();
    const gate = new Gate();
    const all = numbers(4).map((n) => bus.publish(makeEnvelope('a', n), { timeoutMs: 10 * (n + 1) }));
    void Promise.all(all).then(gate.open);
    for (const waiting of [4, 3, 2, 1]) {
      expect(bus.stats()['a']).toMatchObject({ offered: 5, waiting, dropped: 4 - waiting });
      expectBalanced(bus);
      await clock.advance(10);
    }
    await gate.opened;
    expect(bus.stats()['a']).toMatchObject({ waiting: 0, dropped: 4, enqueued: 1 });
  });

  it('R1.2 a wait longer than a timer can be does not end early', async () => {
    const { bus, clock } = fullStage();
    const sixtyDays = 60 * 86_400_000;
    let answered = false;
    void bus.publish(makeEnvelope('a'), { timeoutMs: sixtyDays }).then(() => (answered = true));
    const set = clock.setTimeout.bind(clock);
    clock.setTimeout = (callback, delayMs) => set(callback, Math.min(delayMs, 2 ** 31 - 1));
    await clock.advance(sixtyDays - 1);
    expect(answered).toBe(false);
    await clock.advance(1);
    expect(answered).toBe(true);
  });
});
