import { Backpressure, type Outcome, type SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { Recorder, manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** A stage of capacity 2 whose only permit is taken: what is published now waits or meets the policy. */
async function behindAGate(backpressure: Backpressure) {
  const { bus, clock } = manualBus();
  const gate = new Gate();
  const recorder = new Recorder();
  bus.channel('a', { capacity: 2, backpressure }).subscribe('a', async (envelope) => {
    await gate.opened;
    recorder.consumer(envelope);
  });
  await bus.publish(makeEnvelope('a', 'first'));
  await turn();
  return { bus, clock, gate, seen: recorder.seen };
}

const droppedBy = (bus: SedaBus, stage = 'a'): object =>
  Object.fromEntries(Object.entries(bus.stats()[stage]?.droppedBy ?? {}).filter(([, count]) => count > 0));

describe('C1 Block', () => {
  it('C1 lets every publisher wait and in the end accepts all of them, each under its own deadline', async () => {
    const { bus, gate, seen } = await behindAGate(Backpressure.Block);
    const answers = numbers(10).map((n) => bus.publish(makeEnvelope('a', n), { timeoutMs: 1_000 + n }));
    await turn();
    expect(bus.stats()['a']).toMatchObject({ depth: 2, waiting: 8, inFlight: 1 });
    gate.open();
    expect(await Promise.all(answers)).toEqual(numbers(10).map(() => true));
    await bus.idle();
    expect(seen).toEqual(['first', ...numbers(10)]);
    expectBalanced(bus);
  });

  it('C1 answers false to exactly those whose deadline passes', async () => {
    const { bus, clock, gate, seen } = await behindAGate(Backpressure.Block);
    const answers = numbers(5).map((n) =>
      bus.publish(makeEnvelope('a', n), { timeoutMs: n < 4 ? 100 * (n + 1) : 10_000 }),
    );
    await clock.advance(400);
    gate.open();
    expect(await Promise.all(answers)).toEqual([true, true, false, false, true]);
    await bus.idle();
    expect(seen).toEqual(['first', 0, 1, 4]);
    expect(droppedBy(bus)).toEqual({ timeout: 2 });
    expect(clock.pending).toBe(0);
    expectBalanced(bus);
  });
});

describe.each([
  [Backpressure.Reject, 'rejected'],
  [Backpressure.DropNewest, 'drop-newest'],
])('C1 %s', (policy, reason) => {
  it(`C1 R1.3 answers false at once and counts exactly the refusals as ${reason}`, async () => {
    const { bus, gate, seen } = await behindAGate(policy);
    const outcomes: Outcome[] = [];
    const answers = offerEach(bus, 'a', numbers(10), { onSettled: (outcome) => outcomes.push(outcome) });
    expect(answers).toEqual(numbers(10).map((n) => n < 2));
    expect(await bus.publish(makeEnvelope('a'))).toBe(false);
    expect(droppedBy(bus)).toEqual({ [reason]: 9 });
    expect(outcomes).toEqual(numbers(8).map(() => ({ status: 'dropped', stage: 'a', reason })));
    expectBalanced(bus);
    gate.open();
    await bus.idle();
    expect(seen).toEqual(['first', 0, 1]);
    expectBalanced(bus);
  });
});

describe('C1 DropOldest', () => {
  it('C1 always accepts, is never deeper than its capacity, and never delivers what was evicted', async () => {
    const { bus, gate, seen } = await behindAGate(Backpressure.DropOldest);
    const evicted: unknown[] = [];
    bus.on('dropped', ({ envelope, reason }) => evicted.push([envelope.content(), reason]));
    for (const n of numbers(10)) {
      expect(await bus.publish(makeEnvelope('a', n))).toBe(true);
      expect(bus.stats()['a']?.depth).toBeLessThanOrEqual(2);
      expectBalanced(bus);
    }
    gate.open();
    await bus.idle();
    expect(seen).toEqual(['first', 8, 9]);
    expect(evicted).toEqual(numbers(8).map((n) => [n, 'drop-oldest']));
    expectBalanced(bus);
  });
});

describe('Q05 ten offers on a held stage of capacity 2', () => {
  const tenOffers = (backpressure: Backpressure) => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    const lost: unknown[] = [];
    bus.on('dropped', ({ envelope }) => lost.push(envelope.content()));
    bus.channel('a', { capacity: 2, backpressure }).subscribe('a', recorder.consumer);
    bus.hold('a');
    const accepted = offerEach(bus, 'a', numbers(10)).filter(Boolean).length;
    return { bus, recorder, lost, accepted };
  };

  it.each([
    [Backpressure.Block, 2, 'rejected', [0, 1]],
    [Backpressure.Reject, 2, 'rejected', [0, 1]],
    [Backpressure.DropNewest, 2, 'drop-newest', [0, 1]],
    [Backpressure.DropOldest, 10, 'drop-oldest', [8, 9]],
  ] as const)('Q05 %s accepts %i and tells of the other eight as %s', async (policy, accepted, reason, kept) => {
    const { bus, recorder, lost, ...answered } = tenOffers(policy);
    expect(answered.accepted).toBe(accepted);
    expect(droppedBy(bus)).toEqual({ [reason]: 8 });
    expectBalanced(bus);
    bus.release('a');
    await bus.idle();
    expect(recorder.seen).toEqual(kept);
    expect([...recorder.seen, ...lost].toSorted()).toEqual(numbers(10));
    expect(bus.stats()['a']).toMatchObject({ offered: 10, delivered: 2, dropped: 8 });
  });

  it('Q05 Block keeps eight publishers waiting and loses nothing', async () => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.channel('a', { capacity: 2 }).subscribe('a', recorder.consumer);
    bus.hold('a');
    const answers = numbers(10).map((n) => bus.publish(makeEnvelope('a', n)));
    await turn();
    expect(bus.stats()['a']).toMatchObject({ depth: 2, waiting: 8, dropped: 0 });
    bus.release('a');
    expect(await Promise.all(answers)).toEqual(numbers(10).map(() => true));
    await bus.idle();
    expect(recorder.seen).toEqual(numbers(10));
    expectBalanced(bus);
  });
});
