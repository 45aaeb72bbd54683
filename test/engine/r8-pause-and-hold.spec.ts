import { makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { Recorder, manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

describe.each([
  ['the bus', undefined],
  ['a stage', 'a'],
])('R8.1 pause of %s', (_, stage) => {
  it('R8.1 stops the intake, reason `paused`; what is queued and running goes on', async () => {
    const { bus } = manualBus();
    const gate = new Gate();
    const recorder = new Recorder();
    bus.subscribe('a', async (envelope) => {
      await gate.opened;
      recorder.consumer(envelope);
    });
    offerEach(bus, 'a', [1, 2]);
    await turn();
    bus.pause(stage);
    expect([await bus.publish(makeEnvelope('a', 3)), ...offerEach(bus, 'a', [4])]).toEqual([false, false]);
    gate.open();
    await bus.idle();
    expect(recorder.seen).toEqual([1, 2]);
    expect(bus.stats()['a']).toMatchObject({ state: 'paused', droppedBy: { paused: 2 } });
    bus.resume(stage);
    expect(await bus.publish(makeEnvelope('a', 5))).toBe(true);
    await bus.idle();
    expect(recorder.seen).toEqual([1, 2, 5]);
    expectBalanced(bus);
  });

  it('R8.1 publishers that wait stay where they are, in order, until it is resumed', async () => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.channel('a', { capacity: 1 }).subscribe('a', recorder.consumer);
    bus.hold();
    const answers = numbers(3).map((n) => bus.publish(makeEnvelope('a', n)));
    bus.pause(stage);
    bus.release();
    await turn();
    expect(recorder.seen).toEqual([0]);
    expect(bus.stats()['a']).toMatchObject({ waiting: 2, depth: 0, inFlight: 0 });
    expectBalanced(bus);
    bus.resume(stage);
    expect(await Promise.all(answers)).toEqual([true, true, true]);
    await bus.idle();
    expect(recorder.seen).toEqual([0, 1, 2]);
    expectBalanced(bus);
  });

  it('R8.1 while it lasts, they may still give up', async () => {
    const { bus, clock } = manualBus();
    bus.channel('a', { capacity: 1 }).subscribe('a', () => true);
    bus.hold();
    const controller = new AbortController();
    const answers = [
      bus.publish(makeEnvelope('a')),
      bus.publish(makeEnvelope('a'), { timeoutMs: 10 }),
      bus.publish(makeEnvelope('a'), { signal: controller.signal }),
    ];
    bus.pause(stage);
    await clock.advance(10);
    controller.abort();
    expect(await Promise.all(answers)).toEqual([true, false, false]);
    expectBalanced(bus);
  });

  it('R8.1 twice is once, in both directions', async () => {
    const { bus } = manualBus();
    bus.channel('a').subscribe('a', () => true);
    bus.pause(stage);
    bus.pause(stage);
    bus.resume(stage);
    expect(offerEach(bus, 'a', [1])).toEqual([true]);
    bus.resume(stage);
    expect(offerEach(bus, 'a', [2])).toEqual([true]);
    await bus.idle();
    expectBalanced(bus);
  });
});

describe('R8.1 pauses of different reach', () => {
  it('R8.1 a stage that is paused by itself stays so when the bus is resumed', () => {
    const { bus } = manualBus();
    bus.channel('a').channel('b');
    bus.pause('a');
    bus.pause();
    bus.resume();
    expect([...offerEach(bus, 'a', [1]), ...offerEach(bus, 'b', [1])]).toEqual([false, true]);
    bus.pause();
    bus.resume('a');
    expect(offerEach(bus, 'a', [1])).toEqual([false]);
    bus.resume();
    expect(offerEach(bus, 'a', [1])).toEqual([true]);
    expectBalanced(bus);
  });
});

describe.each([
  ['the bus', undefined],
  ['a stage', 'a'],
])('R8.8 hold of %s', (_, stage) => {
  it('R8.8 starts no attempt; the intake goes on under the policy of the stage', async () => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.channel('a', { capacity: 2, backpressure: 'reject' }).subscribe('a', recorder.consumer);
    bus.hold(stage);
    expect(offerEach(bus, 'a', numbers(3))).toEqual([true, true, false]);
    await turn();
    expect(recorder.seen).toEqual([]);
    expect(bus.stats()['a']).toMatchObject({ state: 'held', depth: 2, inFlight: 0 });
    bus.release(stage);
    await bus.idle();
    expect(recorder.seen).toEqual([0, 1]);
    expect(bus.stats()['a']?.state).toBe('open');
    expectBalanced(bus);
  });

  it('R8.8 inside a handler it takes effect with the next attempt', async () => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.subscribe('a', (envelope) => {
      recorder.consumer(envelope);
      bus.hold(stage);
    });
    offerEach(bus, 'a', numbers(3));
    await turn();
    expect(recorder.seen).toEqual([0]);
    bus.release(stage);
    await turn();
    expect(recorder.seen).toEqual([0, 1]);
    expectBalanced(bus);
  });

  it('R8.8 what runs goes on, and a nacked one waits', async () => {
    const { bus, clock } = manualBus();
    const gate = new Gate();
    const attempts: number[] = [];
    bus.channel('a', { maxAttempts: 3 }).subscribe('a', async (__, attempt) => {
      attempts.push(attempt.number);
      await gate.opened;
      return attempt.redelivered || attempt.retryIn(10);
    });
    offerEach(bus, 'a', [1]);
    await turn();
    bus.hold(stage);
    gate.open();
    await turn();
    await clock.advance(1_000);
    expect(attempts).toEqual([1]);
    expect(bus.stats()['a']).toMatchObject({ depth: 1, inFlight: 0 });
    bus.release(stage);
    await bus.idle();
    expect(attempts).toEqual([1, 2]);
    expectBalanced(bus);
  });

  it('R8.8 a stage without a consumer dead-letters nothing while it is held', async () => {
    const { bus } = manualBus();
    bus.channel('a');
    bus.hold(stage);
    offerEach(bus, 'a', [1]);
    await turn();
    expect(bus.stats()['a']).toMatchObject({ depth: 1, deadLettered: 0 });
    bus.subscribe('a', () => true);
    bus.release(stage);
    await bus.idle();
    expect(bus.stats()['a']).toMatchObject({ delivered: 1, deadLettered: 0 });
  });
});

describe('R8.8 holds of different reach', () => {
  it('R8.8 a stage that is held by itself stays so when the bus is released, and the other way round', async () => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.subscribe('a', recorder.consumer).subscribe('b', recorder.consumer);
    bus.hold('a');
    bus.hold();
    offerEach(bus, 'a', ['a']);
    offerEach(bus, 'b', ['b']);
    bus.release();
    await turn();
    expect(recorder.seen).toEqual(['b']);
    bus.hold();
    bus.release('a');
    await turn();
    expect(recorder.seen).toEqual(['b']);
    bus.release();
    await bus.idle();
    expect(recorder.seen).toEqual(['b', 'a']);
  });

  it('R8.8 a paused stage that is held shows as held, and both end on their own', () => {
    const { bus } = manualBus();
    bus.channel('a');
    const state = (): unknown => bus.stats()['a']?.state;
    bus.pause('a');
    bus.hold('a');
    expect(state()).toBe('held');
    bus.release('a');
    expect(state()).toBe('paused');
    bus.resume('a');
    expect(state()).toBe('open');
  });
});
