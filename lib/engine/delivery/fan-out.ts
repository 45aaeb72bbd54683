import { type AttemptHost, RunningAttempt } from './attempt.js';
import type { Consumer } from './consumer.js';
import { copyEnvelope } from '../envelope.js';
import { Execution } from './execution.js';
import type { Lease } from '../queue/lease.js';
import { ACK, type Verdict, worst } from './verdict.js';

/**
 * Pub/sub: one lease, one permit, every consumer that has not acked, side by side, each with a copy. The worst verdict
 * wins; a retry goes only to those without an ack.
 */
export class FanOut extends Execution {
  private readonly attempts: RunningAttempt[] = [];
  /** By place, because the same consumer may be there twice. */
  private readonly acked = new Set<number>();
  private consumers: readonly Consumer[] = [];
  private outstanding = 0;
  private verdict: Verdict = ACK;

  constructor(
    private readonly host: AttemptHost,
    lease: Lease,
    private readonly copyPayload: boolean,
  ) {
    super(lease);
  }

  /** Calls the consumers; whether a verdict is still to come. */
  run(consumers: readonly Consumer[]): boolean {
    this.outstanding = consumers.length + 1;
    this.consumers = consumers;
    consumers.forEach((consumer, place) => this.start(consumer, place));
    return !this.countDown();
  }

  override interrupt(): void {
    this.concluded = true;
    for (const attempt of this.attempts) attempt.interrupt();
  }

  /** Handlers have copies. */
  override restoreSlip(): void {}

  private start(consumer: Consumer, place: number): void {
    const attempt = new SharedAttempt(this.host, this, (verdict) => {
      if (verdict.kind === 'ack') this.acked.add(place);
      this.verdict = worst(this.verdict, verdict);
      this.countDown();
    });
    this.attempts.push(attempt);
    attempt.run((envelope, running) => consumer(copyEnvelope(envelope, this.copyPayload) as typeof envelope, running));
  }

  /** The last to count down, an attempt or the start itself, concludes. */
  private countDown(): boolean {
    if (--this.outstanding > 0) return false;
    if (this.concluded) return true;
    this.concluded = true;
    this.lease.remaining = this.consumers.filter((_, place) => !this.acked.has(place));
    this.host.conclude(this, this.verdict);
    return true;
  }
}

/** One of the attempts side by side: the permit is the fan-out's, and so is the last word. */
class SharedAttempt extends RunningAttempt {
  constructor(
    host: AttemptHost,
    private readonly fanOut: FanOut,
    private readonly concluding: (verdict: Verdict) => void,
  ) {
    super(host, fanOut.lease);
  }

  override get owner(): Execution {
    return this.fanOut;
  }

  protected override conclude(verdict: Verdict): void {
    this.concluding(verdict);
  }
}
