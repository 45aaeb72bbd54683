import type { Consumer } from './delivery/consumer.js';
import { Core } from './core.js';
import { DeadLetters } from './dead-letters/dead-letters.js';
import { Ending } from './lifecycle/ending.js';
import type { EnvelopeShape } from './envelope.js';
import { BusClosedError, InvalidOptionError, NotStartedError, StageConflictError } from './errors.js';
import { type SedaEventName, type SedaListener, checkListener } from './events.js';
import type { BusState } from './lifecycle/lifecycle.js';
import { removeStage } from './lifecycle/removal.js';
import {
  DEAD_LETTER_DEFAULTS,
  type SedaBusOptions,
  type StageOptions,
  type StageSettings,
  busSettings,
  checkStageName,
  durationMs,
  isDurable,
  stageSettings,
} from './options.js';
import { type PublishOptions, checkPublishOptions } from './intake/publish-options.js';
import type { Outcome } from './intake/receipt.js';
import type { Stage } from './stage.js';
import { StageRef } from './stage-ref.js';
import type { Checked, ConsumerFor, PayloadOf, StageName } from './stages.js';
import { type StageStats, statsOf } from './stats.js';
import type { Unprocessed } from './unprocessed.js';

const ACCEPTED = Promise.resolve(true);
const REFUSED = Promise.resolve(false);
const SHUTDOWN_TIMEOUT_MS = 30_000;

/** What the bus has counted that belongs to no stage. All of them only grow, but `early`. */
export interface BusTotals {
  /** Envelopes published to no stage, or by way of a slip that led to none before the bus started. */
  readonly unroutable: number;
  /** Envelopes for stages that may still be registered: held until the bus starts. */
  readonly early: number;
  /** Callbacks and listeners that threw or rejected. */
  readonly callbackErrors: number;
  /** Envelopes abandoned at any stage, those that were removed since included. */
  readonly abandoned: number;
  /** Records of the store that were not what was written, or missing: moved aside, and nothing is known of what they were. */
  readonly damaged: number;
}

/**
 * A staged event-driven architecture bus (Welsh, Culler, Brewer, *SEDA*, SOSP 2001): named stages, each a bounded queue
 * with a concurrency limit and an explicit back-pressure policy, drained by the event loop.
 *
 * Open for work as soon as it is constructed. Registration methods chain, throw {@link InvalidOptionError} for bad
 * arguments and {@link BusClosedError} on a bus that was shut down. After `shutdown`, publishing answers `false` and
 * `stats()` goes on to answer.
 */
export class SedaBus {
  private readonly core: Core;
  private readonly ending: Ending;

  /** @throws InvalidOptionError */
  constructor(options?: SedaBusOptions) {
    this.core = new Core(busSettings(options));
    this.ending = new Ending(this.core);
    const { deadLetterChannel } = this.core.settings;
    if (deadLetterChannel !== undefined) {
      this.core.registry.commonChannel = this.deadLetterStage(deadLetterChannel);
    }
    const { autoStart, store } = this.core.settings;
    // Whoever wants to know how that ends asks `ready()`.
    if (store !== undefined) void this.open().catch(() => undefined);
    if (autoStart && store === undefined) this.core.lifecycle.start();
  }

  /**
   * Opens the store and takes over what it keeps; without a store there is nothing to do. Begun by the constructor already:
   * this waits for it.
   * @throws StoreLockedError, StoreCorruptedError, StoreVersionError, StoreError, MissingPeerError (as rejections)
   */
  async open(): Promise<void> {
    const { durable, settings, idleWatch } = this.core;
    try {
      await durable.openStore();
    } finally {
      idleWatch.changed();
    }
    if (settings.autoStart && this.state === 'starting') this.startNow();
  }

  /** Whether there is no room on the disk for what durable stages are given. */
  get storeFull(): boolean {
    return this.core.durable.full;
  }

  /** Where the bus is in its life. */
  get state(): BusState {
    return this.core.lifecycle.state;
  }

  /**
   * Declares a stage. Once it is declared, the same options again are fine and none are, too. `provisional` only makes
   * sure that the stage exists; the options it then gets may still be replaced by a declaration.
   * @throws StageConflictError for other options than it was declared with
   * @throws StageInUseError while a stage of that name is being removed; `subscribe` and `setDeadLetterChannel`, too
   */
  channel<Name extends string>(
    name: Checked<Name>,
    options?: StageOptions,
    { provisional = false }: { provisional?: boolean } = {},
  ): this {
    checkStageName('stage name', name);
    this.requireOpen(`channel('${name}')`);
    const { registry, settings } = this.core;
    const stage = registry.get(name);
    if (stage === undefined)
      this.core.createStage(name, stageSettings(`stage '${name}'`, options, settings.defaults), provisional);
    else if (options !== undefined && !provisional)
      this.redeclare(stage, stageSettings(`stage '${name}'`, options, settings.defaults));
    return this;
  }

