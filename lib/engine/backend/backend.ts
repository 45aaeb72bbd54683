import type { EnvelopeShape } from '../envelope.js';
import type { Lease } from '../queue/lease.js';
import type { Receipt } from '../intake/receipt.js';

/** What a backend can promise. A stage that asks for more is refused with `CapabilityError`, never downgraded. */
export interface Capabilities {
  /** What waits here outlives the process. */
  readonly survivesRestart: boolean;
  /** `offer` answers at once, not with a promise. */
  readonly answersAtOnce: boolean;
  /** `offer` takes envelopes that become due later. */
  readonly delay: boolean;
  /** `evictOldest` works. */
  readonly discardOldest: boolean;
  /** The order in which `take` hands out what is due. */
  readonly ordering: 'fifo' | 'none';
  /** Whether `depth` and `retrying` are exact at every instant. */
  readonly capacity: 'exact' | 'approximate';
}

/** How a lease ends: it is over, it waits until `dueAt` and returns, or it stays and is not handed out again. */
export type Settlement = 'done' | 'return' | 'park';

/**
 * Where a stage's envelopes wait. The stage owns policy, permits, retry, dead letters and the books; the backend owns
 * the queue and knows nothing of the bus.
 */
export interface Backend {
  readonly capabilities: Capabilities;
  /** Queued and parked: what waits for no point in time. */
  readonly depth: number;
  /** What waits for its retry or delay. */
  readonly retrying: number;
  /** What stays here and is not handed out; part of `depth`. */
  readonly parked: number;
  /** Whether `take` would hand something out. */
  readonly ready: boolean;
  /** When the oldest of `depth` was admitted; `undefined` when there is none. */
  readonly oldestAdmittedAt: number | undefined;

  /** Called once, before anything else. `wake` tells the stage that `take` may have something new to hand out. */
  open(wake: () => void): void;
  /**
   * Adds an envelope; with `dueAt` in the future it waits as `retrying` until then. Whether there is room is the stage's
   * question and was asked before.
   */
  offer(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): void;
  /** Hands out what may start now, by admission order, with its attempt charged; `undefined` when there is nothing. */
  take(): Lease | undefined;
  /** Ends a lease that `take` or `takeWhere` handed out. A returned one keeps its place in the order of admission. */
  settle(lease: Lease, settlement: Settlement, dueAt?: number): void;
  /** Takes out the oldest of `depth`; with none, the retry due last. */
  evictOldest(): Lease | undefined;
  /** Takes out all that match, parked ones too, in order of admission and without charging an attempt. O(n log n). */
  takeWhere(matches: (lease: Lease) => boolean): Lease[];
  /** At most `limit` of those here that match and were admitted after the sequence number `after`, in that order. O(n log n). */
  list(after: number, matches: (lease: Lease) => boolean, limit: number): Lease[];
  /** Cancels timers. What is still here stays listed. Twice is once. */
  close(): void;
}
