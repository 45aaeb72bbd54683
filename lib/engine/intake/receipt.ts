import type { AsyncResource } from 'node:async_hooks';
import type { Envelope } from '#ra-common';
import type { DropReason } from '../books.js';
import type { EnvelopeShape } from '../envelope.js';

/** The end of an envelope, told once. */
export type Outcome =
  | { readonly status: 'completed'; readonly stage: string }
  | { readonly status: 'dead-lettered'; readonly stage: string; readonly reason: string; readonly error?: Error }
  | { readonly status: 'dropped'; readonly stage: string | undefined; readonly reason: DropReason | 'unroutable' }
  /** The bus has ended, and the envelope has not: it is on disk and goes on at the next start. */
  | { readonly status: 'kept'; readonly stage: string };

/** A copy on disk of an envelope that is in memory only: what it was when it left its last durable stage. */
export interface Custody {
  /** Removes it with the next group. `told` hears when that is durable, or with `false` that this will not be known. */
  end(told?: (durable: boolean) => void): void;
}

export type OnComplete = (envelope: Envelope) => unknown;
export type OnSettled = (outcome: Outcome, envelope: Envelope) => unknown;

/**
 * What a publisher asked to be told, and the asynchronous context it published in, if that is carried along. It travels
 * with the envelope over all hops; most envelopes have none.
 */
export class Receipt {
  private settled = false;
  /** What brings the envelope back after a crash, as long as memory is all it is in. */
  custody: Custody | undefined = undefined;

  constructor(
    private readonly onComplete: OnComplete | undefined,
    private readonly onSettled: OnSettled | undefined,
    /** Calls a callback of the user; what it throws is counted, and changes nothing. */
    private readonly guard: (callback: () => unknown) => void,
    private readonly context?: AsyncResource,
  ) {}

  /** Runs something in the context of the publish, where that is carried along. */
  inContext<T>(work: () => T): T {
    return this.context === undefined ? work() : this.context.runInAsyncScope(work);
  }

  settle(outcome: Outcome, shape: EnvelopeShape): void {
    if (this.settled) return;
    this.settled = true;
    const { custody } = this;
    if (custody === undefined) this.tell(outcome, shape);
    else this.endCustody(custody, outcome, shape);
  }

  /** A durable stage has the envelope now. */
  handOver(): void {
    this.custody?.end();
    this.custody = undefined;
  }

  private endCustody(custody: Custody, outcome: Outcome, shape: EnvelopeShape): void {
    const kept: Outcome = { status: 'kept', stage: outcome.stage ?? '' };
    // What a shutdown cuts off in memory comes back from the disk.
    if (outcome.status === 'kept' || (outcome.status === 'dropped' && outcome.reason === 'abandoned'))
      this.tell(kept, shape);
    else custody.end((durable) => this.tell(durable ? outcome : kept, shape));
  }

  private tell(outcome: Outcome, shape: EnvelopeShape): void {
    const envelope = shape as Envelope;
    const { onComplete, onSettled } = this;
    if (outcome.status === 'completed' && onComplete !== undefined) this.call(() => onComplete(envelope));
    if (onSettled !== undefined) this.call(() => onSettled(outcome, envelope));
  }

  private call(callback: () => unknown): void {
    this.guard(() => this.inContext(callback));
  }
}
