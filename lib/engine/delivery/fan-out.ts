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
  /** While consumers are still being called the verdict is not complete, whoever has answered. */
  private starting = false;
  private verdict: Verdict = ACK;

  constructor(
    private readonly host: AttemptHost,
    lease: Lease,
    private readonly copyPayload: boolean,
  ) {
    super(lease);
  }

  /** Calls the consumers; the verdict, or `undefined` if that is still to come, by way of the host. */
  run(consumers: readonly Consumer[]): Verdict | undefined {
    this.outstanding = consumers.length;
    this.consumers = consumers;
    this.starting = true;
    consumers.forEach((consumer, place) => this.start(consumer, place));
    this.starting = false;
    return this.outstanding === 0 ? this.conclude() : undefined;
  }

  override interrupt(): void {
    this.concluded = true;
    for (const attempt of this.attempts) attempt.interrupt();
  }

  /** Handlers have copies. */
  override restoreSlip(): void {}

  private start(consumer: Consumer, place: number): void {
    const attempt = new SharedAttempt(this.host, this, (verdict) => this.count(place, verdict));
    this.attempts.push(attempt);
    const verdict = attempt.run((envelope, running) =>
      consumer(copyEnvelope(envelope, this.copyPayload) as typeof envelope, running),
    );
    if (verdict !== undefined) this.count(place, verdict);
  }

  private count(place: number, verdict: Verdict): void {
    if (verdict.kind === 'ack') this.acked.add(place);
    this.verdict = worst(this.verdict, verdict);
    if (--this.outstanding === 0 && !this.starting && !this.concluded) this.host.conclude(this, this.conclude());
  }

  private conclude(): Verdict {
    this.concluded = true;
    this.lease.remaining = this.consumers.filter((_, place) => !this.acked.has(place));
    return this.verdict;
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
