import { type Attempt, type Outcome, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { Recorder, manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

const settled = async (bus: ReturnType<typeof manualBus>['bus']): Promise<void> => {
  // A deadlock shows as work that is left, not as a test that hangs.
  for (let round = 0; round < 200; round++) await turn();
  expect(Object.values(bus.stats()).map(({ depth, inFlight, waiting }) => depth + inFlight + waiting)).toEqual(
    Object.values(bus.stats()).map(() => 0),
  );
  expectBalanced(bus);
};

describe('R5.2 a small bus-wide cap cannot deadlock a pipeline', () => {
  it.each([1, 2])('R5.2 with a cap of %i hops into stages of capacity 1 all get through', async (concurrency) => {
    const { bus } = manualBus({ concurrency });
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) bus.channel(name, { capacity: 1, concurrency: 2 }).subscribe(name, async () => turn());
    const all = numbers(20).map((n) => bus.publishAndWait(makeEnvelope('a', n, { slip: names.slice(1) })));
    await settled(bus);
    expect((await Promise.all(all)).every(({ status }) => status === 'completed')).toBe(true);
  });

  it('R5.2 with a cap of 1 a hop that waits lets the stage it waits for run', async () => {
    const { bus } = manualBus({ concurrency: 1 });
    bus
      .channel('b', { capacity: 1 })
      .subscribe('a', () => true)
      .subscribe('b', async () => turn());
    bus.hold('b');
    offerEach(bus, 'b', [1]);
    bus.offer(makeEnvelope('a', 2, { slip: ['b'] }));
    await turn();
    bus.release('b');
    await settled(bus);
    expect(bus.stats()['b']).toMatchObject({ delivered: 2 });
  });

  it('R5.2 with a cap of 1 an `attempt.publish` that waits does so, too', async () => {
    const { bus } = manualBus({ concurrency: 1 });
    const answers: boolean[] = [];
    bus.channel('b', { capacity: 1 }).subscribe('b', async () => turn());
    bus.subscribe('a', async (_, attempt) => {
      for (const n of numbers(5)) answers.push(await attempt.publish(makeEnvelope('b', n)));
    });
    offerEach(bus, 'a', [1]);
    await settled(bus);
    expect(answers).toEqual(numbers(5).map(() => true));
  });

  it('R5.2 with a cap of 1 several that wait at once do so: the permit is taken again when none waits', async () => {
    const { bus } = manualBus({ concurrency: 1 });
    bus.channel('b', { capacity: 1 }).subscribe('b', async () => turn());
    bus.subscribe('a', async (_, attempt) => {
      await Promise.all(numbers(5).map((n) => attempt.publish(makeEnvelope('b', n))));
    });
    offerEach(bus, 'a', [1, 2]);
    await settled(bus);
    expect(bus.stats()).toMatchObject({ a: { delivered: 2 }, b: { delivered: 10 } });
  });

  it('R5.2 with a cap of 1 the handlers of one pub/sub envelope may all wait', async () => {
    const { bus } = manualBus({ concurrency: 1 });
    bus.channel('b', { capacity: 1 }).subscribe('b', async () => turn());
    bus.channel('a', { delivery: 'pubsub' });
    for (const n of numbers(3)) bus.subscribe('a', (_, attempt) => attempt.publish(makeEnvelope('b', n)));
    offerEach(bus, 'a', [1, 2]);
    await settled(bus);
    expect(bus.stats()).toMatchObject({ a: { delivered: 2 }, b: { delivered: 6 } });
  });
});

describe('R5.2 the permit is taken again ahead of new attempts', () => {
  const scene = () => {
    const { bus, clock } = manualBus({ concurrency: 1 });
    const order: string[] = [];
    const gates = [new Gate(), new Gate()];
    bus.channel('b', { capacity: 1, concurrency: 2 }).subscribe('b', async (envelope) => {
      order.push(`b ${envelope.content()}`);
      await gates[envelope.content() as number]?.opened;
    });
    return { bus, clock, order, gates };
  };

  it('R5.2 an attempt whose publish was accepted goes on only with a permit, before any new attempt', async () => {
    const { bus, order, gates } = scene();
    bus.hold('b');
    offerEach(bus, 'b', [0]);
    bus.subscribe('a', async (_, attempt) => {
      await attempt.publish(makeEnvelope('b', 1));
      order.push('a goes on');
    });
    offerEach(bus, 'a', [1]);
    await turn();
    bus.release('b');
    await turn();
    // b runs 0 with the only permit; a's publish was accepted, and a has to wait for the permit.
    expect(order).toEqual(['b 0']);
    expect(bus.stats()['b']).toMatchObject({ inFlight: 1, depth: 1 });
    gates[0]?.open();
    await turn();
    expect(order).toEqual(['b 0', 'a goes on', 'b 1']);
    gates[1]?.open();
    await settled(bus);
  });

  it('R5.2 R4.4 an attempt that times out while its publish waits takes nothing again', async () => {
    const { bus, clock, order, gates } = scene();
    bus.hold('b');
    offerEach(bus, 'b', [0]);
    let result: unknown;
    bus.channel('a', { timeoutMs: 10 }).subscribe('a', async (_, attempt) => {
      result = await attempt.publish(makeEnvelope('b', 1));
    });
    offerEach(bus, 'a', [1]);
    await turn();
    await clock.advance(10);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 0, deadLettered: 1 });
    bus.release('b');
    gates.forEach((gate) => gate.open());
    await settled(bus);
    expect([result, order]).toEqual([true, ['b 0', 'b 1']]);
  });

  it('R5.2 a publish that times out, or is aborted, gives the attempt its permit back', async () => {
    const { bus, clock } = scene();
    bus.hold('b');
    offerEach(bus, 'b', [0]);
    const controller = new AbortController();
    const answers: boolean[] = [];
    let running = 0;
    let peak = 0;
    bus.channel('a', { concurrency: 2 }).subscribe('a', async (_, attempt) => {
      answers.push(await attempt.publish(makeEnvelope('b', 1), { timeoutMs: 10 }));
      answers.push(await attempt.publish(makeEnvelope('b', 1), { signal: controller.signal }));
      peak = Math.max(peak, ++running);
      await turn();
      running--;
    });
    offerEach(bus, 'a', [1, 2]);
    await turn();
    await clock.advance(10);
    controller.abort();
    for (let round = 0; round < 10; round++) await turn();
    expect(answers).toEqual([false, false, false, false]);
    expect(peak).toBe(1);
    expect(bus.stats()['a']).toMatchObject({ delivered: 2, inFlight: 0 });
    expectBalanced(bus);
  });
});

