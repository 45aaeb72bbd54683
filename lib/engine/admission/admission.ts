import type { Backend, Service, StoringBackend } from '../backend/backend.js';
import type { Books, DropReason } from '../books.js';
import type { EnvelopeShape } from '../envelope.js';
import { PayloadError, toError } from '../errors.js';
import type { ServiceLevelName, StageSettings } from '../options.js';
import type { Lease } from '../queue/lease.js';
import type { Custody, Receipt } from '../intake/receipt.js';
import type { StageHost } from '../stage-host.js';
import { WHEN_FULL } from './policies.js';
import { WaitingHop, WaitingPublisher } from './waiters.js';
import { type Answer, type Patience, WaitingLine } from './waiting-line.js';

/** Where a publish came from: outside, or an attempt, which pausing and draining do not stop. */
export type Origin = 'outside' | 'attempt';

/** The stage behind the door. */
export interface Admitting {
  readonly settings: StageSettings;
  readonly backend: Backend;
  /** The same, where it writes down what it is given. */
  readonly storing: StoringBackend | undefined;
  readonly books: Books;
  readonly host: Pick<StageHost, 'clock' | 'calendar' | 'lifecycle' | 'aborts' | 'deadline'>;
  /** How many are out on a loan and may come back. */
  readonly lent: number;
  /** There is something new to start. */
  wake(): void;
  /** Drops the dead letters that have been here for too long. */
  dropExpired(): void;
  /** Counts a discard and tells of it. */
  drop(envelope: EnvelopeShape, receipt: Receipt | undefined, reason: DropReason): void;
  /** As {@link drop}, of one that was admitted: told when it is durable. */
  dropAdmitted(envelope: EnvelopeShape, receipt: Receipt | undefined, reason: DropReason): void;
  /** Keeps a copy of what leaves this durable stage for one that forgets. */
  entrust(lease: Lease): Custody;
  /** A receipt for an envelope that came without one. */
  blankReceipt(): Receipt;
}

/** How long a publisher waits, and what it asked for. */
export interface PublisherPatience extends Patience {
  /** Milliseconds from its admission to the earliest start. */
  readonly delayMs?: number | undefined;
  readonly serviceLevel?: ServiceLevelName | undefined;
  /** Called at the moment of its admission, which nothing may take back then. */
  readonly admitted?: () => void;
}

const NO_PATIENCE: PublisherPatience = Object.freeze({});

/**
 * The way into a stage, and the only one: publishers come under its policy, hops and dead letters under their own rules.
 * What waits for room waits here, work in flight ahead of new work:
 *
 *     hop, attempt.publish ─► insiders ───┐
 *                                         ├─► room? ─► backend
 *     publish ──────────────► publishers ─┘
 */
