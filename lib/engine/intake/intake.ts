import { AsyncResource } from 'node:async_hooks';
import type { Envelope } from '#ra-common';
import type { Origin } from '../admission/admission.js';
import type { RunningAttempt } from '../delivery/attempt.js';
import type { Core } from '../core.js';
import { EarlyArrivals } from './early-arrivals.js';
import { type EnvelopeShape, checkEnvelope, targetService } from '../envelope.js';
import { CapabilityError, NotStartedError } from '../errors.js';
import type { Execution } from '../delivery/execution.js';
import { type PublishOptions, checkPublishOptions } from './publish-options.js';
import { Receipt } from './receipt.js';
import type { Stage } from '../stage.js';

/** From a publisher's call to a stage's door: finds the stage, and says what became of an envelope that has none. */
export class Intake {
  readonly early = new EarlyArrivals();
  /** Envelopes published to no stage. */
  unroutable = 0;
  private warnedOfDraining = false;
  /** Those whose handlers wait for room at a publish, and at how many: as long as one does, others use the permit. */
  private readonly publishing = new Map<Execution, number>();

  /** Whether each envelope takes the asynchronous context of its publish along. */
  private readonly carriesContext: boolean;

  constructor(private readonly core: Core) {
    this.carriesContext = core.settings.propagateContext;
  }

  /** A boolean where the answer is known at once, a promise where the publisher has to wait. */
  publish(
    envelope: EnvelopeShape,
    options: PublishOptions | undefined,
    origin = this.origin(),
  ): boolean | Promise<boolean> {
    const stage = this.stageOf(envelope, options);
    const receipt = this.receiptFor(options);
    if (stage === undefined) return this.refuseUnknown(envelope, options, receipt);
    const answer = this.offerTo(stage, envelope, options, receipt, origin);
    if (answer !== undefined) return answer;
    if (this.core.lifecycle.state === 'starting') {
      stage.admission.refuse(envelope, receipt, 'rejected');
      throw new NotStartedError(`Publishing to the full stage '${stage.name}'`);
    }
    return stage.admission.waitForRoom(envelope, receipt, options ?? {}, origin);
  }

  /** As {@link publish}, for those who cannot wait. */
  offer(envelope: EnvelopeShape, options: PublishOptions | undefined): boolean {
    const stage = this.stageOf(envelope, options);
    const receipt = this.receiptFor(options);
    if (stage === undefined) return this.refuseUnknown(envelope, options, receipt);
    if (stage.storing !== undefined) throw new CapabilityError(stage.name, 'answersAtOnce');
    const answer = this.offerTo(stage, envelope, options, receipt, this.origin());
    return (answer as boolean | undefined) ?? stage.admission.refuse(envelope, receipt, 'rejected');
  }

  /** `attempt.publish`: while it waits, others may use the attempt's bus-wide permit. */
  async publishFrom(attempt: RunningAttempt, envelope: EnvelopeShape, options?: PublishOptions): Promise<boolean> {
    if (attempt.concluded) return this.refuseLate(envelope, options);
    const answer = this.publish(envelope, options, 'attempt');
    if (typeof answer === 'boolean') {
      if (this.core.turn.spent()) await this.core.turn.next();
      return answer;
    }
    const { owner } = attempt;
    this.publishing.set(owner, this.publishesOf(owner) + 1);
    if (owner.holdsPermit) {
      owner.holdsPermit = false;
      this.core.permits.release();
    }
    const accepted = await answer;
    const left = this.publishesOf(owner) - 1;
    if (left > 0) this.publishing.set(owner, left);
    else this.publishing.delete(owner);
    await this.retakePermit(owner);
    return accepted;
  }

  /** A dead letter goes to its source again, as a publish would; `taken` is called at the moment it is accepted. */
  async redrive(
    source: string,
    envelope: EnvelopeShape,
    receipt: Receipt | undefined,
    taken: () => void,
  ): Promise<boolean> {
    const { registry, turn } = this.core;
    // Many letters are many steps: let timers and sockets have their turn.
    if (turn.spent()) await turn.next();
    const stage = registry.get(source);
    if (stage === undefined) return false;
    const patience = { admitted: taken };
    const answer = stage.admission.offer(envelope, receipt, 0, 'outside', patience);
    if (answer === true && stage.storing === undefined) taken();
    if (answer === false) this.warnOfDraining();
    return answer ?? stage.admission.waitForRoom(envelope, receipt, patience, 'outside');
  }

  /** The bus has started: envelopes that came before their stages are offered to them now. They were accepted once. */
  judgeEarlyArrivals(): void {
    this.early.release(({ envelope, options, receipt }) => {
      const stage = this.stageOf(envelope, options);
      if (stage === undefined) this.countUnroutable(envelope, receipt);
      else if (stage.admission.offer(envelope, receipt, this.dueAt(options), 'attempt') === undefined) {
        // Its publisher was told `true`: neither signal nor time limit can take that back.
        void stage.admission.waitForRoom(envelope, receipt, { delayMs: options?.delayMs ?? 0 }, 'attempt');
      }
    });
  }

