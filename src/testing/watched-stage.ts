import type { Attempt, Consumer, Envelope } from '#engine';
import type { RecordedDelivery } from './delivery.js';
import { Gate } from './stage-gate.js';
import { WatchedAttempt } from './watched-attempt.js';

/** One stage under test: what was delivered there, and what a test has in store for what comes. */
export class WatchedStage {
  private attempts: WatchedAttempt[] = [];
  private readonly underway = new Set<WatchedAttempt>();
  private failures: { readonly error: unknown }[] = [];
  private lastGate = openGate();

  /**
   * @param keep how many deliveries are kept
   * @param changed called for whatever happens here
   */
  constructor(
    private readonly keep: number,
    private readonly changed: () => void,
  ) {}

  get deliveries(): RecordedDelivery[] {
    return this.attempts.map(({ snapshot }) => snapshot);
  }

  /** How many attempts wait at the gate. */
  get waiting(): number {
    return this.lastGate.waiting;
  }

  /** How many handlers were called and are not done. */
  get running(): number {
    return this.underway.size - this.waiting;
  }

  fail(error: unknown, times: number): void {
    for (let left = times; left > 0; left--) this.failures.push({ error });
  }

  /** The gate, closed. While it is, it is the same. */
  close(): Gate {
    if (this.lastGate.isOpen) this.lastGate = new Gate();
    return this.lastGate;
  }

  open(): void {
    this.lastGate.open();
  }

  reset(): void {
    this.attempts = [];
    this.failures = [];
    this.open();
  }

  /** One attempt: the gate, then the failures in store, then the handler. */
  run(handler: Consumer, envelope: Envelope, attempt: Attempt): unknown {
    const watched = this.record(new WatchedAttempt(attempt, envelope, this.ended));
    const gate = this.lastGate;
    const call = (): unknown => this.call(handler, envelope, watched);
    return watched.follow(gate.isOpen ? call : () => gate.passed(watched.signal).then(call));
  }

  private record(watched: WatchedAttempt): WatchedAttempt {
    this.underway.add(watched);
    this.attempts.push(watched);
    if (this.attempts.length > this.keep) this.attempts.shift();
    this.changed();
    return watched;
  }

  private readonly ended = (watched: WatchedAttempt): void => {
    this.underway.delete(watched);
    this.changed();
  };

  private call(handler: Consumer, envelope: Envelope, watched: WatchedAttempt): unknown {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure.error;
    return handler(envelope, watched);
  }
}

function openGate(): Gate {
  const gate = new Gate();
  gate.open();
  return gate;
}
