import type { EnvelopeShape } from '../envelope.js';
import type { Lease } from '../queue/lease.js';
import type { Custody, Receipt } from '../intake/receipt.js';

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

/**
 * How a lease ends: it is delivered, it left in another way, it waits until `dueAt` and returns, it returns without having
 * been tried, or it stays and is not handed out again.
 */
export type Settlement = 'done' | 'discard' | 'return' | 'relinquish' | 'park';

/** What a backend asks of its stage, and tells it. */
export interface BackendHost {
  /** `take` may have something new to hand out. */
  wake(): void;
  /** How many attempts more could start now, were their leases here. */
  demand(): number;
  /** What waited here cannot be read any more, and was moved aside; `receipt` is that of the one, if it is known. */
  lost(count: number, error: Error, receipt?: Receipt): void;
}

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

  /** Called once, before anything else. */
  open(host: BackendHost): void;
  /**
   * Adds an envelope; with `dueAt` in the future it waits as `retrying` until then. Whether there is room is the stage's
   * question and was asked before.
   */
  offer(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): void;
  /** Hands out what may start now, by admission order, with its attempt charged; `undefined` when there is nothing. */
  take(): Lease | undefined;
  /** Ends a lease that `take` or `takeWhere` handed out. A returned one keeps its place in the order of admission. */
  settle(lease: Lease, settlement: Settlement, dueAt?: number): void;
  /** Takes out the oldest of `depth` for good; with none, the retry due last. */
  evictOldest(): Lease | undefined;
  /**
   * Takes out all that match, parked ones too, in order of admission and without charging an attempt. Each of them is
   * settled. O(n log n).
   */
  takeWhere(matches: (lease: Lease) => boolean): Lease[];
  /** At most `limit` of those here that match and were admitted after the sequence number `after`, in that order. O(n log n). */
  list(after: number, matches: (lease: Lease) => boolean, limit: number): Lease[];
  /** Cancels timers. What is still here stays listed. Twice is once. */
  close(): void;
}

/** What an earlier process has left, by what it was doing. */
export interface Recovered {
  readonly active: number;
  readonly queued: number;
  readonly delayed: number;
}

/** How often an envelope may reach its consumer, and what its history is asked by. */
export interface Service {
  /** Its record goes when its attempt begins. */
  readonly atMostOnce: boolean;
  /** What the history of the stage knows it by; `undefined` where nobody looks for duplicates. */
  readonly digest: Uint8Array | undefined;
}

/** What else a publish brings, or something that was admitted elsewhere. */
export interface Arrival {
  readonly envelope: EnvelopeShape;
  readonly receipt: Receipt | undefined;
  readonly dueAt: number;
  readonly service: Service;
}

/** A backend whose envelopes are written down: a publish is admitted once it is stored, and answered once it is durable. */
export interface StoringBackend extends Backend {
  /** Publishes that are being stored, and are not admitted before. */
  readonly arriving: number;
  /** Whether there is no room on the disk. */
  readonly full: boolean;
  /**
   * A publish comes in.
   * @param told once: `undefined` when it is stored and admitted, or why it was not
   * @returns resolves when it is durable; `false` when it was refused
   * @throws PayloadError, NotStartedError
   */
  append(arrival: Arrival, told: (refusal: Error | undefined) => void): Promise<boolean>;
  /**
   * Something that is admitted already comes in and counts at once: nothing refuses it any more.
   * @throws PayloadError, NotStartedError
   */
  admit(arrival: Arrival): void;
  /** @throws PayloadError for an envelope that cannot be written down */
  check(envelope: EnvelopeShape): void;
  /** What a history would know this envelope by. */
  digestOf(envelope: EnvelopeShape): Uint8Array;
  /** Whether it was admitted already, and may have been delivered since. */
  knows(digest: Uint8Array): boolean;
  /** Resolves as the publish did, or will, by which it is known. */
  known(digest: Uint8Array): Promise<boolean>;
  /** The stage could start more than before. */
  wanted(): void;
  /** Gives back the leases that nobody has taken. */
  relinquish(): void;
  /** Called when all that has changed by now is durable; with `false` if that will not be known any more. */
  afterwards(told: (durable: boolean) => void): void;
  /** The envelope of a lease as it was admitted. */
  pristine(lease: Lease): EnvelopeShape;
  /**
   * Keeps a copy of the envelope of a lease, as it is now, when it leaves for a stage that forgets.
   * @throws PayloadError
   */
  entrust(lease: Lease): Custody;
  /** How many an earlier process has left that wait until somebody asks for them. They are counted nowhere else. */
  readonly unprocessed: number;
  /** At most `limit` of these, admitted after the sequence number `after`, in that order. */
  listUnprocessed(after: number, limit: number): Lease[];
  /** They wait like all others from now on; by what they were doing. */
  replay(): Recovered;
  /** Whether an earlier process has admitted it. */
  isOfEarlierProcess(lease: Lease): boolean;
  /** The receipts of all that is here, and their envelopes. */
  receipts(): Iterable<readonly [Receipt, EnvelopeShape]>;
}
