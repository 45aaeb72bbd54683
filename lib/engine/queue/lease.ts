import type { Consumer } from '../delivery/consumer.js';
import type { EnvelopeShape } from '../envelope.js';
import type { Receipt } from '../intake/receipt.js';

/** The right to run one envelope, and what a stage has to remember about it between its attempts. */
export class Lease {
  /** How often this envelope was tried at this stage, the running attempt included. */
  attempt = 0;
  /** When it may be tried again. */
  dueAt = 0;
  /** Whether it stays in its stage and is not handed out. */
  parked = false;
  /** Pub/sub: who has not acked yet; `undefined` before the first attempt. */
  remaining: readonly Consumer[] | undefined = undefined;
  /** Why the last attempt failed. */
  error: Error | undefined = undefined;

  constructor(
    readonly envelope: EnvelopeShape,
    /** The order of admission at this stage. */
    readonly sequence: number,
    /** Milliseconds of the bus's clock. */
    readonly admittedAt: number,
    readonly receipt: Receipt | undefined,
  ) {}
}

export const inOrderOfAdmission = (one: Lease, other: Lease): boolean => one.sequence < other.sequence;

export const inOrderOfDueTime = (one: Lease, other: Lease): boolean =>
  one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.sequence < other.sequence);