describe('R5 attempt.publish', () => {
  it('R5.2 is accepted while the bus and the stage are paused, and obeys the policy of the stage', async () => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.channel('b', { capacity: 1, backpressure: 'reject' }).subscribe('b', recorder.consumer);
    bus.hold('b');
    const answers: boolean[] = [];
    bus.subscribe('a', async (_, attempt) => {
      bus.pause();
      bus.pause('b');
      for (const n of numbers(2)) answers.push(await attempt.publish(makeEnvelope('b', n)));
    });
    offerEach(bus, 'a', [1]);
    await bus.idle('a');
    expect(answers).toEqual([true, false]);
    bus.release('b');
    await bus.idle();
    expect(recorder.seen).toEqual([0]);
    expectBalanced(bus);
  });

  it('R5.2 at most maxWaiting of them wait', async () => {
    const { bus } = manualBus();
    bus.channel('b', { capacity: 1, maxWaiting: 1 }).subscribe('b', () => true);
    bus.hold('b');
    offerEach(bus, 'b', [0]);
    let answers: boolean[] = [];
    bus.subscribe('a', async (_, attempt: Attempt) => {
      answers = await Promise.all(numbers(3).map((n) => attempt.publish(makeEnvelope('b', n))));
    });
    offerEach(bus, 'a', [1]);
    await turn();
    expect(bus.stats()['b']).toMatchObject({ waiting: 1, droppedBy: { rejected: 2 } });
    bus.release('b');
    await settled(bus);
    expect(answers).toEqual([true, false, false]);
  });

  it('R5.6 its envelope has a settlement of its own', async () => {
    const { bus } = manualBus();
    const ends: Outcome[] = [];
    bus.subscribe('b', (_, attempt) => attempt.deadLetter('no'));
    bus.subscribe('a', (_, attempt) => attempt.publish(makeEnvelope('b'), { onSettled: (end) => ends.push(end) }));
    expect(await bus.publishAndWait(makeEnvelope('a'))).toMatchObject({ status: 'completed' });
    await bus.idle();
    expect(ends).toEqual([{ status: 'dead-lettered', stage: 'b', reason: 'no' }]);
  });
});
