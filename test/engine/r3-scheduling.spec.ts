import { SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { Recorder, manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

describe('R3.1 a consumer never runs inside the call that gave it work', () => {
  it.each<[string, (bus: SedaBus) => unknown]>([
    ['publish', (bus) => bus.publish(makeEnvelope('a'))],
    ['offer', (bus) => bus.offer(makeEnvelope('a'))],
    ['publishAndWait', (bus) => bus.publishAndWait(makeEnvelope('a'))],
    ['a publish of a StageRef', (bus) => bus.stage('a')?.publish(1)],
  ])('R3.1 %s returns first', async (_, call) => {
    const { bus } = manualBus();
    let inside = false;
    const calledInside: boolean[] = [];
    bus.subscribe('a', () => void calledInside.push(inside));
    inside = true;
    void call(bus);
    inside = false;
    await turn();
    expect(calledInside).not.toContain(true);
  });

  it.each<[string, (bus: SedaBus) => unknown]>([
    ['release', (bus) => bus.release()],
    ['release of the stage', (bus) => bus.release('a')],
    ['start', (bus) => bus.start()],
    ['resume', (bus) => bus.resume()],
  ])('R3.1 %s returns first', async (_, call) => {
    const { bus } = manualBus({ autoStart: false });
    let inside = false;
    const calledInside: boolean[] = [];
    bus.subscribe('a', () => void calledInside.push(inside));
    bus.hold();
    bus.hold('a');
    offerEach(bus, 'a', [1]);
    inside = true;
    void call(bus);
    inside = false;
    void bus.start();
    bus.release();
    bus.release('a');
    await turn();
    expect(calledInside).toEqual([false]);
  });
});

describe('R3.2 scheduling', () => {
  it('R3.2 nothing is scheduled and no timer set while nothing can start', async () => {
    const { bus, clock } = manualBus();
    bus.channel('a');
    bus.hold('a');
    offerEach(bus, 'a', numbers(10));
    const immediates = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Immediate').length;
    const before = immediates();
    await Promise.resolve();
    expect(immediates()).toBe(before);
    expect(clock.pending).toBe(0);
  });

  it('R3.2 a stage that becomes ready while it drains is drained again', async () => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.channel('a', { drainBatch: 2 }).subscribe('a', (envelope) => {
      recorder.consumer(envelope);
      const n = envelope.content() as number;
      if (n < 9) offerEach(bus, 'a', [n + 1]);
    });
    offerEach(bus, 'a', [0]);
    await bus.idle();
    expect(recorder.seen).toEqual(numbers(10));
    expectBalanced(bus);
  });
});

describe('R3.3 permits', () => {
  const peakOf = async (concurrency: number | undefined, perStage: number): Promise<number> => {
    const { bus } = manualBus(concurrency === undefined ? {} : { concurrency });
    let running = 0;
    let peak = 0;
    for (const name of ['a', 'b', 'c']) {
      bus.channel(name, { concurrency: perStage }).subscribe(name, async () => {
        peak = Math.max(peak, ++running);
        await turn();
        running--;
      });
      offerEach(bus, name, numbers(10));
    }
    await bus.idle();
    expectBalanced(bus);
    return peak;
  };

  it.each([
    [undefined, 4, 12],
    [5, 4, 5],
    [1, 4, 1],
    [100, 1, 3],
  ])('R3.3 a bus-wide cap of %p over three stages of %i allows %i at once', async (cap, perStage, most) => {
    expect(await peakOf(cap, perStage)).toBe(most);
  });

  it('Q11 several handlers of one stage with concurrency 2 never run more than two in total', async () => {
    const { bus } = manualBus();
    let running = 0;
    let peak = 0;
    const calls = [0, 0, 0];
    bus.channel('a', { concurrency: 2 });
    for (const kind of numbers(3)) {
      bus.subscribe('a', async () => {
        calls[kind]!++;
        peak = Math.max(peak, ++running);
        await turn();
        running--;
      });
    }
    offerEach(bus, 'a', numbers(30));
    await bus.idle();
    expect(peak).toBe(2);
    expect(calls).toEqual([10, 10, 10]);
  });

  it('R3.3 a permit is free for the next as soon as an attempt has its verdict', async () => {
    const { bus } = manualBus({ concurrency: 1 });
    const gates = [new Gate(), new Gate()];
    const started: number[] = [];
    bus.subscribe('a', (envelope) => {
      started.push(envelope.content() as number);
      return gates[envelope.content() as number]?.opened;
    });
    offerEach(bus, 'a', [0, 1]);
    await turn();
    expect(started).toEqual([0]);
    gates[0]?.open();
    await turn();
    expect(started).toEqual([0, 1]);
    gates[1]?.open();
    await bus.idle();
    expectBalanced(bus);
  });
});

describe('R3.5 and R3.6', () => {
  it('R3.5 a synchronous consumer is handled without a promise: in the same microtask as its neighbours', async () => {
    const { bus } = manualBus({ turnMs: 1e9 });
    let microtasks = 0;
    const work = { running: true };
    const atMicrotask: number[] = [];
    bus.channel('a', { drainBatch: 100 }).subscribe('a', () => void atMicrotask.push(microtasks));
    offerEach(bus, 'a', numbers(50));
    const count = async (): Promise<void> => {
      for (; work.running && microtasks < 1_000; microtasks++) await Promise.resolve();
    };
    void count();
    await bus.idle();
    work.running = false;
    expect(new Set(atMicrotask).size).toBe(1);
  });

  it('R3.6 with concurrency 1 and no backoff the order is that of admission, retries included', async () => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.channel('a', { maxAttempts: 3, capacity: 100, drainBatch: 3 }).subscribe('a', async (envelope, attempt) => {
      if ((envelope.content() as number) % 2 === 0) await Promise.resolve();
      recorder.consumer(envelope);
      return (envelope.content() as number) % 5 > 0 || attempt.number === 3;
    });
    offerEach(bus, 'a', numbers(20));
    await bus.idle();
    expect(recorder.seen).toEqual(numbers(20).flatMap((n) => (n % 5 > 0 ? [n] : [n, n, n])));
    expectBalanced(bus);
  });
});
