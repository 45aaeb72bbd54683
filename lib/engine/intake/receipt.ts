import type { AsyncResource } from 'node:async_hooks';
import type { Envelope } from '#ra-common';
import type { DropReason } from '../books.js';
import type { EnvelopeShape } from '../envelope.js';

/** The end of an envelope, told once. */
export type Outcome =
  | { readonly status: 'completed'; readonly stage: string }
  | { readonly status: 'dead-lettered'; readonly stage: string; readonly reason: string; readonly error?: Error }
  | { readonly status: 'dropped'; readonly stage: string | undefined; readonly reason: DropReason | 'unroutable' };

export type OnComplete = (envelope: Envelope) => unknown;
export type OnSettled = (outcome: Outcome, envelope: Envelope) => unknown;

/**
 * What a publisher asked to be told, and the asynchronous context it published in, if that is carried along. It travels
 * with the envelope over all hops; most envelopes have none.
 */
export class Receipt {
  private settled = false;

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
    const envelope = shape as Envelope;
    const { onComplete, onSettled } = this;
    if (outcome.status === 'completed' && onComplete !== undefined) this.call(() => onComplete(envelope));
    if (onSettled !== undefined) this.call(() => onSettled(outcome, envelope));
  }

  private call(callback: () => unknown): void {
    this.guard(() => this.inContext(callback));
  }
}
