/** Why an envelope was neither delivered nor dead-lettered. `docs/guarantees.md` says when each one happens. */
const DROP_REASONS = Object.freeze([
  'rejected',
  'drop-newest',
  'drop-oldest',
  'timeout',
  'aborted',
  'paused',
  'closed',
  'abandoned',
  'purged',
  'wrong-type',
  'expired',
  'duplicate',
  'store-error',
] as const);

export type DropReason = (typeof DROP_REASONS)[number];

/**
 * What a stage has counted. All but `waiting` and `inFlight` only grow. With the backend's `depth` and `retrying`:
 *
 *     offered = waiting + depth + retrying + inFlight + delivered + deadLettered + dropped
 */
export class Books {
  offered = 0;
  /** Admitted: once in the queue, or in flight at once. */
  enqueued = 0;
  waiting = 0;
  inFlight = 0;
  delivered = 0;
  nacked = 0;
  deadLettered = 0;
  /** Of `offered`: what an earlier process had admitted. */
  recovered = 0;
  readonly droppedBy: Record<DropReason, number> = {
    rejected: 0,
    'drop-newest': 0,
    'drop-oldest': 0,
    timeout: 0,
    aborted: 0,
    paused: 0,
    closed: 0,
    abandoned: 0,
    purged: 0,
    'wrong-type': 0,
    expired: 0,
    duplicate: 0,
    'store-error': 0,
  };

  get dropped(): number {
    let sum = 0;
    for (const reason of DROP_REASONS) sum += this.droppedBy[reason];
    return sum;
  }
}
