import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Envelope } from '#ra-common';
import { Admission, type Admitting } from './admission/admission.js';
import { type AttemptHost, RunningAttempt } from './delivery/attempt.js';
import type { Backend, Recovered, Settlement, StoringBackend } from './backend/backend.js';
import { requireCapabilities } from './backend/requirements.js';
import { Books, type DropReason } from './books.js';
import type { TimerHandle } from './clock.js';
import { Consumers } from './delivery/consumer.js';
import { factsOf } from './dead-letters/dead-letter-headers.js';
import type { Drainable } from './dispatch/dispatcher.js';
import { type EnvelopeShape, makeEnvelope } from './envelope.js';
import { CapabilityError, NoConsumerError } from './errors.js';
import { type Execution, Executions } from './delivery/execution.js';
import { FanOut } from './delivery/fan-out.js';
import type { StageState } from './lifecycle/lifecycle.js';
import { Delivery, type StageSettings } from './options.js';
import type { PublishOptions } from './intake/publish-options.js';
import type { Lease } from './queue/lease.js';
import { type Custody, type Outcome, Receipt } from './intake/receipt.js';
import { Settler } from './delivery/settler.js';
import type { StageHost } from './stage-host.js';
import type { Verdict } from './delivery/verdict.js';
import { Unprocessed } from './unprocessed.js';

/**
 * One backend, one admission rule, its consumers, its books. An envelope walks forward through it:
 *
 *     publish ─► admit ─► backend ─► drain ─► start ─► verdict ─► settler
 */
export class Stage implements Drainable, AttemptHost, Admitting {
  readonly books = new Books();
  readonly consumers = new Consumers();
  readonly admission: Admission;
  /** The backend, where it writes down what it is given. */
  readonly storing: StoringBackend | undefined;
  /** While it takes over what an earlier process has left: what is lost then was never counted. */
  private recovering = false;
  /** Those that wait for their handler. */
  private readonly executions = new Executions();
  private readonly settler: Settler;
  private heldItself = false;
  private inDrain = false;
  listed = false;
  nextListed: Drainable | undefined = undefined;
  /** Dead letters go here: without a consumer they stay. */
  parks = false;
  /** How many are out on a loan: see {@link borrow}. */
  lent = 0;
  /** Taken off the bus for good: what comes back from a loan has no place any more. */
  gone = false;
  /** Being taken off the bus. */
  private leaving = false;

  constructor(
    readonly name: string,
    private currentSettings: StageSettings,
    readonly backend: Backend,
    readonly host: StageHost,
  ) {
    requireCapabilities(name, currentSettings, backend.capabilities);
    this.storing = backend.capabilities.answersAtOnce ? undefined : (backend as StoringBackend);
    this.admission = new Admission(this);
    this.settler = new Settler(this);
    backend.open({
      wake: () => {
        this.wake();
        // In a channel that only parks, what has become due is at rest.
        host.lessToDo();
      },
      demand: () => this.demand,
      lost: (count, error, receipt) => this.lost(count, error, receipt),
    });
  }

  /** Counts what an earlier process has left. */
  recover(take: () => Recovered): number {
    this.recovering = true;
    const { active, queued, delayed } = take();
    this.recovering = false;
    const recovered = active + queued + delayed;
    this.books.offered += recovered;
    this.books.enqueued += recovered;
    this.books.recovered += recovered;
    return recovered;
  }

  /** What an earlier process has left, on a stage that waits to be asked for it. */
  get unprocessed(): Unprocessed {
    if (this.storing === undefined) throw new CapabilityError(this.name, 'survivesRestart');
    return new Unprocessed(this, this.storing);
  }

  get settings(): StageSettings {
    return this.currentSettings;
  }

  /** Effective at once: room that appears lets in who waits, permits that appear start attempts. */
  set settings(settings: StageSettings) {
    requireCapabilities(this.name, settings, this.backend.capabilities);
    this.currentSettings = settings;
    this.admission.admitWaiting();
    this.wake();
  }

  get maxAttempts(): number {
    return this.settings.maxAttempts;
  }

