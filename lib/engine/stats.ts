import { type DropReason } from './books.js';
import type { StageState } from './lifecycle/lifecycle.js';
import type { Backpressure } from './options.js';
import type { Stage } from './stage.js';

/**
 * A stage at one instant. The books balance in every one of them:
 * `offered = waiting + depth + retrying + inFlight + delivered + deadLettered + dropped`.
 */
export interface StageStats {
  readonly state: StageState;
  readonly capacity: number;
  readonly concurrency: number;
  readonly backpressure: Backpressure;
  /** Whether it is a dead-letter channel. */
  readonly keepsDeadLetters: boolean;
  /** Publishes that asked for this stage by name, hops and dead letters that arrived. */
  readonly offered: number;
  /** Of `offered`: what an earlier process had admitted and not finished. */
  readonly recovered: number;
  /** Publishers that wait for room now, or for their envelope to be stored. */
  readonly waiting: number;
  /** Queued now, parked dead letters included. */
  readonly depth: number;
  /** Waiting for a retry or a delay now. */
  readonly retrying: number;
  /** Attempts that run now, and those whose envelope waits for room at its next hop. */
  readonly inFlight: number;
  /** Admitted. */
  readonly enqueued: number;
  readonly delivered: number;
  /** Attempts that ended in `false`, an error, a timeout or `retryIn`; an envelope counts as often as it failed. */
  readonly nacked: number;
  readonly deadLettered: number;
  readonly dropped: number;
  readonly droppedBy: Readonly<Record<DropReason, number>>;
  /** Milliseconds since the oldest of `depth` was admitted; 0 when nothing waits. */
  readonly oldestAgeMs: number;
  /** Milliseconds since a publisher had to wait or was refused, or one was evicted; `Infinity` when none ever was. */
  readonly pressedAgoMs: number;
}

export function statsOf(stage: Stage): StageStats {
  const { books, backend, settings } = stage;
  const now = stage.host.clock.now();
  return {
    state: stage.state,
    capacity: settings.capacity,
    concurrency: settings.concurrency,
    backpressure: settings.backpressure,
    keepsDeadLetters: stage.parks,
    offered: books.offered,
    recovered: books.recovered,
    waiting: books.waiting,
    depth: backend.depth,
    retrying: backend.retrying,
    inFlight: books.inFlight,
    enqueued: books.enqueued,
    delivered: books.delivered,
    nacked: books.nacked,
    deadLettered: books.deadLettered,
    dropped: books.dropped,
    droppedBy: { ...books.droppedBy },
    oldestAgeMs: now - (backend.oldestAdmittedAt ?? now),
    pressedAgoMs: now - stage.admission.pressedAt,
  };
}
