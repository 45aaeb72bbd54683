import { type Outcome, type SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { Recorder, manualBus, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** A bus that drains while a handler of `a` does `inside`; what it was answered. */
async function whileDraining(publishWhileDraining: boolean, inside: (bus: SedaBus, attempt: AttemptLike) => unknown) {
  const { bus } = manualBus({ publishWhileDraining });
  const gate = new Gate();
  const recorder = new Recorder();
  const warnings: string[] = [];
  let answer: unknown;
  bus.on('warning', ({ code }) => warnings.push(code));
  bus.subscribe('b', recorder.consumer).subscribe('a', async (_, attempt) => {
    await gate.opened;
    answer = await inside(bus, attempt);
  });
  offerEach(bus, 'a', [1]);
  await turn();
  const drained = bus.shutdown();
  gate.open();
  const result = await drained;
  expectBalanced(bus);
  return { bus, answer, warnings, result, handled: recorder.seen };
}

type AttemptLike = Parameters<Parameters<SedaBus['subscribe']>[1]>[1];

describe('R8.5 publishing while the bus drains', () => {
  it('R8.5 attempt.publish is accepted, and what it publishes is handled to its end', async () => {
    const { answer, handled, result, warnings } = await whileDraining(false, (_, attempt) =>
      attempt.publish(makeEnvelope('b', 'x', { slip: ['b'] })),
    );
    expect({ answer, handled, result, warnings }).toEqual({
      answer: true,
      handled: ['x', 'x'],
      result: true,
      warnings: [],
    });
  });

  it('R8.5 bus.publish, bus.offer and a StageRef are refused, reason `closed`, with one warning for all', async () => {
    const { bus, answer, handled, result, warnings } = await whileDraining(false, async (draining) => [
      await draining.publish(makeEnvelope('b', 1)),
      draining.offer(makeEnvelope('b', 2)),
      await draining.stage('b')?.publish(3),
    ]);
    expect({ answer, handled, result }).toEqual({ answer: [false, false, false], handled: [], result: true });
    expect(bus.stats()['b']).toMatchObject({ droppedBy: { closed: 3 } });
    expect(warnings).toEqual(['SEDA_DRAINING']);
  });

  it('R8.5 with publishWhileDraining they are accepted inside a handler, also after an await and in what it called', async () => {
    const helper = async (bus: SedaBus): Promise<boolean> => {
      await turn();
      return bus.publish(makeEnvelope('b', 2));
    };
    const { answer, handled, result, warnings } = await whileDraining(true, async (draining) => [
      await draining.publish(makeEnvelope('b', 1)),
      await helper(draining),
      draining.offer(makeEnvelope('b', 3)),
      await draining.stage('b')?.publish(4),
    ]);
    expect(answer).toEqual([true, true, true, true]);
    expect({ handled, result, warnings }).toEqual({ handled: [1, 2, 3, 4], result: true, warnings: [] });
  });

  it('R8.5 and not outside of one, nor after its verdict', async () => {
    let late: Promise<boolean> | undefined;
    const gate = new Gate();
    const { bus } = manualBus({ publishWhileDraining: true });
    bus
      .subscribe('b', () => turn())
      .subscribe('a', () => {
        late = gate.opened.then(() => bus.publish(makeEnvelope('b', 'late')));
      });
    offerEach(bus, 'a', [1]);
    await turn();
    offerEach(bus, 'b', [1]);
    const drained = bus.shutdown();
    const outside = bus.publish(makeEnvelope('b', 'outside'));
    gate.open();
    expect([await outside, await late, await drained]).toEqual([false, false, true]);
    expect(bus.stats()['b']).toMatchObject({ delivered: 1, droppedBy: { closed: 2 } });
    expectBalanced(bus);
  });

  it('R8.5 a publish with a delay beyond the deadline is abandoned at once', async () => {
    const ends: Outcome[] = [];
    const { answer, result } = await whileDraining(false, (_, attempt) =>
      attempt.publish(makeEnvelope('b'), { delayMs: 31_000, onSettled: (end) => ends.push(end) }),
    );
    expect([answer, result, ends]).toEqual([false, false, [{ status: 'dropped', stage: 'b', reason: 'abandoned' }]]);
  });

  it('R8.5 an unknown stage is `false` there, not an error, also with `unknownStage: throw`', async () => {
    const { bus } = manualBus({ unknownStage: 'throw' });
    const gate = new Gate();
    const answers: unknown[] = [];
    bus.subscribe('a', async (_, attempt) => {
      answers.push(await attempt.publish(makeEnvelope('nowhere')).catch(({ code }: { code: string }) => code));
      await gate.opened;
      answers.push(await attempt.publish(makeEnvelope('nowhere')));
    });
    offerEach(bus, 'a', [1]);
    await turn();
    const drained = bus.shutdown();
    gate.open();
    expect(await drained).toBe(true);
    expect(answers).toEqual(['SEDA_UNKNOWN_STAGE', false]);
  });
});
