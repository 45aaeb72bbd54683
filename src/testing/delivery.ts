import type { Envelope } from '#engine';

/**
 * What an attempt came to. `running`: it waits at a gate, or its handler is not done. `interrupted`: a shutdown cut it off.
 * The others are verdicts: `retry` and `dead-letter` are those of `attempt.retryIn` and `attempt.deadLetter`; an envelope
 * whose last attempt is a `nack` is dead-lettered, too.
 */
export type DeliveryOutcome = 'running' | 'ack' | 'nack' | 'retry' | 'dead-letter' | 'interrupted';

/** One attempt at one envelope. */
export interface RecordedDelivery<Payload = unknown> {
  /** The envelope itself, no copy: it may have travelled on. */
  readonly envelope: Envelope;
  /** What the envelope held when the attempt began. The same value, no copy. */
  readonly payload: Payload;
  /** 1 for the first. */
  readonly attempt: number;
  readonly outcome: DeliveryOutcome;
  /** Of a `nack`: what the handler threw, as it was; `NackedError` for `false`, `AttemptTimeoutError` when it was too late. */
  readonly error?: unknown;
  /** Of a `retry`: what `attempt.retryIn` was given. */
  readonly delayMs?: number;
  /** Of a `dead-letter`: what `attempt.deadLetter` was given. */
  readonly reason?: string;
}

/** How a delivery ends. */
export type DeliveryEnd = Pick<RecordedDelivery, 'outcome' | 'error' | 'delayMs' | 'reason'>;