  /** The bus ends without having started. */
  abandonEarlyArrivals(): void {
    this.early.release(({ envelope, options, receipt }) => {
      const stage = this.stageOf(envelope, options);
      if (stage === undefined) this.countUnroutable(envelope, receipt);
      else stage.admission.refuse(envelope, receipt, 'abandoned');
    });
  }

  /** @throws InvalidEnvelopeError, InvalidOptionError */
  private stageOf(envelope: EnvelopeShape, options: PublishOptions | undefined): Stage | undefined {
    checkEnvelope(envelope);
    if (options !== undefined) checkPublishOptions(options);
    const name = targetService(envelope);
    return name === undefined ? undefined : this.core.registry.get(name);
  }

  private offerTo(
    stage: Stage,
    envelope: EnvelopeShape,
    options: PublishOptions | undefined,
    receipt: Receipt | undefined,
    origin: Origin,
  ): boolean | Promise<boolean> | undefined {
    const { storing, name } = stage;
    const asked = options?.serviceLevel;
    if (storing === undefined && asked !== undefined && asked !== 'AtMostOnce')
      throw new CapabilityError(name, 'survivesRestart');
    if (options?.signal?.aborted === true) return stage.admission.refuse(envelope, receipt, 'aborted');
    const dueAt = this.dueAt(options);
    // From outside nothing comes in any more: that is no loss, and its stage says `closed`.
    if (origin === 'attempt' && storing === undefined && dueAt > (this.core.deadline ?? Number.POSITIVE_INFINITY))
      return stage.admission.refuse(envelope, receipt, 'abandoned');
    const answer = stage.admission.offer(envelope, receipt, dueAt, origin, options);
    if (answer === false && origin === 'outside') this.warnOfDraining();
    return answer;
  }

  private refuseUnknown(
    envelope: EnvelopeShape,
    options: PublishOptions | undefined,
    receipt: Receipt | undefined,
  ): boolean {
    const { lifecycle, registry, settings } = this.core;
    if (lifecycle.state === 'starting' && settings.store !== undefined) {
      // The stage may turn out to be durable, and then `true` would be a lie.
      receipt?.settle({ status: 'dropped', stage: targetService(envelope), reason: 'unroutable' }, envelope);
      throw new NotStartedError(`Publishing to '${targetService(envelope)}', which is no stage yet,`);
    }
    if (lifecycle.state === 'starting' && this.early.hold({ envelope, options, receipt })) return true;
    this.countUnroutable(envelope, receipt);
    if (settings.unknownStage === 'throw' && !lifecycle.ending) throw registry.unknown(targetService(envelope));
    return false;
  }

  private refuseLate(envelope: EnvelopeShape, options: PublishOptions | undefined): boolean {
    const stage = this.stageOf(envelope, options);
    const receipt = this.receiptFor(options);
    return stage?.admission.refuse(envelope, receipt, 'closed') ?? this.refuseUnknown(envelope, options, receipt);
  }

  private countUnroutable(envelope: EnvelopeShape, receipt: Receipt | undefined): void {
    const stage = targetService(envelope);
    this.unroutable++;
    receipt?.settle({ status: 'dropped', stage, reason: 'unroutable' }, envelope);
    this.core.listeners.emit('unroutable', { stage, envelope: envelope as Envelope });
  }

  private receiptFor(options: PublishOptions | undefined): Receipt | undefined {
    if (options === undefined && !this.carriesContext) return undefined;
    const { onComplete, onSettled } = options ?? {};
    if (onComplete === undefined && onSettled === undefined && !this.carriesContext) return undefined;
    const context = this.carriesContext ? new AsyncResource('SedaEnvelope') : undefined;
    return new Receipt(onComplete, onSettled, this.guard, context);
  }

  private readonly guard = (callback: () => unknown): void =>
    this.core.listeners.call('callback of a publish', callback);

  private dueAt(options: PublishOptions | undefined): number {
    const delayMs = options?.delayMs;
    return delayMs === undefined || delayMs === 0 ? 0 : this.core.clock.now() + delayMs;
  }

  private origin(): Origin {
    return this.core.lifecycle.state === 'draining' && this.core.insideAttempt ? 'attempt' : 'outside';
  }

  /**
   * An attempt that ended meanwhile, by timeout or shutdown, has no use for its permit, and one that waits at another
   * publish has none yet.
   */
  private retakePermit(owner: Execution): Promise<void> | undefined {
    const useless = (): boolean => owner.holdsPermit || owner.concluded || this.publishing.has(owner);
    if (useless()) return undefined;
    return new Promise((resolve) => {
      this.core.permits.retake(() => {
        if (useless()) this.core.permits.release();
        else owner.holdsPermit = true;
        resolve();
      });
    });
  }

  private publishesOf(owner: Execution): number {
    return this.publishing.get(owner) ?? 0;
  }

  private warnOfDraining(): void {
    if (this.warnedOfDraining || this.core.lifecycle.state !== 'draining') return;
    this.warnedOfDraining = true;
    this.core.listeners.emit('warning', {
      code: 'SEDA_DRAINING',
      message: 'A publish was refused while the bus drains. Inside a handler, `attempt.publish` is accepted.',
    });
  }
}
