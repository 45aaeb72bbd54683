import type { Envelope } from '#ra-common';
import type { SedaBus } from './bus.js';
import type { DeadLetters } from './dead-letters/dead-letters.js';
import { type EnvelopeShape, OPERATION, makeEnvelope, targetService } from './envelope.js';
import { InvalidOptionError } from './errors.js';
import type { PublishOptions } from './intake/publish-options.js';
import type { Outcome } from './intake/receipt.js';
import type { StageStats } from './stats.js';

/**
 * One stage of a bus, by name. Every method is the bus's own with the name filled in. What is published is an envelope,
 * or a payload that one is made for; an envelope without an address gets this one.
 */
export class StageRef<Payload = unknown> {
  constructor(
    private readonly bus: SedaBus,
    readonly name: string,
  ) {}

  /**
   * As `bus.publish`.
   * @throws InvalidOptionError (as a rejection) for an envelope that is addressed to another stage
   */
  async publish(what: Payload | Envelope, options?: PublishOptions): Promise<boolean> {
    return this.bus.publish(this.addressed(what), options);
  }

  /**
   * As `bus.offer`.
   * @throws InvalidOptionError for an envelope that is addressed to another stage
   */
  offer(what: Payload | Envelope, options?: PublishOptions): boolean {
    return this.bus.offer(this.addressed(what), options);
  }

  /** As `bus.publishAndWait`, with {@link publish}'s rejection. */
  async publishAndWait(what: Payload | Envelope, options?: PublishOptions): Promise<Outcome> {
    return this.bus.publishAndWait(this.addressed(what), options);
  }

  /** Stops this stage's intake; what it has is finished. */
  pause(): void {
    this.bus.pause(this.name);
  }

  resume(): void {
    this.bus.resume(this.name);
  }

  /** Starts no further attempt; the intake goes on under the stage's policy. */
  hold(): void {
    this.bus.hold(this.name);
  }

  release(): void {
    this.bus.release(this.name);
  }

  /** `undefined` when the stage does not exist (yet). */
  stats(): StageStats | undefined {
    return this.bus.stats()[this.name];
  }

  get deadLetters(): DeadLetters {
    return this.bus.deadLetters(this.name);
  }

  /** Resolves when nothing is queued and nothing runs here. */
  idle(): Promise<void> {
    return this.bus.idle(this.name);
  }

  private addressed(what: Payload | Envelope): EnvelopeShape {
    if (!isEnvelope(what)) return makeEnvelope(this.name, what);
    const address = targetService(what);
    if (address === undefined) {
      what.addRoute(this.name, OPERATION);
      what.ratchet();
    } else if (address !== this.name) {
      throw new InvalidOptionError('envelope', `addressed to stage '${this.name}'`, address);
    }
    return what;
  }
}

function isEnvelope(what: unknown): what is Envelope {
  const candidate = what as Partial<Envelope> | null | undefined;
  return typeof candidate?.getRoute === 'function' && typeof candidate.ratchet === 'function';
}