  /** Adds a consumer; the same one twice is two. A stage that does not exist is created with the defaults. */
  subscribe<Name extends string>(name: Checked<Name>, consumer: ConsumerFor<Name>): this {
    checkStageName('stage name', name);
    if (typeof consumer !== 'function') throw new InvalidOptionError('consumer', 'a function', consumer);
    this.requireOpen(`subscribe('${name}')`);
    const stage = this.core.registry.get(name) ?? this.core.createStage(name, this.core.settings.defaults, true);
    stage.consumers.add(consumer as Consumer);
    stage.wake();
    return this;
  }

  /** Removes a consumer once; one that is not there is ignored. Attempts that run go on. */
  unsubscribe<Name extends string>(name: Checked<Name>, consumer: ConsumerFor<Name>): this {
    const stage = this.core.registry.get(name);
    if (stage?.consumers.remove(consumer as Consumer) === true) {
      stage.wake();
      this.core.lessToDo();
    }
    return this;
  }

  /**
   * Takes a stage off the bus. Its name is unknown at once: publishers that wait there get `false`, and a hop to it is
   * dead-lettered as `unroutable`. What it has admitted is finished first, for `timeoutMs` at most, on a bus that has
   * not started not at all; the rest is abandoned. Resolves `true` if nothing was. As long as it takes, `stats()` shows
   * the stage, its state `draining`.
   *
   * @throws UnknownStageError (as a rejection), for a stage that is being removed already, too
   * @throws StageInUseError (as a rejection) for a channel that dead letters still go to
   * @throws InvalidOptionError, BusClosedError (as rejections)
   */
  async removeStage<Name extends string>(
    name: Checked<Name>,
    { timeoutMs = SHUTDOWN_TIMEOUT_MS }: { timeoutMs?: number } = {},
  ): Promise<boolean> {
    durationMs('removeStage.timeoutMs', timeoutMs);
    this.requireOpen(`removeStage('${name}')`);
    return removeStage(this.core, this.core.registry.require(name), timeoutMs);
  }

  /**
   * Sends the dead letters of `source`, which need not exist yet, to the stage `channel`. A missing one is created:
   * capacity 4096, `DropOldest`. The last call for a source counts.
   */
  setDeadLetterChannel<Source extends string, Channel extends string>(
    source: Checked<Source>,
    channel: Checked<Channel>,
  ): this {
    checkStageName('dead-letter source', source);
    checkStageName('dead-letter channel', channel);
    if ((source as string) === channel)
      throw new InvalidOptionError('dead-letter channel', 'another stage than its source', channel);
    this.requireOpen(`setDeadLetterChannel('${source}')`);
    this.core.registry.setChannel(source, this.deadLetterStage(channel));
    return this;
  }