  get attempts(): AsyncLocalStorage<RunningAttempt> | undefined {
    return this.host.attempts;
  }

  get timeoutMs(): number | undefined {
    return this.settings.timeoutMs;
  }

  get state(): StageState {
    const { state } = this.host.lifecycle;
    if (state === 'starting' || this.host.lifecycle.ending) return state;
    if (this.leaving) return 'draining';
    if (this.heldItself || this.host.held) return 'held';
    return this.admission.paused ? 'paused' : state;
  }

  /**
   * Nothing queued that could ever start here, nothing running, nobody waiting. Parked dead letters are at rest, and what
   * this process does not consume.
   */
  get idle(): boolean {
    const { waiting, inFlight } = this.books;
    // What outlives the process is not worked off before its end.
    if (this.storing !== undefined && this.isEnding) return inFlight === 0 && waiting === 0;
    // Nobody here makes room for those who wait there.
    if (!this.settings.consume) return inFlight === 0;
    if (waiting > 0 || inFlight > 0) return false;
    const { depth, retrying, parked } = this.backend;
    const atRest = this.parks && this.consumers.size === 0 ? depth : parked;
    return retrying === 0 && depth === atRest;
  }

  /** Whether something would be abandoned if the bus closed now. */
  get unfinished(): boolean {
    if (this.books.inFlight > 0 || this.admission.insidersWait) return true;
    if (this.storing !== undefined || this.backend.depth + this.backend.retrying === 0) return false;
    const ends = ({ envelope, parked }: Lease): boolean => !this.keeps(envelope, parked);
    return !this.parks || this.backend.list(Number.NEGATIVE_INFINITY, ends, 1).length > 0;
  }

  pause(): void {
    this.changeState(() => (this.admission.paused = true));
  }

  resume(): void {
    this.changeState(() => (this.admission.paused = false));
  }

  hold(): void {
    this.changeState(() => (this.heldItself = true));
    this.storing?.relinquish();
  }

  release(): void {
    this.changeState(() => (this.heldItself = false));
    this.wake();
  }

  /** No more comes in, and what is here goes on, whatever held it: the stage is being removed. */
  leave(): void {
    this.changeState(() => {
      this.leaving = true;
      this.heldItself = false;
    });
    this.admission.dismissAll();
    this.storing?.relinquish();
    this.wake();
  }

  /** Whether this envelope is here because its attempts elsewhere ended. */
  isDeadLetter(envelope: EnvelopeShape): boolean {
    return this.parks && factsOf(envelope) !== undefined;
  }

  /** Whether it stays here when the bus ends: a dead letter that nobody was going to handle. */
  keeps(envelope: EnvelopeShape, parked: boolean): boolean {
    return (parked || this.consumers.size === 0 || !this.settings.consume) && this.isDeadLetter(envelope);
  }

  /** Tells listeners if the state is another than `from`. */
  announce(from: StageState): void {
    const to = this.state;
    if (to !== from) this.host.listeners.emit('stageState', { stage: this.name, from, to });
  }

  /** A bounded batch, then another stage's turn. */
  drain(): boolean {
    this.inDrain = true;
    for (let left = this.settings.drainBatch; left > 0 && this.runnable && this.host.permits.available; left--) {
      const lease = this.backend.take();
      // What cannot be read any more is not handed out.
      if (lease !== undefined) this.start(lease);
      if (this.host.turn.spent()) break;
    }
    this.inDrain = false;
    return this.runnable;
  }

  /** Schedules a drain if an attempt could start. */
  wake(): void {
    this.storing?.wanted();
    if (!this.inDrain && (this.listed || this.runnable)) this.host.dispatcher.wake(this);
  }

  /** An execution that waited has its verdict: its envelope leaves by one of the four doors. */
  conclude(execution: Execution, verdict: Verdict): void {
    this.executions.remove(execution);
    this.settler.settle(execution, verdict);
  }

  /** An asynchronous attempt is over: what may follow need not wait for a turn to be scheduled. */
  proceed(): void {
    this.host.dispatcher.proceed();
  }

