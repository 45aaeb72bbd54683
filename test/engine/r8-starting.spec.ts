import { type Outcome, type SedaBusOptions, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Recorder, manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

function unstarted(options: SedaBusOptions = {}) {
  const recorder = new Recorder();
  return { recorder, ...manualBus({ autoStart: false, ...options }) };
}

describe('R8.9 a bus that has not started', () => {
  it('R8.9 takes envelopes and handles none; after start all, in order', async () => {
    const { bus, recorder } = unstarted();
    bus.subscribe('a', recorder.consumer);
    expect(bus.state).toBe('starting');
    expect(await bus.publish(makeEnvelope('a', 1))).toBe(true);
    expect(bus.offer(makeEnvelope('a', 2))).toBe(true);
    await turn();
    expect(recorder.seen).toEqual([]);
    expect(bus.stats()['a']).toMatchObject({ state: 'starting', depth: 2 });
    await bus.start();
    await bus.idle();
    expect(recorder.seen).toEqual([1, 2]);
    expect(bus.state).toBe('open');
    expectBalanced(bus);
  });

  it('R8.9 the no-consumer rule sleeps until then', async () => {
    const { bus, recorder } = unstarted();
    bus.channel('a').channel('b');
    offerEach(bus, 'a', [1]);
    offerEach(bus, 'b', [1]);
    await turn();
    expect(bus.stats()['a']).toMatchObject({ depth: 1, deadLettered: 0 });
    bus.subscribe('a', recorder.consumer);
    void bus.start();
    await bus.idle();
    expect(recorder.seen).toEqual([1]);
    expect(bus.stats()).toMatchObject({ a: { deadLettered: 0 }, b: { deadLettered: 1 } });
  });

  it('R8.9 a delay that is over before the start is over', async () => {
    const { bus, clock, recorder } = unstarted();
    bus.subscribe('a', recorder.consumer);
    bus.offer(makeEnvelope('a', 'delayed'), { delayMs: 10 });
    await clock.advance(10);
    expect(bus.stats()['a']).toMatchObject({ depth: 1, retrying: 0 });
    expect(recorder.seen).toEqual([]);
    await bus.start();
    await bus.idle();
    expect(recorder.seen).toEqual(['delayed']);
  });

  it('R8.9 a publish that would have to wait rejects, counted and settled', async () => {
    const { bus } = unstarted();
    bus.channel('a', { capacity: 1 });
    offerEach(bus, 'a', [1]);
    const ends: Outcome[] = [];
    const publish = bus.publish(makeEnvelope('a'), { onSettled: (end) => ends.push(end), timeoutMs: 1_000 });
    await expect(publish).rejects.toMatchObject({ name: 'NotStartedError', code: 'SEDA_NOT_STARTED' });
    expect(ends).toEqual([{ status: 'dropped', stage: 'a', reason: 'rejected' }]);
    expect(bus.offer(makeEnvelope('a'))).toBe(false);
    expect(bus.stats()['a']).toMatchObject({ waiting: 0, droppedBy: { rejected: 2 } });
    expectBalanced(bus);
  });

  it('R8.9 publishAndWait rejects, whatever the room', async () => {
    const { bus } = unstarted();
    bus.channel('a');
    await expect(bus.publishAndWait(makeEnvelope('a'))).rejects.toMatchObject({ code: 'SEDA_NOT_STARTED' });
    await expect(bus.stage('a')?.publishAndWait(1)).rejects.toMatchObject({ code: 'SEDA_NOT_STARTED' });
    expect(bus.stats()['a']).toMatchObject({ offered: 0 });
  });

  it('R8.9 ready() resolves with the start, for all who wait; start() twice is once', async () => {
    const { bus } = unstarted();
    let ready = 0;
    const states: string[] = [];
    bus.on('state', ({ from, to }) => states.push(`${from} → ${to}`));
    void bus.ready().then(() => ready++);
    void bus.ready().then(() => ready++);
    await turn();
    expect(ready).toBe(0);
    await Promise.all([bus.start(), bus.start()]);
    await bus.ready();
    expect([ready, states]).toEqual([2, ['starting → open']]);
  });

  it('R8.9 ready() of a bus that starts with its construction resolves at once', async () => {
    await manualBus().bus.ready();
  });

  it.each([
    ['pause', 'paused'],
    ['pause and resume', 'open'],
  ])('R8.9 %s before the start: it starts %s', async (calls, state) => {
    const { bus } = unstarted();
    bus.channel('a');
    bus.pause();
    expect(offerEach(bus, 'a', [1])).toEqual([false]);
    expect(bus.stats()['a']).toMatchObject({ droppedBy: { paused: 1 } });
    if (calls === 'pause and resume') bus.resume();
    expect(bus.state).toBe('starting');
    await bus.start();
    expect(bus.state).toBe(state);
    expectBalanced(bus);
  });
});

describe('R8.9 envelopes for stages that do not exist yet', () => {
  it('R8.9 are held until the start, and are then offered to their stages in the order they came', async () => {
    const { bus, recorder } = unstarted({ unknownStage: 'throw' });
    expect(offerEach(bus, 'late', numbers(3))).toEqual([true, true, true]);
    expect(bus.totals()).toMatchObject({ early: 3, unroutable: 0 });
    bus.subscribe('late', recorder.consumer);
    await bus.start();
    await bus.idle();
    expect(recorder.seen).toEqual(numbers(3));
    expect(bus.totals()).toMatchObject({ early: 0, unroutable: 0 });
    expectBalanced(bus);
  });

  it('R8.9 are unroutable at the start if there is still no such stage, told and settled', async () => {
    const { bus } = unstarted({ unknownStage: 'throw' });
    const told: unknown[] = [];
    const ends: Outcome[] = [];
    bus.on('unroutable', ({ stage }) => told.push(stage));
    await bus.publish(makeEnvelope('never'), { onSettled: (end) => ends.push(end) });
    expect(ends).toEqual([]);
    await bus.start();
    expect([told, ends]).toEqual([['never'], [{ status: 'dropped', stage: 'never', reason: 'unroutable' }]]);
    expect(bus.totals()).toMatchObject({ early: 0, unroutable: 1 });
  });

  it('R9.3 at most 1024 are held', async () => {
    const { bus } = unstarted();
    expect(offerEach(bus, 'late', numbers(1_025)).filter(Boolean)).toHaveLength(1_024);
    expect(bus.totals()).toMatchObject({ early: 1_024, unroutable: 1 });
  });

  it('R8.9 more than their stage has room for wait for it: they were accepted once', async () => {
    const { bus, recorder } = unstarted();
    offerEach(bus, 'late', numbers(5));
    bus.channel('late', { capacity: 2 }).subscribe('late', recorder.consumer);
    await bus.start();
    await bus.idle();
    expect(recorder.seen).toEqual(numbers(5));
    expectBalanced(bus);
  });

  it('R8.9 end with a bus that never starts: abandoned where there is a stage, else unroutable', async () => {
    const { bus, recorder } = unstarted();
    const ends: unknown[] = [];
    const onSettled = (end: Outcome): void => void ends.push('reason' in end && end.reason);
    offerEach(bus, 'late', [1], { onSettled });
    offerEach(bus, 'never', [1], { onSettled });
    bus.subscribe('late', recorder.consumer);
    expect(await bus.shutdown()).toBe(false);
    expect(ends).toEqual(['abandoned', 'unroutable']);
    expect(recorder.seen).toEqual([]);
    expectBalanced(bus);
  });
});

describe('R8.9 the end of a bus that never started', () => {
  it('R8.9 is at once; what is queued is abandoned, and who waits for the start is told', async () => {
    const { bus, clock, recorder } = unstarted();
    bus.subscribe('a', recorder.consumer);
    offerEach(bus, 'a', [1]);
    const ready = bus.ready();
    expect(await bus.shutdown()).toBe(false);
    await expect(ready).rejects.toMatchObject({ code: 'SEDA_CLOSED' });
    expect(bus.stats()['a']).toMatchObject({ depth: 0, droppedBy: { abandoned: 1 } });
    expect([recorder.seen, clock.pending]).toEqual([[], 0]);
    expectBalanced(bus);
  });

  it('R8.9 is true with nothing to lose', async () => {
    const { bus } = unstarted();
    bus.channel('a');
    expect(await bus.shutdown()).toBe(true);
  });
});
