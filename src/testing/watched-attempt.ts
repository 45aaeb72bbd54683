import {
  type Attempt,
  AttemptInterruptedError,
  type Envelope,
  type EnvelopeShape,
  NackedError,
  type PublishOptions,
  type Verdict,
  envelopePayload,
} from '#engine';
import type { DeliveryEnd, RecordedDelivery } from './delivery.js';

/** What the handler is given in the place of its attempt: the same, and what comes of it is written down. */
export class WatchedAttempt implements Attempt {
  private delivery: RecordedDelivery;
  /** What the handler has asked for; it counts if it ends without throwing. */
  private recorded: DeliveryEnd | undefined;

  constructor(
    private readonly attempt: Attempt,
    envelope: Envelope,
    private readonly ended: (watched: WatchedAttempt) => void,
  ) {
    this.delivery = { envelope, payload: payloadOf(envelope), attempt: attempt.number, outcome: 'running' };
  }

  /** As it is now; what happens later does not change it. */
  get snapshot(): RecordedDelivery {
    return this.delivery;
  }

  get number(): number {
    return this.attempt.number;
  }

  get max(): number {
    return this.attempt.max;
  }

  get stage(): string {
    return this.attempt.stage;
  }

  get enqueuedAt(): number {
    return this.attempt.enqueuedAt;
  }

  get redelivered(): boolean {
    return this.attempt.redelivered;
  }

  get signal(): AbortSignal {
    return this.attempt.signal;
  }

  retryIn(delayMs: number): Verdict {
    const verdict = this.attempt.retryIn(delayMs);
    this.recorded = { outcome: 'retry', delayMs };
    return verdict;
  }

  deadLetter(reason: string): Verdict {
    const verdict = this.attempt.deadLetter(reason);
    this.recorded = { outcome: 'dead-letter', reason };
    return verdict;
  }

  publish(envelope: EnvelopeShape, options?: PublishOptions): Promise<boolean> {
    return this.attempt.publish(envelope, options);
  }

  /** Makes the call and writes down what comes of it. A result that is no promise is returned as it came, at once. */
  follow(call: () => unknown): unknown {
    try {
      const result = call();
      if (isThenable(result)) return this.followPromise(result);
      this.end(this.endWith(result));
      return result;
    } catch (thrown) {
      this.end({ outcome: 'nack', error: thrown });
      throw thrown;
    }
  }

  /** `then` is called once: what it sets off happens once. */
  private followPromise(result: PromiseLike<unknown>): Promise<unknown> {
    const { signal } = this.attempt;
    signal.addEventListener('abort', () => this.cutOff(signal.reason), { once: true });
    return Promise.resolve(result).then(
      (value) => {
        this.end(this.endWith(value));
        return value;
      },
      (thrown: unknown) => {
        this.end({ outcome: 'nack', error: thrown });
        throw thrown;
      },
    );
  }

  private endWith(result: unknown): DeliveryEnd {
    if (this.recorded !== undefined) return this.recorded;
    return result === false ? { outcome: 'nack', error: new NackedError(this.stage) } : { outcome: 'ack' };
  }

  private cutOff(reason: unknown): void {
    this.end(
      reason instanceof AttemptInterruptedError ? { outcome: 'interrupted' } : { outcome: 'nack', error: reason },
    );
  }

  /** The first end counts: a late result changes nothing. */
  private end(end: DeliveryEnd): void {
    if (this.delivery.outcome !== 'running') return;
    this.delivery = { ...this.delivery, ...end };
    this.ended(this);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** An envelope of another implementation may have no content, or throw when it is asked. */
function payloadOf(envelope: Envelope): unknown {
  try {
    return envelopePayload(envelope);
  } catch {
    return undefined;
  }
}
