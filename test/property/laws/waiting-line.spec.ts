import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { AbortWatch } from '../../../lib/engine/admission/abort-watch.js';
import { WaitingLine } from '../../../lib/engine/admission/waiting-line.js';
import { Told } from '../../support/told.js';
import { StepClock } from '../books/step-clock.js';

type Step =
  | { readonly join: { readonly timeoutMs: number | undefined; readonly signal: number | undefined } }
  | 'shift'
  | 'dismiss'
  | { readonly abort: number }
  | { readonly wait: number };

const SIGNALS = 3;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      join: fc.record({
        timeoutMs: fc.option(fc.nat(20), { nil: undefined }),
        signal: fc.option(fc.nat(SIGNALS - 1), { nil: undefined }),
      }),
    }),
  },
  { weight: 3, arbitrary: fc.constant('shift' as const) },
  { weight: 1, arbitrary: fc.constant('dismiss' as const) },
  { weight: 2, arbitrary: fc.record({ abort: fc.nat(SIGNALS - 1) }) },
  { weight: 2, arbitrary: fc.record({ wait: fc.nat(15) }) },
);

interface Waiting {
  readonly id: number;
  readonly deadline: number;
  readonly signal: number | undefined;
}

/** A waiting line and a list of who must stand in it. */
class Pair {
  private readonly clock = new StepClock();
  private readonly line = new WaitingLine(this.clock, new AbortWatch());
  private readonly controllers = Array.from({ length: SIGNALS }, () => new AbortController());
  private readonly heard: string[] = [];
  private readonly expected: string[] = [];
  private list: Waiting[] = [];
  private ids = 0;

  run(next: Step): void {
    if (next === 'shift') this.shift();
    else if (next === 'dismiss') this.dismiss();
    else if ('join' in next) this.join(next.join);
    else if ('abort' in next) this.abort(next.abort);
    else this.wait(next.wait);
    this.compare();
  }

  private join({ timeoutMs, signal }: { timeoutMs: number | undefined; signal: number | undefined }): void {
    const id = this.ids++;
    // Who joins with an aborted signal was refused before.
    const usable = signal !== undefined && !this.signal(signal).aborted ? signal : undefined;
    const patience = { timeoutMs, signal: usable === undefined ? undefined : this.signal(usable) };
    this.line.join(patience, new Told((answer) => this.heard.push(`${id} ${answer}`)));
    this.list.push({ id, deadline: this.clock.now() + (timeoutMs ?? Number.POSITIVE_INFINITY), signal: usable });
  }

  private shift(): void {
    this.line.shift()?.called('admitted');
    this.leave('admitted', this.list.slice(0, 1));
  }

  private dismiss(): void {
    this.line.dismiss('closed');
    this.leave('closed', this.list);
  }

  private abort(signal: number): void {
    this.controllers[signal]?.abort();
    this.leave(
      'aborted',
      this.list.filter((waiting) => waiting.signal === signal),
    );
  }

  private wait(ms: number): void {
    const end = this.clock.now() + ms;
    while (this.clock.step(end));
    const late = this.list.filter(({ deadline }) => deadline <= end);
    this.leave(
      'timeout',
      late.toSorted((one, other) => one.deadline - other.deadline || one.id - other.id),
    );
  }

  private leave(answer: string, leaving: readonly Waiting[]): void {
    for (const { id } of leaving) this.expected.push(`${id} ${answer}`);
    this.list = this.list.filter((waiting) => !leaving.includes(waiting));
  }

  private compare(): void {
    assert.deepEqual(this.heard, this.expected);
    assert.equal(this.line.length, this.list.length);
    assert.equal(this.clock.pending, this.list.filter(({ deadline }) => Number.isFinite(deadline)).length);
    for (let each = 0; each < SIGNALS; each++) {
      const waits = this.list.some(({ signal }) => signal === each);
      assert.equal(getEventListeners(this.signal(each), 'abort').length, waits ? 1 : 0);
    }
  }

  private signal(index: number): AbortSignal {
    return (this.controllers[index] as AbortController).signal;
  }
}

describe('A waiting line', () => {
  it('calls each who waits once, in order, and keeps a timer and a listener only for those who still wait', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const pair = new Pair();
        for (const next of steps) pair.run(next);
      }),
      { numRuns: 1_000 },
    );
  });
});
