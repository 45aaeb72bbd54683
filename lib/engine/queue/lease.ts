import type { Consumer } from '../delivery/consumer.js';
import type { EnvelopeShape } from '../envelope.js';
import type { Receipt } from '../intake/receipt.js';

/** What a lease has that was not acked at its first attempt, or that waited for a point in time. */
interface Past {
  dueAt: number;
  parked: boolean;
  remaining: readonly Consumer[] | undefined;
  error: Error | undefined;
}

/** The right to run one envelope, and what a stage has to remember about it between its attempts. */
export class Lease {
  /** How often this envelope was tried at this stage, the running attempt included. */
  attempt = 0;
  /** Most envelopes are acked at once: made for the others only. */
  private past: Past | undefined = undefined;

  constructor(
    readonly envelope: EnvelopeShape,
    /** The order of admission at this stage. */
    readonly sequence: number,
    /** Milliseconds of the bus's clock. */
    readonly admittedAt: number,
    readonly receipt: Receipt | undefined,
  ) {}

  /** When it may be tried again. */
  get dueAt(): number {
    return this.past?.dueAt ?? 0;
  }

  set dueAt(dueAt: number) {
    this.remember().dueAt = dueAt;
  }

  /** Whether it stays in its stage and is not handed out. */
  get parked(): boolean {
    return this.past?.parked ?? false;
  }

  set parked(parked: boolean) {
    if (parked || this.past !== undefined) this.remember().parked = parked;
  }

  /** Pub/sub: who has not acked yet; `undefined` before the first attempt. */
  get remaining(): readonly Consumer[] | undefined {
    return this.past?.remaining;
  }

  set remaining(remaining: readonly Consumer[] | undefined) {
    this.remember().remaining = remaining;
  }

  /** Why the last attempt failed. */
  get error(): Error | undefined {
    return this.past?.error;
  }

  set error(error: Error | undefined) {
    this.remember().error = error;
  }

  private remember(): Past {
    return (this.past ??= { dueAt: 0, parked: false, remaining: undefined, error: undefined });
  }
}

/** What has a place in the order of admission. */
export interface Admitted {
  readonly sequence: number;
}

/** What waits for a point in time. */
export interface Due extends Admitted {
  readonly dueAt: number;
}

export const bySequence = (one: Admitted, other: Admitted): number => one.sequence - other.sequence;

export const inOrderOfAdmission = (one: Admitted, other: Admitted): boolean => one.sequence < other.sequence;

export const inOrderOfDueTime = (one: Due, other: Due): boolean =>
  one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.sequence < other.sequence);
