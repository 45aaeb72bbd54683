import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Envelope } from '#engine';
import type { EnvelopeShape } from '../../../lib/engine/envelope.js';
import { Receipt } from '../../../lib/engine/intake/receipt.js';
import { Ring } from '../../../lib/engine/queue/ring.js';

/** What a lease says of an envelope that waits. */
interface Item {
  readonly envelope: EnvelopeShape;
  readonly sequence: number;
  readonly admittedAt: number;
  readonly receipt: Receipt | undefined;
}

type Step =
  { readonly push: number; readonly receipts: boolean } | { readonly shift: number } | { readonly extract: number };

const steps = (most: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      fc.record({ push: fc.nat(most), receipts: fc.boolean() }),
      fc.record({ shift: fc.nat(most) }),
      fc.record({ extract: fc.integer({ min: 1, max: 5 }) }),
    ),
    { maxLength: 30 },
  );

/** A ring and an array that must stay alike. */
class Pair {
  private readonly ring = new Ring();
  private array: Item[] = [];
  private sequence = 0;

  run(step: Step): void {
    if ('push' in step) for (let left = step.push; left > 0; left--) this.push(step.receipts);
    else if ('shift' in step) for (let left = step.shift; left > 0; left--) this.shift();
    else this.extract(step.extract);
    this.compare();
  }

  private push(withReceipt: boolean): void {
    const sequence = this.sequence++;
    const receipt = withReceipt ? new Receipt(undefined, undefined, () => undefined) : undefined;
    const item: Item = { envelope: Envelope.headersOnly(), sequence, admittedAt: sequence * 10, receipt };
    this.ring.push(item.envelope, sequence, item.admittedAt, receipt);
    this.array.push(item);
  }

  private shift(): void {
    expectSame(this.ring.shift(), this.array.shift());
  }

  private extract(divisor: number): void {
    const matches = ({ sequence }: { sequence: number }): boolean => sequence % divisor === 0;
    const taken = this.array.filter(matches);
    this.array = this.array.filter((item) => !matches(item));
    expectAllSame(this.ring.extract(matches), taken);
  }

  private compare(): void {
    const [head] = this.array;
    assert.equal(this.ring.length, this.array.length);
    assert.equal(this.ring.headSequence, head?.sequence ?? Number.POSITIVE_INFINITY);
    assert.equal(this.ring.headAdmittedAt, head?.admittedAt ?? Number.POSITIVE_INFINITY);
    expectAllSame([...this.ring], this.array);
  }
}

function expectSame(lease: Item | undefined, item: Item | undefined): void {
  if (lease === undefined || item === undefined) return assert.equal(lease, item);
  const same =
    lease.envelope === item.envelope &&
    lease.sequence === item.sequence &&
    lease.admittedAt === item.admittedAt &&
    lease.receipt === item.receipt;
  if (!same) throw new Error(`expected number ${item.sequence}, got ${lease.sequence}, or another part of it`);
}

function expectAllSame(leases: readonly Item[], items: readonly Item[]): void {
  assert.equal(leases.length, items.length);
  leases.forEach((lease, index) => expectSame(lease, items[index]));
}

describe('A ring', () => {
  const behavesAsAnArray = (list: Step[]): void => {
    const pair = new Pair();
    for (const step of list) pair.run(step);
  };

  it('behaves as an array does, through growth and extraction', () => {
    fc.assert(fc.property(steps(40), behavesAsAnArray), { numRuns: 2_000 });
  });

  it('behaves as an array does when it gives its memory back', () => {
    fc.assert(fc.property(steps(6_000), behavesAsAnArray), { numRuns: 40 });
  });
});
