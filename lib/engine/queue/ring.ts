import type { EnvelopeShape } from '../envelope.js';
import type { Receipt } from '../intake/receipt.js';
import { Lease } from './lease.js';

const SMALLEST = 16;
const NO_TIMES = new Float64Array(0);
/** Above this size an empty ring gives its memory back. */
const LARGEST_KEPT = 4_096;

/**
 * First in, first out, growing by doubling. `head` and `tail` count for ever; the slot is their low bits.
 *
 *     slots   [ · · e e e e · · ]      length = tail − head ≤ slots, a power of two
 *                   ▲       ▲
 *                 head     tail
 *
 * An envelope that waits costs three array slots (four, if somebody asked for a receipt) and no object of its own:
 * envelopes, sequence numbers and times lie in arrays side by side. The lease is made when it is taken.
 */
export class Ring {
  private head = 0;
  private tail = 0;
  /** −1: no slots yet; many stages never see an envelope. */
  private mask = -1;
  private envelopes: (EnvelopeShape | undefined)[] = [];
  /** Not in a typed array: what comes out of this one is a small integer, and no box is made for it. */
  private sequences: number[] = [];
  private admittedAts = NO_TIMES;
  /** Made when the first receipt comes. */
  private receipts: (Receipt | undefined)[] | undefined;

  get length(): number {
    return this.tail - this.head;
  }

  /** The sequence number of the next to be taken; `Infinity` when there is none. */
  get headSequence(): number {
    return this.length > 0 ? (this.sequences[this.head & this.mask] as number) : Number.POSITIVE_INFINITY;
  }

  /** When the next to be taken was admitted; `Infinity` when there is none. */
  get headAdmittedAt(): number {
    return this.length > 0 ? (this.admittedAts[this.head & this.mask] as number) : Number.POSITIVE_INFINITY;
  }

  push(envelope: EnvelopeShape, sequence: number, admittedAt: number, receipt: Receipt | undefined): void {
    if (this.tail - this.head > this.mask) this.resize(Math.max((this.mask + 1) * 2, SMALLEST));
    const slot = this.tail++ & this.mask;
    this.envelopes[slot] = envelope;
    this.sequences[slot] = sequence;
    this.admittedAts[slot] = admittedAt;
    if (receipt !== undefined) (this.receipts ??= emptySlots(this.mask + 1))[slot] = receipt;
  }

  /** Takes the oldest out, as a lease that has not been charged with an attempt yet. */
  shift(): Lease | undefined {
    if (this.head === this.tail) return undefined;
    const slot = this.head & this.mask;
    const lease = this.leaseAt(slot);
    this.envelopes[slot] = undefined;
    if (this.receipts !== undefined) this.receipts[slot] = undefined;
    this.head++;
    if (this.head === this.tail && this.mask >= LARGEST_KEPT) this.reset();
    return lease;
  }

  /** Takes out all that match, oldest first. O(n). */
  extract(matches: (lease: Lease) => boolean): Lease[] {
    const taken: Lease[] = [];
    const kept: Lease[] = [];
    for (const lease of this) (matches(lease) ? taken : kept).push(lease);
    if (taken.length > 0) {
      this.reset();
      for (const lease of kept) this.push(lease.envelope, lease.sequence, lease.admittedAt, lease.receipt);
    }
    return taken;
  }

  /** Oldest first, each as a lease of its own; nothing is taken out. */
  *[Symbol.iterator](): Generator<Lease> {
    for (let at = this.head; at < this.tail; at++) yield this.leaseAt(at & this.mask);
  }

  private leaseAt(slot: number): Lease {
    return new Lease(
      this.envelopes[slot] as EnvelopeShape,
      this.sequences[slot] as number,
      this.admittedAts[slot] as number,
      this.receipts?.[slot],
    );
  }

  private reset(): void {
    this.head = this.tail = 0;
    this.mask = -1;
    this.envelopes = [];
    this.sequences = [];
    this.admittedAts = NO_TIMES;
    this.receipts = undefined;
  }

  private resize(size: number): void {
    const envelopes = emptySlots<EnvelopeShape>(size);
    const sequences = new Array<number>(size).fill(0);
    const admittedAts = new Float64Array(size);
    const receipts = this.receipts === undefined ? undefined : emptySlots<Receipt>(size);
    for (let at = this.head; at < this.tail; at++) {
      const from = at & this.mask;
      const to = at & (size - 1);
      envelopes[to] = this.envelopes[from];
      sequences[to] = this.sequences[from] as number;
      admittedAts[to] = this.admittedAts[from] as number;
      if (receipts !== undefined) receipts[to] = this.receipts?.[from];
    }
    this.envelopes = envelopes;
    this.sequences = sequences;
    this.admittedAts = admittedAts;
    this.receipts = receipts;
    this.mask = size - 1;
  }
}

/** Filled, so that the array has no holes and stays fast. */
function emptySlots<T>(size: number): (T | undefined)[] {
  return new Array<T | undefined>(size).fill(undefined);
}