export class Admission {
  private readonly insiders: WaitingLine;
  private readonly publishers: WaitingLine;
  private closedByPause = false;
  private lastPressedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly stage: Admitting) {
    this.insiders = new WaitingLine(stage.host.clock, stage.host.aborts);
    this.publishers = new WaitingLine(stage.host.clock, stage.host.aborts);
  }

  /** When a publisher last had to wait or was refused, or one was evicted for it; −Infinity for never. */
  get pressedAt(): number {
    return this.lastPressedAt;
  }

  get paused(): boolean {
    return this.closedByPause;
  }

  set paused(paused: boolean) {
    this.closedByPause = paused;
    if (!paused) this.admitWaiting();
  }

  /**
   * One envelope from a publisher: `true` in the queue, `false` refused, `undefined` it would have to wait, a promise where
   * it is being stored.
   */
  offer(
    envelope: EnvelopeShape,
    receipt: Receipt | undefined,
    dueAt: number,
    origin: Origin,
    patience: PublisherPatience = NO_PATIENCE,
  ): boolean | Promise<boolean> | undefined {
    const refusal = this.refusalFor(origin);
    if (refusal !== undefined) return this.refuse(envelope, receipt, refusal);
    const { storing } = this.stage;
    if (storing !== undefined) return this.offerToStore(storing, { envelope, receipt, dueAt, patience }, origin);
    if (this.hasRoom && !this.someoneIsAheadOf(origin)) return this.accept(envelope, receipt, dueAt);
    return this.meetOverload(envelope, receipt, dueAt);
  }

  /** The stage is full, or others wait for it to be less so. */
  private meetOverload(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): boolean | undefined {
    const whenFull = WHEN_FULL[this.stage.settings.backpressure];
    if (whenFull === 'wait') return undefined;
    if (whenFull !== 'evict') return this.refuse(envelope, receipt, whenFull);
    this.makeRoom();
    // Whoever was told of the one that went may have shut the bus down.
    return this.stage.host.lifecycle.ended
      ? this.refuse(envelope, receipt, 'closed')
      : this.accept(envelope, receipt, dueAt);
  }

  /** Stands in line until there is room, the patience ends, or the bus closes. */
  waitForRoom(
    envelope: EnvelopeShape,
    receipt: Receipt | undefined,
    patience: PublisherPatience,
    origin: Origin,
  ): boolean | Promise<boolean> {
    const line = origin === 'attempt' ? this.insiders : this.publishers;
    const { books, settings, storing } = this.stage;
    if (patience.timeoutMs === 0) return this.refuse(envelope, receipt, 'timeout');
    if (line.length >= settings.maxWaiting) return this.refuse(envelope, receipt, 'rejected');
    storing?.check(envelope);
    books.offered++;
    books.waiting++;
    return this.standInLine(line, envelope, receipt, patience);
  }

  private standInLine(
    line: WaitingLine,
    envelope: EnvelopeShape,
    receipt: Receipt | undefined,
    patience: PublisherPatience,
  ): Promise<boolean> {
    this.notePressure();
    const waiter = new WaitingPublisher(this, envelope, receipt, patience);
    line.join(patience, waiter);
    return new Promise((resolve) => (waiter.resolve = resolve));
  }

  /** A publisher that has waited comes in, or goes; whether it is accepted. */
  settlePublisher({ envelope, receipt, patience }: WaitingPublisher, answer: Answer): boolean | Promise<boolean> {
    const { delayMs = 0, admitted } = patience;
    const { clock, deadline = Number.POSITIVE_INFINITY } = this.stage.host;
    const { storing, books } = this.stage;
    const dueAt = delayMs && clock.now() + delayMs;
    const end = answer === 'admitted' && dueAt > deadline && storing === undefined ? 'abandoned' : answer;
    if (end === 'admitted' && storing !== undefined && admitted === undefined)
      return this.storeAfterWaiting(storing, { envelope, receipt, dueAt, patience });
    books.waiting--;
    if (end !== 'admitted') {
      this.stage.drop(envelope, receipt, end);
      return false;
    }
    try {
      this.enqueue(envelope, receipt, dueAt);
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
      this.stage.drop(envelope, receipt, 'wrong-type');
      return false;
    }
    if (storing !== undefined) receipt?.handOver();
    admitted?.();
    return true;
  }

  /** Counts a publish that is not admitted, and says why. */
  refuse(envelope: EnvelopeShape, receipt: Receipt | undefined, reason: DropReason): false {
    this.stage.books.offered++;
    this.notePressure();
    this.stage.drop(envelope, receipt, reason);
    return false;
  }

  /**
   * A hop comes in. No policy refuses it: it waits up to `timeoutMs`, and only where the oldest makes room it never
   * waits. A hop to the stage that it leaves comes in at once. `arrived` may be called before this returns; with an
   * error, if the envelope's own slip threw one.
   */
  receiveHop(lease: Lease, from: Admitting, timeoutMs: number, arrived: (answer: Answer | Error) => void): void {
    const fromHere = from === this.stage;
    if (!fromHere && WHEN_FULL[this.stage.settings.backpressure] === 'evict') this.makeRoom();
    // What leaves a durable stage takes no more of the disk than it frees.
    const room = from.storing === undefined ? this.hasRoom : this.hasPlace;
    if (this.stage.host.lifecycle.ended) arrived('abandoned');
    else if (fromHere || (room && this.insiders.length === 0)) arrived(this.acceptHop(lease, from));
    else {
      this.notePressure();
      this.insiders.join({ timeoutMs }, new WaitingHop(this, lease, from, arrived));
    }
  }

  /** A hop for which there is room; an error, if the envelope's own slip threw one, or it cannot be written down. */
  acceptHop(lease: Lease, from: Admitting): Answer | Error {
    const { envelope, receipt } = lease;
    const { storing } = this.stage;
    try {
      if (storing !== undefined || from.storing !== undefined) return this.acceptWritten(storing, lease, from);
      envelope.ratchet();
    } catch (thrown) {
      return toError(thrown);
    }
    this.accept(envelope, receipt, 0);
    return 'admitted';
  }

  /** A hop that comes from a disk, or goes to one. What cannot be written down goes no further, and stays as it was. */
  private acceptWritten(storing: StoringBackend | undefined, lease: Lease, from: Admitting): Answer {
    const { envelope, receipt } = lease;
    const route = envelope.getRoute();
    envelope.ratchet();
    try {
      if (storing !== undefined) this.acceptFor(storing, envelope, receipt);
      else this.accept(envelope, entrusted(lease, from), 0);
    } catch (error) {
      envelope.route = route;
      throw error;
    }
    return 'admitted';
  }

  /** What an earlier process had in memory comes in again, whatever room there is. */
  readmit(envelope: EnvelopeShape, receipt: Receipt): void {
    this.stage.books.recovered++;
    if (this.stage.storing !== undefined) this.acceptFor(this.stage.storing, envelope, receipt);
    else this.accept(envelope, receipt, 0);
  }

  /** A dead letter comes in; it never waits. Whether it is here now. */
  receiveDeadLetter(envelope: EnvelopeShape): boolean {
    this.stage.dropExpired();
    const whenFull = WHEN_FULL[this.stage.settings.backpressure];
    if (whenFull === 'evict') this.makeRoom();
    try {
      if (this.hasPlace) return this.accept(envelope, undefined, 0);
    } catch (error) {
      if (error instanceof PayloadError) return this.refuse(envelope, undefined, 'wrong-type');
      throw error;
    }
    return this.refuse(envelope, undefined, whenFull === 'drop-newest' ? whenFull : 'rejected');
  }

  /** Something came back that had been out for a while, and others may have come in its place. */
  makeUpForReturn(): void {
    const { settings, books } = this.stage;
    // What comes back may stand above the capacity, but not more of it than `concurrency` at once.
    const returning = Math.max(0, settings.concurrency - books.inFlight);
    if (WHEN_FULL[settings.backpressure] === 'evict') this.evictAbove(settings.capacity + returning);
    this.admitWaiting();
  }

  /** Lets in who waits, as long as there is room: work in flight first. */
  admitWaiting(): void {
    while (this.hasRoom) {
      const next = this.insiders.shift() ?? (this.intakeRefusal() === undefined ? this.publishers.shift() : undefined);
      if (next === undefined) return;
      next.called('admitted');
    }
  }

  /** Sends waiting publishers away: the intake is closed for good. */
  dismissPublishers(): void {
    this.publishers.dismiss('closed');
  }

  /** Sends all away who wait: the stage is being removed. Hops are dead-lettered at the stages they are leaving. */
  dismissAll(): void {
    this.publishers.dismiss('closed');
    this.insiders.dismiss('closed');
  }

  /** Sends the hops away that come from one stage; it counts them. */
  abandonHopsOf(stage: Admitting): void {
    this.insiders.dismiss('abandoned', (waiter) => waiter.comesFrom(stage));
  }

  /** Sends hops that wait to come in away; the stages they are leaving count them. */
  dismissInsiders(): void {
    this.insiders.dismiss('abandoned');
  }

  /** Whether anybody waits to come in. */
  get someoneWaits(): boolean {
    return this.insiders.length > 0 || this.publishers.length > 0;
  }

  /** Whether a hop or an `attempt.publish` waits to come in. */
  get insidersWait(): boolean {
    return this.insiders.length > 0;
  }

  /** The place of what is on a loan is kept, except where the oldest makes room: there it may be the oldest itself. */
  private get hasRoom(): boolean {
    return this.hasPlace && this.stage.storing?.full !== true;
  }

  private get hasPlace(): boolean {
    const { backend, settings, lent, storing } = this.stage;
    const taken = backend.depth + backend.retrying;
    const free = settings.capacity - taken - (storing === undefined ? 0 : storing.arriving);
    return free > lent || (free > 0 && WHEN_FULL[settings.backpressure] === 'evict');
  }

  private someoneIsAheadOf(origin: Origin): boolean {
    return this.insiders.length > 0 || (origin === 'outside' && this.publishers.length > 0);
  }

  private refusalFor(origin: Origin): 'paused' | 'closed' | undefined {
    if (origin === 'outside') return this.intakeRefusal();
    return this.stage.host.lifecycle.ended ? 'closed' : undefined;
  }

  private intakeRefusal(): 'paused' | 'closed' | undefined {
    const { lifecycle } = this.stage.host;
    if (lifecycle.intakeOpen) return this.closedByPause ? 'paused' : undefined;
    return lifecycle.ending ? 'closed' : 'paused';
  }

  private accept(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): true {
    this.enqueue(envelope, receipt, dueAt);
    this.stage.books.offered++;
    return true;
  }

  private enqueue(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): void {
    const { storing, backend, books } = this.stage;
    if (storing === undefined) backend.offer(envelope, receipt, dueAt);
    else storing.admit({ envelope, receipt, dueAt, service: this.serviceFor(storing, envelope, undefined) });
    books.enqueued++;
    this.stage.wake();
  }

  /** The stage's disk may have no room, and that is no question of its policy. */
  private offerToStore(
    storing: StoringBackend,
    publish: Publish,
    origin: Origin,
  ): boolean | Promise<boolean> | undefined {
    const { envelope, receipt, patience } = publish;
    const whenFull = WHEN_FULL[this.stage.settings.backpressure];
    if (!this.hasRoom || this.someoneIsAheadOf(origin)) {
      if (whenFull === 'wait') return undefined;
      if (storing.full) return this.refuse(envelope, receipt, 'store-error');
      if (whenFull !== 'evict') return this.refuse(envelope, receipt, whenFull);
    }
    if (patience.admitted !== undefined) {
      this.accept(envelope, receipt, 0);
      receipt?.handOver();
      patience.admitted();
      return true;
    }
    const answer = this.store(storing, publish);
    this.stage.books.offered++;
    return answer;
  }

  private storeAfterWaiting(storing: StoringBackend, publish: Publish): boolean | Promise<boolean> {
    this.stage.books.waiting--;
    try {
      return this.store(storing, publish);
    } catch {
      this.stage.drop(publish.envelope, publish.receipt, 'wrong-type');
      return false;
    }
  }

  /** Admitted once it is stored: until then its publisher waits. */
  private store(storing: StoringBackend, publish: Publish): Promise<boolean> {
    const { envelope, receipt, dueAt, patience } = publish;
    const service = this.serviceFor(storing, envelope, patience.serviceLevel);
    if (service.digest !== undefined && storing.knows(service.digest)) {
      this.stage.drop(envelope, receipt, 'duplicate');
      return storing.known(service.digest);
    }
    let again: Promise<boolean> | undefined;
    const answer = storing.append({ envelope, receipt, dueAt, service }, (refusal) => {
      if (refusal === undefined) this.hasArrived();
      else again = this.refusedByStore(publish, refusal);
    });
    this.stage.books.waiting++;
    if (WHEN_FULL[this.stage.settings.backpressure] !== 'wait') return answer;
    return answer.then((accepted) => accepted || (again ?? false));
  }

  private hasArrived(): void {
    const { books, settings } = this.stage;
    books.waiting--;
    books.enqueued++;
    if (WHEN_FULL[settings.backpressure] === 'evict') this.evictAbove(settings.capacity);
    this.stage.wake();
  }

  /** Where the policy is to wait for room, room on the disk is waited for, too. */
  private refusedByStore(
    { envelope, receipt, patience }: Publish,
    refusal: Error & { readonly code?: unknown },
  ): Promise<boolean> | undefined {
    const waits = WHEN_FULL[this.stage.settings.backpressure] === 'wait' && refusal.code === 'SEDA_STORE_FULL';
    if (waits && !this.stage.host.lifecycle.ending && patience.timeoutMs !== 0)
      return this.standInLine(this.publishers, envelope, receipt, patience);
    this.stage.books.waiting--;
    this.notePressure();
    this.stage.drop(envelope, receipt, 'store-error');
    return undefined;
  }

  /** A hop to a durable stage; one that was here before is settled where it comes from. */
  private acceptFor(storing: StoringBackend, envelope: EnvelopeShape, receipt: Receipt | undefined): void {
    const { books } = this.stage;
    const service = this.serviceFor(storing, envelope, undefined);
    if (service.digest !== undefined && storing.knows(service.digest)) {
      books.offered++;
      this.stage.dropAdmitted(envelope, receipt, 'duplicate');
      return;
    }
    storing.admit({ envelope, receipt, dueAt: 0, service });
    receipt?.handOver();
    books.offered++;
    books.enqueued++;
    this.stage.wake();
  }

  private serviceFor(
    storing: StoringBackend,
    envelope: EnvelopeShape & { readonly serviceLevel?: unknown },
    asked: ServiceLevelName | undefined,
  ): Service {
    const { serviceLevel } = this.stage.settings;
    const level = asked ?? (serviceLevel === 'envelope' ? envelope.serviceLevel : serviceLevel);
    return {
      atMostOnce: level === 'AtMostOnce',
      digest: level === 'ExactlyOnce' ? storing.digestOf(envelope) : undefined,
    };
  }

  private makeRoom(): void {
    this.evictAbove(this.stage.settings.capacity - 1);
  }

  private evictAbove(most: number): void {
    const { backend } = this.stage;
    while (backend.depth + backend.retrying > most) {
      const evicted = backend.evictOldest();
      if (evicted === undefined) return;
      this.notePressure();
      this.stage.dropAdmitted(evicted.envelope, evicted.receipt, 'drop-oldest');
    }
  }

  private notePressure(): void {
    this.lastPressedAt = this.stage.host.calendar.now;
  }
}

/** One publish on its way to a disk. */
interface Publish {
  readonly envelope: EnvelopeShape;
  readonly receipt: Receipt | undefined;
  readonly dueAt: number;
  readonly patience: PublisherPatience;
}

/** The receipt that brings an envelope back which is about to be in memory only. */
function entrusted(lease: Lease, from: Admitting): Receipt {
  const receipt = lease.receipt ?? from.blankReceipt();
  receipt.custody = from.entrust(lease);
  return receipt;
}
