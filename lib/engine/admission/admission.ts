import type { Backend } from '../backend/backend.js';
import type { Books, DropReason } from '../books.js';
import type { EnvelopeShape } from '../envelope.js';
import { toError } from '../errors.js';
import type { StageSettings } from '../options.js';
import type { Lease } from '../queue/lease.js';
import type { Receipt } from '../intake/receipt.js';
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
  readonly books: Books;
  readonly host: Pick<StageHost, 'clock' | 'calendar' | 'lifecycle' | 'aborts' | 'deadline'>;
  /** How many are out on a loan and may come back. */
  readonly lent: number;
  /** There is something new to start. */
  wake(): void;
  /** Counts a discard and tells of it. */
  drop(envelope: EnvelopeShape, receipt: Receipt | undefined, reason: DropReason): void;
}

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

  /** One envelope from a publisher: `true` in the queue, `false` refused, `undefined` it would have to wait. */
  offer(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number, origin: Origin): boolean | undefined {
    const refusal = this.refusalFor(origin);
    if (refusal !== undefined) return this.refuse(envelope, receipt, refusal);
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
    {
      timeoutMs,
      signal,
      delayMs = 0,
      admitted,
    }: Patience & { readonly delayMs?: number; readonly admitted?: () => void },
    origin: Origin,
  ): boolean | Promise<boolean> {
    const line = origin === 'attempt' ? this.insiders : this.publishers;
    const { books, settings } = this.stage;
    if (timeoutMs === 0) return this.refuse(envelope, receipt, 'timeout');
    if (line.length >= settings.maxWaiting) return this.refuse(envelope, receipt, 'rejected');
    books.offered++;
    books.waiting++;
    this.notePressure();
    const waiter = new WaitingPublisher(this, envelope, receipt, delayMs, admitted);
    line.join({ timeoutMs, signal }, waiter);
    return new Promise((resolve) => (waiter.resolve = resolve));
  }

  /** A publisher that has waited comes in, or goes; whether it is accepted. */
  settlePublisher({ envelope, receipt, delayMs, admitted }: WaitingPublisher, answer: Answer): boolean {
    this.stage.books.waiting--;
    const { clock, deadline = Number.POSITIVE_INFINITY } = this.stage.host;
    const dueAt = delayMs && clock.now() + delayMs;
    const end = answer === 'admitted' && dueAt > deadline ? 'abandoned' : answer;
    if (end !== 'admitted') {
      this.stage.drop(envelope, receipt, end);
      return false;
    }
    this.enqueue(envelope, receipt, dueAt);
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
    if (this.stage.host.lifecycle.ended) arrived('abandoned');
    else if (fromHere || (this.hasRoom && this.insiders.length === 0)) arrived(this.acceptHop(lease));
    else {
      this.notePressure();
      this.insiders.join({ timeoutMs }, new WaitingHop(this, lease, from, arrived));
    }
  }

  /** A hop for which there is room; an error, if the envelope's own slip threw one. */
  acceptHop({ envelope, receipt }: Lease): Answer | Error {
    try {
      envelope.ratchet();
    } catch (thrown) {
      return toError(thrown);
    }
    this.accept(envelope, receipt, 0);
    return 'admitted';
  }

  /** A dead letter comes in; it never waits. Whether it is here now. */
  receiveDeadLetter(envelope: EnvelopeShape): boolean {
    const whenFull = WHEN_FULL[this.stage.settings.backpressure];
    if (whenFull === 'evict') this.makeRoom();
    if (this.hasRoom) return this.accept(envelope, undefined, 0);
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
    const { backend, settings, lent } = this.stage;
    const free = settings.capacity - backend.depth - backend.retrying;
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
    this.stage.books.offered++;
    this.enqueue(envelope, receipt, dueAt);
    return true;
  }

  private enqueue(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): void {
    this.stage.books.enqueued++;
    this.stage.backend.offer(envelope, receipt, dueAt);
    this.stage.wake();
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
      this.stage.drop(evicted.envelope, evicted.receipt, 'drop-oldest');
    }
  }

  private notePressure(): void {
    this.lastPressedAt = this.stage.host.calendar.now;
  }
}
