import fc from 'fast-check';
import { Backpressure, type Consumer, type Envelope, SedaBus } from '#engine';
import { letters, numbered } from './interleavings/play.js';
import { StepClock } from './books/step-clock.js';

/** How often each attempt fails before it acks, and whether the handler is asynchronous then. */
const plans = fc.array(fc.record({ failures: fc.nat(2), asynchronous: fc.boolean() }), { minLength: 1, maxLength: 12 });

type Plan = { readonly failures: number; readonly asynchronous: boolean };

/** A handler that goes by the plan of each envelope, and the attempts in the order in which they began. */
function recorder(plan: readonly Plan[]): { readonly begun: string[]; readonly consumer: Consumer } {
  const begun: string[] = [];
  const consumer: Consumer = ({ id }, attempt) => {
    begun.push(`${id} ${attempt.number}`);
    const { failures, asynchronous } = plan[Number(id.slice(1)) % plan.length] as Plan;
    const verdict = attempt.number > failures;
    return asynchronous ? Promise.resolve(verdict) : verdict;
  };
  return { begun, consumer };
}

/** Each envelope's attempts follow one another, and the envelopes each other. */
const inOrder = (plan: readonly Plan[], ids: readonly string[]): string[] =>
  ids.flatMap((id, index) =>
    Array.from({ length: (plan[index % plan.length] as Plan).failures + 1 }, (_, before) => `${id} ${before + 1}`),
  );

const busOf = (capacity: number, consumer: Consumer): SedaBus =>
  new SedaBus({ clock: new StepClock(), turnMs: 1e9 })
    .channel('s', { capacity, maxAttempts: 3, backpressure: Backpressure.Block })
    .subscribe('s', consumer);

describe('C9 at concurrency 1, with retries at once', () => {
  it('envelopes are handled in the order in which they were admitted', async () => {
    const property = async (plan: Plan[], capacity: number): Promise<void> => {
      const { begun, consumer } = recorder(plan);
      const bus = busOf(capacity, consumer);
      const ids = numbered('e', plan.length);
      await Promise.all(letters(ids, 's').map((envelope) => bus.publish(envelope)));
      await bus.idle();
      expect(begun).toEqual(inOrder(plan, ids));
    };
    await fc.assert(fc.asyncProperty(plans, fc.integer({ min: 1, max: 12 }), property), { numRuns: 1_000 });
  });

  it('the order holds over several stages', async () => {
    const property = async (plan: Plan[]): Promise<void> => {
      const [first, second] = [recorder(plan), recorder(plan)];
      const bus = busOf(3, first.consumer)
        .channel('t', { capacity: 2, maxAttempts: 3 })
        .subscribe('t', second.consumer);
      const ids = numbered('e', plan.length);
      await Promise.all(letters(ids, 's', 't').map((envelope: Envelope) => bus.publish(envelope)));
      await bus.idle();
      expect([first.begun, second.begun]).toEqual([inOrder(plan, ids), inOrder(plan, ids)]);
    };
    await fc.assert(fc.asyncProperty(plans, property), { numRuns: 1_000 });
  });
});
