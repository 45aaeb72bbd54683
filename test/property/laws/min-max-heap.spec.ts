import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MinMaxHeap } from '../../../lib/engine/queue/min-max-heap.js';

type Step = { readonly add: number } | 'takeFirst' | 'takeLast' | { readonly extract: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ add: fc.integer({ min: -30, max: 30 }) }) },
  { weight: 2, arbitrary: fc.constant('takeFirst' as const) },
  { weight: 2, arbitrary: fc.constant('takeLast' as const) },
  { weight: 1, arbitrary: fc.record({ extract: fc.integer({ min: 1, max: 5 }) }) },
);

/** A heap and a sorted array that must stay alike. */
class Pair {
  private readonly heap = new MinMaxHeap<number>((one, other) => one < other);
  private sorted: number[] = [];

  run(next: Step): void {
    if (next === 'takeFirst') assert.equal(this.heap.takeFirst(), this.sorted.shift());
    else if (next === 'takeLast') assert.equal(this.heap.takeLast(), this.sorted.pop());
    else if ('add' in next) this.add(next.add);
    else this.extract(next.extract);
    this.compare();
  }

  private add(item: number): void {
    this.heap.add(item);
    this.sorted = [...this.sorted, item].toSorted((one, other) => one - other);
  }

  private extract(divisor: number): void {
    const matches = (item: number): boolean => item % divisor === 0;
    assert.deepEqual(inOrder(this.heap.extract(matches)), this.sorted.filter(matches));
    this.sorted = this.sorted.filter((item) => !matches(item));
  }

  private compare(): void {
    assert.equal(this.heap.size, this.sorted.length);
    assert.equal(this.heap.first, this.sorted[0]);
    assert.equal(this.heap.last, this.sorted.at(-1));
    assert.deepEqual(inOrder(this.heap), this.sorted);
  }
}

const inOrder = (items: Iterable<number>): number[] => [...items].toSorted((one, other) => one - other);

describe('A min-max heap', () => {
  it('has both ends of a sorted array at hand, whatever was added and taken before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
        const pair = new Pair();
        for (const next of steps) pair.run(next);
      }),
      { numRuns: 1_000 },
    );
  });

  it('sorts from either end', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (items) => {
        const [rising, falling] = [filled(items), filled(items)];
        assert.deepEqual(
          items.map(() => rising.takeFirst()),
          inOrder(items),
        );
        assert.deepEqual(
          items.map(() => falling.takeLast()),
          inOrder(items).toReversed(),
        );
      }),
    );
  });
});

function filled(items: readonly number[]): MinMaxHeap<number> {
  const heap = new MinMaxHeap<number>((one, other) => one < other);
  for (const item of items) heap.add(item);
  return heap;
}
