import fc from 'fast-check';
import type { BackoffOptions } from '#engine';
import { Lifecycle } from '../../../lib/engine/lifecycle/lifecycle.js';
import { nearestNames } from '../../../lib/engine/nearest.js';
import { backoffDelay } from '../../../lib/engine/delivery/retry.js';
import { ACK, type Verdict, nack, worst } from '../../../lib/engine/delivery/verdict.js';

const durations = fc.oneof(fc.nat(100_000), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }));

const backoffs: fc.Arbitrary<Required<BackoffOptions>> = fc.record({
  type: fc.constantFrom('fixed', 'exponential'),
  delayMs: durations,
  factor: fc.double({ min: 1, max: Number.MAX_VALUE, noNaN: true }),
  maxDelayMs: durations,
  jitter: fc.boolean(),
});
const attempts = fc.integer({ min: 1, max: 5_000 });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('The delay before a retry', () => {
  it('is a number from 0 to its maximum, whatever the attempt', () => {
    fc.assert(
      fc.property(backoffs, attempts, chance, (backoff, attempt, drawn) => {
        const delayMs = backoffDelay(backoff, attempt, () => drawn);
        return delayMs >= 0 && delayMs <= backoff.maxDelayMs;
      }),
      { numRuns: 2_000 },
    );
  });

  it('never gets shorter from attempt to attempt, without jitter', () => {
    fc.assert(
      fc.property(backoffs, attempts, (backoff, attempt) => {
        const plain = { ...backoff, jitter: false };
        const [earlier, later] = [attempt, attempt + 1].map((each) => backoffDelay(plain, each, () => Number.NaN));
        return (later as number) >= (earlier as number);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is with jitter at most what it would be without', () => {
    fc.assert(
      fc.property(backoffs, attempts, chance, (backoff, attempt, drawn) => {
        const most = backoffDelay({ ...backoff, jitter: false }, attempt, () => drawn);
        return backoffDelay({ ...backoff, jitter: true }, attempt, () => drawn) <= most;
      }),
    );
  });
});

const verdicts: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constant(ACK),
  fc.string().map((text) => nack(new Error(text))),
  fc.nat(3).map((delayMs) => ({ kind: 'retry' as const, delayMs })),
  fc.string().map((reason) => ({ kind: 'dead-letter' as const, reason })),
);
/** What the order of two equal verdicts cannot change: the text of a reason or an error does not count. */
const weight = (verdict: Verdict): string => `${verdict.kind} ${verdict.kind === 'retry' ? verdict.delayMs : ''}`;

describe('The worst of several verdicts', () => {
  it('is the same in whatever order they come', () => {
    fc.assert(fc.property(verdicts, verdicts, (a, b) => weight(worst(a, b)) === weight(worst(b, a))));
  });

  it('is the same however they are grouped', () => {
    const grouped = (a: Verdict, b: Verdict, c: Verdict): boolean =>
      weight(worst(worst(a, b), c)) === weight(worst(a, worst(b, c)));
    fc.assert(fc.property(verdicts, verdicts, verdicts, grouped));
  });

  it('is one of them, and never better than another', () => {
    const order = ['ack', 'nack', 'retry', 'dead-letter'];
    fc.assert(
      fc.property(verdicts, verdicts, (a, b) => {
        const found = worst(a, b);
        return (found === a || found === b) && order.indexOf(found.kind) >= order.indexOf(a.kind);
      }),
    );
  });
});

const names = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'A', '.'), maxLength: 6 }), { maxLength: 8 });

describe('The nearest names', () => {
  it('are at most three of the known ones, best first, and an exact one is the first', () => {
    fc.assert(
      fc.property(names, fc.nat(), (known, index) => {
        const distinct = [...new Set(known.map((name) => name.toLowerCase()))];
        const name = distinct[index % (distinct.length || 1)] ?? 'a';
        const nearest = nearestNames(name, distinct);
        expect(nearest.length).toBeLessThanOrEqual(3);
        for (const each of nearest) expect(distinct).toContain(each);
        if (distinct.length > 0) expect(nearest[0]).toBe(name);
      }),
    );
  });

  it('do not depend on the order in which the names are known', () => {
    fc.assert(
      fc.property(names, fc.string(), (known, name) => {
        const distinct = [...new Set(known)];
        expect(nearestNames(name, distinct)).toEqual(nearestNames(name, distinct.toReversed()));
      }),
    );
  });
});

type Move = 'start' | 'pause' | 'resume' | 'drain' | 'close';
const moves = fc.array(fc.constantFrom<Move>('start', 'pause', 'resume', 'drain', 'close'), { maxLength: 12 });
const ALLOWED = ['starting open', 'starting paused', 'open paused', 'paused open', 'draining closed'];

describe('The states of a bus', () => {
  it('change only as they may, and each change is told once', () => {
    fc.assert(
      fc.property(moves, (list) => {
        const told: string[] = [];
        const lifecycle = new Lifecycle((to, from) => told.push(`${from} ${to}`));
        for (const move of list) {
          const [before, from] = [told.length, lifecycle.state];
          lifecycle[move]();
          expect(told.slice(before)).toEqual(lifecycle.state === from ? [] : [`${from} ${lifecycle.state}`]);
        }
        for (const change of told) expect(change).toMatch(mayHappen);
      }),
    );
  });

  it('leave the intake open, and attempts running, only where they should', () => {
    fc.assert(
      fc.property(moves, (list) => {
        const lifecycle = new Lifecycle(() => undefined);
        for (const move of list) lifecycle[move]();
        const { state } = lifecycle;
        expect(lifecycle.consuming).toBe(!['starting', 'closed'].includes(state));
        expect(lifecycle.ended).toBe(state === 'closed');
        if (state !== 'starting') expect(lifecycle.intakeOpen).toBe(state === 'open');
      }),
    );
  });
});

/** Into `draining` and `closed` a bus comes from everywhere before them. */
const mayHappen = new RegExp(`^(${ALLOWED.join('|')}|(starting|open|paused) (draining|closed))$`);