  /**
   * Hands an envelope to the stage its route names. Resolves `true` once it is accepted, `false` when it is refused;
   * waits only where the stage is full and its policy is `Block`. No consumer runs before this returns.
   *
   * @throws UnknownStageError (as a rejection) with `unknownStage: 'throw'`
   * @throws NotStartedError (as a rejection) if it would have to wait on a bus that has not started
   * @throws InvalidOptionError, InvalidEnvelopeError (as rejections)
   */
  publish(envelope: EnvelopeShape, options?: PublishOptions): Promise<boolean> {
    const { intake, turn } = this.core;
    let answer: boolean | Promise<boolean>;
    try {
      answer = intake.publish(envelope, options);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    if (typeof answer !== 'boolean') return answer;
    if (!turn.spent()) return answer ? ACCEPTED : REFUSED;
    // A loop of `await publish` never leaves the microtasks by itself: let timers and sockets have their turn.
    return answer ? turn.next() : turn.next().then(() => false);
  }

  /**
   * As {@link publish}, and never waits: a full `Block` stage refuses, too.
   * @throws UnknownStageError with `unknownStage: 'throw'`
   * @throws InvalidOptionError, InvalidEnvelopeError
   */
  offer(envelope: EnvelopeShape, options?: PublishOptions): boolean {
    return this.core.intake.offer(envelope, options);
  }

  /**
   * Publishes and resolves with the end of the itinerary, whatever it is; a refusal is `dropped`.
   * @throws NotStartedError (as a rejection) on a bus that has not started; otherwise as {@link publish}
   */
  async publishAndWait(envelope: EnvelopeShape, options?: PublishOptions): Promise<Outcome> {
    if (this.state === 'starting') throw new NotStartedError('publishAndWait');
    if (options !== undefined) checkPublishOptions(options);
    let settled: (outcome: Outcome) => void = () => undefined;
    const outcome = new Promise<Outcome>((resolve) => (settled = resolve));
    const onSettled: PublishOptions['onSettled'] = (end, settledEnvelope) => {
      settled(end);
      return options?.onSettled?.(end, settledEnvelope);
    };
    await this.publish(envelope, { ...options, onSettled });
    return outcome;
  }

  /** Stops the intake of the bus or of one stage: publishing answers `false`. What was admitted goes on. */
  pause<Name extends string>(stage?: Checked<Name>): void {
    if (stage === undefined) this.core.lifecycle.pause();
    else this.core.registry.require(stage).pause();
  }

  /** Ends {@link pause}. */
  resume<Name extends string>(stage?: Checked<Name>): void {
    if (stage !== undefined) return this.core.registry.require(stage).resume();
    this.core.lifecycle.resume();
    for (const each of this.core.registry.all) each.admission.admitWaiting();
  }

  /** Starts no further attempt, on the bus or at one stage; the intake goes on under the stage's policy. */
  hold<Name extends string>(stage?: Checked<Name>): void {
    if (stage === undefined) this.setHeld(true);
    else this.core.registry.require(stage).hold();
  }

  /** Ends {@link hold} of the same reach: a stage held by itself stays so when the bus is released. */
  release<Name extends string>(stage?: Checked<Name>): void {
    if (stage === undefined) this.setHeld(false);
    else this.core.registry.require(stage).release();
  }

  /** Resolves when nothing is queued and nothing runs, on the bus or at one stage. Parked dead letters are at rest. */
  idle<Name extends string>(stage?: Checked<Name>): Promise<void> {
    const { idleWatch, registry } = this.core;
    if (stage === undefined) return idleWatch.until('bus', () => [...registry.all].every((each) => each.idle));
    const watched = registry.leavingNamed(stage) ?? registry.require(stage);
    return idleWatch.until(watched, () => watched.idle);
  }

  /**
   * Begins to consume, where `autoStart: false` has put that off; with a store, when that is open. Twice is once.
   * @throws what {@link open} throws (as a rejection)
   */
  start(): Promise<void> {
    if (this.core.durable.open) this.startNow();
    else
      void this.open().then(
        () => this.startNow(),
        () => undefined,
      );
    return this.ready();
  }

  /**
   * Resolves when the bus has started.
   * @throws BusClosedError (as a rejection) once it is closed
   * @throws what {@link open} throws (as a rejection) when the store cannot be opened
   */
  async ready(): Promise<void> {
    const { idleWatch, durable } = this.core;
    await idleWatch.until('ready', () => this.state !== 'starting' || durable.failure !== undefined);
    if (this.state === 'starting') throw durable.failure as Error;
    if (this.state === 'closed') throw new BusClosedError('ready()');
  }

  /**
   * Stops the intake, lets what was admitted finish its itinerary, then closes. Retries and delays due later than
   * `timeoutMs` from now are abandoned at once, all the rest at that time, with the signals of running attempts
   * aborted. Resolves `true` if nothing was abandoned or interrupted. Twice, or at once with {@link shutdownNow}, is
   * once: all get the same answer.
   */
  async shutdown({ timeoutMs = SHUTDOWN_TIMEOUT_MS }: { timeoutMs?: number } = {}): Promise<boolean> {
    durationMs('shutdown.timeoutMs', timeoutMs);
    return this.ending.drain(timeoutMs);
  }

  /**
   * Closes now: what is queued or running is abandoned, and on durable stages kept. `true` if there was nothing to abandon
   * and nothing to interrupt. A store is let go of in what follows; {@link shutdown} waits for that, and may be called after.
   */
  shutdownNow(): boolean {
    return this.ending.now();
  }

  /** Every stage at this instant, by name. */
  stats(): Record<string, StageStats> {
    return Object.fromEntries([...this.core.registry.all].map((stage) => [stage.name, statsOf(stage)]));
  }

  /** What belongs to no stage. */
  totals(): BusTotals {
    const { intake, registry, callbackErrors, damaged } = this.core;
    return {
      unroutable: intake.unroutable,
      early: intake.early.count,
      callbackErrors,
      damaged,
      abandoned: registry.abandoned,
    };
  }

  /**
   * A stage by its name, with the payload that `Stages` gives it; `undefined` when there is none (yet). Of a name that is
   * only known at run time the payload may be said: `bus.stage<Order>(name)`.
   */
  stage<Name extends string, Payload extends PayloadOf<Name>>(name: Checked<Name>): StageRef<Payload> | undefined;
  stage<Payload = never>(name: [Payload] extends [never] ? StageName : string): StageRef<NoInfer<Payload>> | undefined;
  stage<Payload>(name: string): StageRef<Payload> | undefined {
    return this.core.registry.get(name) && new StageRef<Payload>(this, name);
  }

  /**
   * The dead letters of a stage; of a dead-letter channel, all that it keeps.
   * @throws UnknownStageError
   */
  deadLetters<Name extends string>(stage: Checked<Name>): DeadLetters {
    const source = this.core.registry.require(stage);
    const channel = source.parks ? source : this.core.registry.channelOf(source);
    const belongs = source.parks ? () => true : (facts: { source: string }) => facts.source === stage;
    return new DeadLetters(channel, belongs, (...letter) => this.core.intake.redrive(...letter));
  }

  /**
   * What an earlier process has left at a durable stage with `replay: 'manual'`.
   * @throws UnknownStageError
   * @throws CapabilityError for a stage in memory
   */
  unprocessed<Name extends string>(stage: Checked<Name>): Unprocessed {
    return this.core.registry.require(stage).unprocessed;
  }

  /** Delivers it, in order and as the next attempt where one had begun; how many there are. As `unprocessed(stage).replay()`. */
  replay<Name extends string>(stage: Checked<Name>): number {
    return this.unprocessed(stage).replay();
  }

  /** Discards it, reason `purged`; how many. As `unprocessed(stage).clear()`. */
  clearUnprocessed<Name extends string>(stage: Checked<Name>): number {
    return this.unprocessed(stage).clear();
  }

  /**
   * Adds a listener. An event that nobody listens to is never an error.
   * @throws InvalidOptionError for an event that does not exist, and a listener that is no function
   */
  on<Name extends SedaEventName>(event: Name, listener: SedaListener<Name>): this {
    checkListener(event, listener);
    this.core.listeners.on(event, listener);
    return this;
  }

  /** Removes a listener once. */
  off<Name extends SedaEventName>(event: Name, listener: SedaListener<Name>): this {
    this.core.listeners.off(event, listener);
    return this;
  }

  private requireOpen(what: string): void {
    if (this.core.lifecycle.ended) throw new BusClosedError(what);
  }

  private deadLetterStage(name: string): Stage {
    const { registry, settings } = this.core;
    const stage =
      registry.get(name) ??
      this.core.createStage(name, stageSettings(`stage '${name}'`, letterOptions(settings), settings.defaults), true);
    stage.parks = true;
    this.core.lessToDo();
    return stage;
  }

  private redeclare(stage: Stage, settings: StageSettings): void {
    const { registry } = this.core;
    if (registry.isImplied(stage.name)) {
      registry.declare(stage.name);
      if (isDurable(settings) !== (stage.storing !== undefined)) this.core.remakeStage(stage, settings);
      else if (settings !== stage.settings) stage.settings = settings;
      return;
    }
    const names = Object.keys(settings) as (keyof StageSettings)[];
    const other = names.filter((name) => show(settings[name]) !== show(stage.settings[name]));
    if (other.length === 0) return;
    const detail = other.map((name) => `${name} ${show(stage.settings[name])} and ${show(settings[name])}`).join(', ');
    throw new StageConflictError(stage.name, detail);
  }

  private startNow(): void {
    const { lifecycle, registry, intake, idleWatch, durable } = this.core;
    if (lifecycle.state !== 'starting') return;
    lifecycle.start();
    intake.judgeEarlyArrivals();
    durable.start();
    for (const stage of registry.all) stage.wake();
    idleWatch.changed();
  }

  private setHeld(held: boolean): void {
    const stages = [...this.core.registry.all];
    const before = stages.map((stage) => stage.state);
    this.core.held = held;
    stages.forEach((stage, index) => {
      stage.announce(before[index] ?? stage.state);
      if (held) stage.storing?.relinquish();
      stage.wake();
    });
  }
}

/** What a dead-letter channel has that does not say otherwise: where something is on disk, letters are, too. */
function letterOptions({ store }: { readonly store: unknown }): StageOptions {
  return store === undefined ? DEAD_LETTER_DEFAULTS : { ...DEAD_LETTER_DEFAULTS, serviceLevel: 'AtLeastOnce' };
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'none';
}
