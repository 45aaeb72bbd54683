import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Envelope } from '#ra-common';
import type { Consumer } from './consumer.js';
import type { EnvelopeShape } from '../envelope.js';
import { AttemptInterruptedError, AttemptTimeoutError, NackedError, toError } from '../errors.js';
import { Execution } from './execution.js';
import { type SlipMark, cutBack, markSlip } from './itinerary.js';
import { durationMs } from '../options.js';
import { checkReason } from '../dead-letters/dead-letter-headers.js';
import type { PublishOptions } from '../intake/publish-options.js';
import type { Lease } from '../queue/lease.js';
import type { TimerHandle } from '../clock.js';
import { isThenable } from '../thenable.js';
import { ACK, type Verdict, nack } from './verdict.js';

/** One delivery of one envelope to one consumer: the handler's second argument. After its verdict it is inert. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  /** The stage's `maxAttempts`. */
  readonly max: number;
  /** The name of the stage. */
  readonly stage: string;
  /**
   * When the envelope was admitted to this stage, in milliseconds of the bus's clock (Unix epoch). The machine's clock is
   * looked at once for up to sixteen envelopes: it may be behind by the time they took.
   */
  readonly enqueuedAt: number;
  /** Whether an earlier attempt at this stage may have had its effects. */
  readonly redelivered: boolean;
  /** Aborted when the stage's `timeoutMs` is over or a shutdown interrupts the attempt; made when first read. */
  readonly signal: AbortSignal;
  /**
   * Nacks with a delay that overrides the stage's backoff, once the handler ends without throwing; returned or not. The
   * last call counts. With no attempts left the envelope is dead-lettered.
   * @throws InvalidOptionError for a delay that is no finite number ≥ 0
   */
  retryIn(delayMs: number): Verdict;
  /**
   * Ends the attempts: the envelope is dead-lettered with this reason, once the handler ends without throwing.
   * @throws InvalidOptionError for a reason that is no text
   */
  deadLetter(reason: string): Verdict;
  /**
   * As `bus.publish`, and accepted while the bus is paused or draining. While it waits for room, the attempt's bus-wide
   * permit is given back. After the verdict it resolves `false`.
   */
  publish(envelope: EnvelopeShape, options?: PublishOptions): Promise<boolean>;
}

/** What an attempt asks of its stage. */
export interface AttemptHost {
  readonly name: string;
  readonly maxAttempts: number;
  readonly timeoutMs: number | undefined;
  /** Follows attempts through what their handlers do, where that is asked for. */
  readonly attempts: AsyncLocalStorage<RunningAttempt> | undefined;
  publishFrom(attempt: RunningAttempt, envelope: EnvelopeShape, options?: PublishOptions): Promise<boolean>;
  /** An execution that waited for its handler has its verdict. */
  conclude(execution: Execution, verdict: Verdict): void;
  /** An asynchronous attempt is over, and nothing of the user's is on the stack. */
  proceed(): void;
  now(): number;
  setTimer(callback: () => void, delayMs: number): TimerHandle;
  clearTimer(timer: TimerHandle): void;
}

/** What few attempts need: most have no routes left, no delay, no reason, no signal, no timer. */
class Extras {
  /** What the slip was at the start; a handler's changes to it count only with an ack. */
  slipAtStart: SlipMark = undefined;
  recorded: Verdict | undefined = undefined;
  controller: AbortController | undefined = undefined;
  abortReason: Error | undefined = undefined;
  timer: TimerHandle = undefined;
}

export class RunningAttempt extends Execution implements Attempt {
  /** The lease goes on counting when this attempt is over. */
  readonly number: number;
  private extras: Extras | undefined = undefined;

  constructor(
    private readonly host: AttemptHost,
    lease: Lease,
  ) {
    super(lease);
    this.number = lease.attempt;
    const mark = markSlip(lease.envelope);
    if (mark !== undefined) this.rare.slipAtStart = mark;
  }

  /** Who holds the bus-wide permit. */
  get owner(): Execution {
    return this;
  }

  get max(): number {
    return this.host.maxAttempts;
  }

  get stage(): string {
    return this.host.name;
  }

  get enqueuedAt(): number {
    return this.lease.admittedAt;
  }

