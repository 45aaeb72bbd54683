import { AsyncLocalStorage } from 'node:async_hooks';
import { AbortWatch } from './admission/abort-watch.js';
import type { RunningAttempt } from './delivery/attempt.js';
import { exemplars } from './delivery/exemplars.js';
import { MemoryBackend } from './backend/memory.js';
import { type Calendar, type Clock, ExactCalendar, systemClock } from './clock.js';
import { DurableStages } from './durable-stages.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { Permits } from './dispatch/permits.js';
import { Turn } from './dispatch/turn.js';
import type { EnvelopeShape } from './envelope.js';
import { CapabilityError, StageInUseError, toError } from './errors.js';
import { Listeners } from './events.js';
import { IdleWatch } from './lifecycle/idle-watch.js';
import { Intake } from './intake/intake.js';
import { Lifecycle } from './lifecycle/lifecycle.js';
import { type BusSettings, type StageSettings, isDurable } from './options.js';
import type { PublishOptions } from './intake/publish-options.js';
import { Registry } from './registry.js';
import { Stage } from './stage.js';
import type { StageHost } from './stage-host.js';

/** What all stages of one bus share. */
export class Core implements StageHost {
  readonly clock: Clock;
  readonly random: () => number;
  readonly registry = new Registry();
  readonly listeners = new Listeners((where, thrown) => this.callbackFailed(where, thrown));
  readonly lifecycle = new Lifecycle((to, from) => this.listeners.emit('state', { from, to }));
  readonly permits: Permits;
  readonly turn: Turn;
  readonly dispatcher: Dispatcher;
  /** Looking at the machine's clock costs more than queueing: one look serves all that come within a few steps. */
  readonly calendar: Calendar;
  /** Held, never looked at. */
  protected kept: readonly unknown[] | undefined;
  readonly idleWatch = new IdleWatch();
  readonly aborts = new AbortWatch();
  readonly intake: Intake;
  readonly durable: DurableStages;
  /** Records that were not what was written, or not there. */
  damaged = 0;
  held = false;
  deadline: number | undefined = undefined;
  /** Callbacks and listeners of the user that threw. */
  callbackErrors = 0;
  /** The attempt that the present code runs in; only where `publishWhileDraining` pays for it. */
  readonly attempts: AsyncLocalStorage<RunningAttempt> | undefined;

  constructor(readonly settings: BusSettings) {
    this.clock = settings.clock;
    this.intake = new Intake(this);
    this.random = settings.random;
    this.durable = new DurableStages(settings.store, this);
    this.permits = new Permits(settings.concurrency, () => {
      this.dispatcher.resume();
      this.durable.wanted();
    });
    this.turn = new Turn(settings.turnMs);
    this.calendar = this.clock === systemClock ? this.turn : new ExactCalendar(this.clock);
    this.dispatcher = new Dispatcher(this.permits, this.turn);
    this.attempts = settings.publishWhileDraining ? new AsyncLocalStorage() : undefined;
  }

  /** Whether the present code runs in an attempt that has no verdict yet. */
  get insideAttempt(): boolean {
    return this.attempts?.getStore()?.concluded === false;
  }

  stageNamed(name: string): Stage | undefined {
    return this.registry.get(name);
  }

  deadLetterChannelOf(stage: Stage): Stage | undefined {
    return this.registry.channelOf(stage);
  }

  publishFrom(attempt: RunningAttempt, envelope: EnvelopeShape, options?: PublishOptions): Promise<boolean> {
    return this.intake.publishFrom(attempt, envelope, options);
  }

  lessToDo(): void {
    this.idleWatch.changed();
  }

  createStage(name: string, settings: StageSettings, implied: boolean): Stage {
    if (this.registry.leavingNamed(name) !== undefined)
      throw new StageInUseError(name, 'is still being removed: await removeStage() before it is declared again');
    const stage = this.makeStage(name, settings);
    this.registry.add(stage, implied);
    if (this.lifecycle.consuming) this.durable.bringBack();
    this.kept ??= exemplars(stage);
    return stage;
  }

  /**
   * Makes an implied stage anew that nothing has come to, for options that ask for another backend.
   * @throws CapabilityError once something has
   */
  remakeStage(old: Stage, settings: StageSettings): void {
    if (old.books.offered > 0) throw new CapabilityError(old.name, 'survivesRestart');
    void this.durable.remove(old);
    old.backend.close();
    const stage = this.makeStage(old.name, settings);
    for (const consumer of old.consumers.all) stage.consumers.add(consumer);
    stage.parks = old.parks;
    this.registry.replace(old, stage);
  }

  recordsDamaged(stage: string, count: number, error: Error): void {
    this.damaged += count;
    const where = stage === '' ? 'The store' : `Stage '${stage}'`;
    this.listeners.emit('warning', { code: 'SEDA_STORE_DAMAGED', message: `${where}: ${error.message}` });
  }

  private makeStage(name: string, settings: StageSettings): Stage {
    if (!isDurable(settings)) return new Stage(name, settings, new MemoryBackend(this.clock, this.calendar), this);
    const backend = this.durable.backendFor(name, settings);
    const stage = new Stage(name, settings, backend, this);
    this.durable.add(stage, backend);
    return stage;
  }

  private callbackFailed(where: string, thrown: unknown): void {
    this.callbackErrors++;
    // A listener of errors that throws is counted; telling it of its own error would go on for ever.
    if (where !== "listener of 'error'") this.listeners.emit('error', { where, error: toError(thrown) });
  }
}