  publishFrom(attempt: RunningAttempt, envelope: EnvelopeShape, options?: PublishOptions): Promise<boolean> {
    return this.host.publishFrom(attempt, envelope, options);
  }

  setTimer(callback: () => void, delayMs: number): TimerHandle {
    return this.host.clock.setTimeout(callback, delayMs);
  }

  now(): number {
    return this.host.clock.now();
  }

  clearTimer(timer: TimerHandle): void {
    this.host.clock.clearTimeout(timer);
  }

  /** Ends a lease in the books and the backend; what follows for the stage's permits and those who wait. */
  end(lease: Lease, settlement: Settlement, dueAt?: number): void {
    this.backend.settle(lease, settlement, dueAt);
    this.books.inFlight--;
    this.wake();
  }

  /** Takes waiting envelopes out for a while, in flight meanwhile and without an attempt; each is given back. */
  borrow(matches: (lease: Lease) => boolean): Lease[] {
    const leases = this.backend.takeWhere(matches);
    this.books.inFlight += leases.length;
    this.lent += leases.length;
    return leases;
  }

  /** Ends the loan of {@link borrow}: delivered, or back in its place. */
  giveBack(lease: Lease, delivered: boolean): void {
    if (delivered) this.books.delivered++;
    this.lent--;
    const lost = this.gone && !delivered && this.storing === undefined;
    this.end(lease, delivered || lost ? 'done' : lease.parked ? 'park' : 'return', lease.dueAt);
    if (lost) this.drop(lease.envelope, lease.receipt, 'abandoned');
    this.admission.makeUpForReturn();
    this.host.lessToDo();
  }

  /** Takes out of the queue what matches and counts it as dropped; how many. */
  dropQueued(reason: DropReason, matches: (lease: Lease) => boolean): number {
    const leases = this.backend.takeWhere(matches);
    for (const lease of leases) this.backend.settle(lease, 'discard');
    // All are counted before anybody is told of one: the books balance for whoever looks then.
    this.books.droppedBy[reason] += leases.length;
    this.admission.admitWaiting();
    for (const { envelope, receipt } of leases) this.tellOfAdmitted(envelope, receipt, reason);
    return leases.length;
  }

  /** Drops the dead letters that have been here for too long. */
  dropExpired(): void {
    const { maxAgeMs } = this.settings;
    if (maxAgeMs === undefined || !this.parks) return;
    const { backend } = this;
    const bornBefore = this.host.clock.now() - maxAgeMs;
    // What has its lease is about to be handled.
    while (!(this.storing !== undefined && backend.ready) && (backend.oldestAdmittedAt ?? bornBefore) < bornBefore) {
      const expired = backend.evictOldest();
      if (expired === undefined) return;
      this.dropAdmitted(expired.envelope, expired.receipt, 'expired');
    }
  }

  /** Drops what is in flight: signals are aborted, results will be ignored. How many. */
  interrupt(): number {
    let interrupted = 0;
    for (let execution = this.executions.take(); execution !== undefined; execution = this.executions.take()) {
      execution.interrupt();
      this.settler.abandon(execution);
      interrupted++;
    }
    return interrupted;
  }

  /** Counts a discard; the receipt and the listeners hear of it. */
  drop(envelope: EnvelopeShape, receipt: Receipt | undefined, reason: DropReason): void {
    this.books.droppedBy[reason]++;
    this.tellDropped(envelope, receipt, reason);
  }

  dropAdmitted(envelope: EnvelopeShape, receipt: Receipt | undefined, reason: DropReason): void {
    this.books.droppedBy[reason]++;
    this.tellOfAdmitted(envelope, receipt, reason);
  }

  /** Tells a publisher how its envelope ended; on a durable stage when that is on disk. */
  tell(receipt: Receipt | undefined, outcome: Outcome, envelope: EnvelopeShape): void {
    if (receipt === undefined) return;
    if (this.storing === undefined) receipt.settle(outcome, envelope);
    else this.storing.afterwards((durable) => receipt.settle(durable ? outcome : this.kept, envelope));
  }

