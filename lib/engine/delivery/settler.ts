import type { Envelope } from '#ra-common';
import type { Answer } from '../admission/waiting-line.js';
import { stamp } from '../dead-letters/dead-letter-headers.js';
import type { EnvelopeShape } from '../envelope.js';
import { HopTimeoutError, PayloadError, UnroutableError, toError } from '../errors.js';
import type { Execution } from './execution.js';
import { nextStage, remainingRoutes } from './itinerary.js';
import type { Settlement } from '../backend/backend.js';
import type { Lease } from '../queue/lease.js';
import { backoffDelay } from './retry.js';
import type { Stage } from '../stage.js';
import type { Verdict } from './verdict.js';

/** Through which of the four doors an envelope leaves: next hop, retry, dead letter, end of the itinerary. */
export class Settler {
  constructor(private readonly stage: Stage) {}

  /** An envelope that throws when it is asked for its way, or was frozen, has none: it is a dead letter. */
  settle(execution: Execution, verdict: Verdict): void {
    try {
      this.choose(execution, verdict);
    } catch (thrown) {
      this.kill(execution, 'unroutable', toError(thrown));
    }
  }

  private choose(execution: Execution, verdict: Verdict): void {
    if (verdict.kind === 'ack') {
      this.advance(execution);
      return;
    }
    execution.restoreSlip();
    if (verdict.kind === 'dead-letter') {
      this.bury(execution, verdict.reason, execution.lease.error);
      return;
    }
    this.stage.books.nacked++;
    if (verdict.kind === 'retry') this.retry(execution, undefined, verdict.delayMs);
    else this.retry(execution, verdict.error, this.backoff(execution.lease));
  }

  /** The bus is closed: counted as abandoned, whatever it came to. What is on disk stays there as if it had not been tried. */
  abandon(execution: Execution): void {
    const { lease } = execution;
    if (this.stage.storing !== undefined) {
      this.end(execution, 'relinquish');
      return;
    }
    this.end(execution, 'done');
    this.stage.drop(lease.envelope, lease.receipt, 'abandoned');
  }

  /** Dead-letters what the stage cannot try; no attempt was made. */
  refuse(lease: Lease, reason: string, error: Error | undefined): void {
    lease.attempt--;
    this.stage.books.deadLettered++;
    this.stage.end(lease, 'discard');
    this.deadLetter(lease, reason, error);
    this.stage.host.lessToDo();
  }

  private advance(execution: Execution): void {
    const { envelope } = execution.lease;
    if (this.stage.isDeadLetter(envelope) || remainingRoutes(envelope) === 0) this.complete(execution);
    else if (this.stage.host.lifecycle.ended) this.abandon(execution);
    else this.hop(execution);
  }

  /** End of the itinerary. The ack of a dead letter ends there, and its receipt was settled long ago. */
  private complete(execution: Execution): void {
    const { lease } = execution;
    this.deliver(execution);
    this.stage.tell(lease.receipt, { status: 'completed', stage: this.stage.name }, lease.envelope);
  }

  private hop(execution: Execution): void {
    const { lease } = execution;
    const name = nextStage(lease.envelope);
    const next = name === undefined ? undefined : this.stage.host.stageNamed(name);
    if (next === undefined) {
      this.bury(execution, 'unroutable', new UnroutableError(this.stage.name, name));
      return;
    }
    const { hopTimeoutMs } = this.stage.settings;
    let arrived = false;
    next.admission.receiveHop(lease, this.stage, hopTimeoutMs, (answer) => {
      arrived = true;
      this.arrived(execution, next, answer);
    });
    if (!arrived) this.releasePermit(execution);
  }

  private arrived(execution: Execution, next: Stage, answer: Answer | Error): void {
    if (answer === 'admitted') this.deliver(execution);
    else if (answer === 'abandoned') this.abandon(execution);
    else if (answer === 'closed') this.bury(execution, 'unroutable', new UnroutableError(this.stage.name, next.name));
    else if (answer instanceof PayloadError) {
      execution.restoreSlip();
      this.bury(execution, 'wrong-type', answer);
    } else if (typeof answer === 'object') this.bury(execution, 'unroutable', answer);
    else {
      const error = new HopTimeoutError(this.stage.name, next.name, this.stage.settings.hopTimeoutMs);
      this.bury(execution, 'hop-timeout', error);
    }
  }

  private deliver(execution: Execution): void {
    this.stage.books.delivered++;
    this.end(execution, 'done');
  }

  private retry(execution: Execution, error: Error | undefined, delayMs: number): void {
    const { lease } = execution;
    const { host, name, settings } = this.stage;
    lease.error = error ?? lease.error;
    if (lease.attempt >= settings.maxAttempts) {
      this.bury(execution, 'max-attempts', lease.error);
      return;
    }
    const dueAt = host.clock.now() + delayMs;
    const ends = host.lifecycle.ended || dueAt > (host.deadline ?? Number.POSITIVE_INFINITY);
    if (ends && this.stage.storing === undefined) {
      this.abandon(execution);
      return;
    }
    this.end(execution, 'return', dueAt);
    if (host.listeners.has('retry')) {
      const envelope = lease.envelope as Envelope;
      host.listeners.emit('retry', { stage: name, attempt: lease.attempt, delayMs, error, envelope });
    }
  }

  private bury(execution: Execution, reason: string, error: Error | undefined): void {
    if (this.stage.isDeadLetter(execution.lease.envelope)) this.end(execution, 'park');
    else this.kill(execution, reason, error);
  }

  private kill(execution: Execution, reason: string, error: Error | undefined): void {
    this.stage.books.deadLettered++;
    this.end(execution, 'discard');
    this.deadLetter(execution.lease, reason, error);
  }

  /** The lease is over; its envelope goes to the dead-letter channel, if there is one. */
  private deadLetter(lease: Lease, reason: string, error: Error | undefined): void {
    const { host, name, storing } = this.stage;
    const { receipt, attempt } = lease;
    const envelope = storing?.pristine(lease) ?? lease.envelope;
    const channel = this.park(envelope, reason, attempt, error);
    this.stage.tell(receipt, { status: 'dead-lettered', stage: name, reason, ...(error && { error }) }, envelope);
    if (host.listeners.has('deadLetter')) {
      const event = { stage: name, channel, reason, attempts: attempt, error, envelope: envelope as Envelope };
      host.listeners.emit('deadLetter', event);
    }
  }

  private park(
    envelope: EnvelopeShape,
    reason: string,
    attempts: number,
    error: Error | undefined,
  ): string | undefined {
    const { host, name: source } = this.stage;
    const at = new Date(host.clock.now()).toISOString();
    try {
      stamp(envelope, { reason, source, attempts, error: error && `${error.name}: ${error.message}`, at });
    } catch {
      // Frozen: without the headers nobody could tell it from a letter to the channel itself.
      return undefined;
    }
    const channel = host.deadLetterChannelOf(this.stage);
    return channel?.admission.receiveDeadLetter(envelope) === true ? channel.name : undefined;
  }

  private end(execution: Execution, settlement: Settlement, dueAt?: number): void {
    this.stage.end(execution.lease, settlement, dueAt);
    this.releasePermit(execution);
    this.stage.host.lessToDo();
  }

  private releasePermit(execution: Execution): void {
    if (!execution.holdsPermit) return;
    execution.holdsPermit = false;
    this.stage.host.permits.release();
  }

  private backoff({ attempt }: Lease): number {
    return backoffDelay(this.stage.settings.backoff, attempt, this.stage.host.random);
  }
}