  get redelivered(): boolean {
    return this.number > 1;
  }

  get signal(): AbortSignal {
    const extras = this.rare;
    if (extras.controller === undefined) {
      extras.controller = new AbortController();
      if (extras.abortReason !== undefined) extras.controller.abort(extras.abortReason);
    }
    return extras.controller.signal;
  }

  retryIn(delayMs: number): Verdict {
    durationMs('attempt.retryIn(delayMs)', delayMs);
    return this.record({ kind: 'retry', delayMs });
  }

  deadLetter(reason: string): Verdict {
    checkReason(reason);
    return this.record({ kind: 'dead-letter', reason });
  }

  publish(envelope: EnvelopeShape, options?: PublishOptions): Promise<boolean> {
    return this.host.publishFrom(this, envelope, options);
  }

  /** Calls the consumer; its verdict, or `undefined` if that is still to come, by way of the host. */
  run(consumer: Consumer): Verdict | undefined {
    let verdict: Verdict;
    try {
      const result = this.call(consumer, this.lease.envelope as Envelope);
      if (isThenable(result)) {
        this.awaitResult(result);
        return undefined;
      }
      verdict = this.verdictOn(result);
    } catch (thrown) {
      verdict = nack(toError(thrown));
    }
    this.concluded = true;
    return verdict;
  }

  override interrupt(): void {
    if (this.concluded) return;
    this.concluded = true;
    this.stopTimer();
    this.abort(new AttemptInterruptedError(this.stage));
  }

  override restoreSlip(): void {
    cutBack(this.lease.envelope, this.extras?.slipAtStart);
  }

  private call(consumer: Consumer, envelope: Envelope): unknown {
    const { receipt } = this.lease;
    const { attempts } = this.host;
    if (receipt === undefined && attempts === undefined) return consumer(envelope, this);
    const call = (): unknown =>
      attempts === undefined ? consumer(envelope, this) : attempts.run(this, consumer, envelope, this);
    return receipt === undefined ? call() : receipt.inContext(call);
  }

  private awaitResult(result: PromiseLike<unknown>): void {
    // Whoever answers with a promise is awaited further, as `await` would.
    Promise.resolve(result).then(
      (value) => this.endAsynchronously(this.verdictOn(value)),
      (thrown: unknown) => this.endAsynchronously(nack(toError(thrown))),
    );
    const { timeoutMs } = this.host;
    if (timeoutMs !== undefined) this.setTimer(timeoutMs, this.host.now() + timeoutMs);
  }

  /** A timer may fire early. */
  private setTimer(timeoutMs: number, deadline: number): void {
    this.rare.timer = this.host.setTimer(() => {
      if (this.host.now() >= deadline) this.timeOut(timeoutMs);
      else this.setTimer(timeoutMs, deadline);
    }, deadline - this.host.now());
  }

  private endAsynchronously(verdict: Verdict): void {
    this.end(verdict);
    this.host.proceed();
  }

  private verdictOn(result: unknown): Verdict {
    return this.extras?.recorded ?? (result === false ? nack(new NackedError(this.stage)) : ACK);
  }

  private record(verdict: Verdict): Verdict {
    if (!this.concluded) this.rare.recorded = verdict;
    return verdict;
  }

  private timeOut(timeoutMs: number): void {
    const error = new AttemptTimeoutError(this.stage, timeoutMs);
    this.end(nack(error));
    this.abort(error);
  }

  /** A second end, of a thenable that answers twice or of a handler that outlived its attempt, is ignored. */
  private end(verdict: Verdict): void {
    if (this.concluded) return;
    this.concluded = true;
    this.stopTimer();
    this.conclude(verdict);
  }

  protected conclude(verdict: Verdict): void {
    this.host.conclude(this, verdict);
  }

  private abort(reason: Error): void {
    const extras = this.rare;
    extras.abortReason = reason;
    extras.controller?.abort(reason);
  }

  private get rare(): Extras {
    return (this.extras ??= new Extras());
  }

  private stopTimer(): void {
    if (this.extras?.timer === undefined) return;
    this.host.clearTimer(this.extras.timer);
    this.extras.timer = undefined;
  }
}