  /** Tells the publishers of all that stays on disk when the bus ends. */
  tellKept(): void {
    for (const [receipt, envelope] of this.storing?.receipts() ?? []) receipt.settle(this.kept, envelope);
  }

  entrust(lease: Lease): Custody {
    return (this.storing as StoringBackend).entrust(lease);
  }

  blankReceipt(): Receipt {
    return new Receipt(undefined, undefined, (callback) => void callback());
  }

  private get kept(): Outcome {
    return { status: 'kept', stage: this.name };
  }

  private tellDropped(envelope: EnvelopeShape, receipt: Receipt | undefined, reason: DropReason): void {
    receipt?.settle({ status: 'dropped', stage: this.name, reason }, envelope);
    this.emitDropped(envelope, reason);
  }

  private tellOfAdmitted(envelope: EnvelopeShape, receipt: Receipt | undefined, reason: DropReason): void {
    this.tell(receipt, { status: 'dropped', stage: this.name, reason }, envelope);
    this.emitDropped(envelope, reason);
  }

  private emitDropped(envelope: EnvelopeShape, reason: DropReason): void {
    const { listeners } = this.host;
    if (listeners.has('dropped')) {
      listeners.emit('dropped', { stage: this.name, reason, envelope: envelope as Envelope });
    }
    this.host.lessToDo();
  }

  private get runnable(): boolean {
    return this.backend.ready && this.books.inFlight < this.settings.concurrency && this.startable;
  }

  private get startable(): boolean {
    return (
      this.settings.consume &&
      !this.heldItself &&
      !this.host.held &&
      this.host.lifecycle.consuming &&
      (this.consumers.size > 0 || !this.parks) &&
      (this.storing === undefined || !this.isEnding)
    );
  }

  private get isEnding(): boolean {
    return this.leaving || this.host.lifecycle.ending;
  }

  private get demand(): number {
    if (!this.startable) return 0;
    return Math.min(this.settings.concurrency - this.books.inFlight, this.host.permits.free);
  }

  private lost(count: number, error: Error, receipt: Receipt | undefined): void {
    if (!this.recovering) this.books.droppedBy['store-error'] += count;
    // Who it was cannot be read any more.
    receipt?.settle({ status: 'dropped', stage: this.name, reason: 'store-error' }, makeEnvelope(this.name));
    this.host.recordsDamaged(this.name, count, error);
    this.host.lessToDo();
  }

  private start(lease: Lease): void {
    this.books.inFlight++;
    if (this.admission.someoneWaits) this.admission.admitWaiting();
    if (this.consumers.size === 0) {
      this.settler.refuse(lease, 'no-consumer', new NoConsumerError(this.name));
      return;
    }
    // The process ended during its last attempt.
    if (this.storing !== undefined && lease.attempt > this.settings.maxAttempts) {
      this.settler.refuse(lease, 'max-attempts', lease.error);
      return;
    }
    this.host.permits.acquire();
    if (this.settings.delivery === Delivery.PubSub) this.startFanOut(lease);
    else this.startAttempt(lease);
  }

  private startAttempt(lease: Lease): void {
    const attempt = new RunningAttempt(this, lease);
    this.follow(attempt, attempt.run(this.consumers.next()));
  }

  private startFanOut(lease: Lease): void {
    const fanOut = new FanOut(this, lease, this.settings.copyPayload);
    const { all } = this.consumers;
    this.follow(fanOut, fanOut.run(lease.remaining?.filter((consumer) => all.includes(consumer)) ?? all));
  }

  private follow(execution: Execution, verdict: Verdict | undefined): void {
    if (verdict !== undefined) {
      this.settler.settle(execution, verdict);
      return;
    }
    this.executions.add(execution);
    // Its own handler may have shut the bus down before there was anything to interrupt.
    if (this.host.lifecycle.ended) this.interrupt();
  }

  private changeState(change: () => void): void {
    const from = this.state;
    change();
    this.announce(from);
  }
}
