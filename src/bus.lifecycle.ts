import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { SedaBus, UnknownStageError } from '#engine';
import { BusDirectory } from './bus.directory.js';
import { isBus } from './bus.factory.js';
import { BusJournal } from './bus.journal.js';
import { FirstToEnd } from './first-to-end.module.js';
import { HandlerConsumers } from './handler.consumers.js';
import type { DrainOn, ModuleSettings } from './seda-bus.options.js';
import { SEDA_BUS, SEDA_BUS_SETTINGS } from './seda-bus.tokens.js';
import { type Registered, StageRegistrar } from './stage.registrar.js';
import { Reminder } from './reminder.js';
import { isConsumed } from './stage.role.js';

const NOT_STARTED =
  'The bus was made 5 seconds ago and consumes nothing: the application was not initialised. ' +
  'Call app.init() or app.listen(), in a test after compile().';
const PATIENCE_MS = 5_000;
const DEAF =
  'Shutdown hooks are not enabled: a SIGTERM ends the process at once, with all that is queued. ' +
  'Call app.enableShutdownHooks().';

/**
 * The bus in the life of its application: handlers are registered when all providers exist, consumption starts when every
 * `onModuleInit` has ended, and the bus drains at the moment that `drainOn` names, once however often it is told to.
 *
 * A bus that a test has replaced by something simpler is left alone.
 */
@Injectable()
export class BusLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly journal: BusJournal;
  private readonly reminder: Reminder | undefined;
  private signalCheck: Reminder | undefined;
  private registered: Registered | undefined;
  private drained: Promise<void> | undefined;

  constructor(
    @Inject(SEDA_BUS) private readonly bus: SedaBus,
    private readonly registrar: StageRegistrar,
    private readonly first: FirstToEnd,
    directory: BusDirectory,
    @Inject(SEDA_BUS_SETTINGS) private readonly settings: ModuleSettings,
    private readonly consumers: HandlerConsumers,
  ) {
    this.journal = new BusJournal(settings.name);
    directory.add(settings.name, {
      bus,
      consumes: (stage) => isConsumed(stage, settings.consumed),
      explore: (moduleRef) => this.explore(moduleRef),
    });
    if (!isBus(bus)) return;
    settings.probe?.attach(bus);
    this.journal.follow(bus);
    this.first.do(() => this.drainOn('first'));
    this.reminder = new Reminder(() => this.journal.warn(NOT_STARTED), PATIENCE_MS, settings.bus.clock);
  }

  onModuleInit(): void {
    if (!isBus(this.bus)) return;
    this.reminder?.cancel();
    this.registered = this.registrar.register();
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!isBus(this.bus)) return;
    this.warnOfUnknownSources();
    await this.bus.start();
    if (this.registered !== undefined) this.journal.started(this.registered);
    this.warnOfHandlers();
    // `createApplicationContext` has initialised before anybody can call `enableShutdownHooks`: let that happen first.
    this.signalCheck = new Reminder(() => this.warnOfDeafness(), 0, this.settings.bus.clock);
  }

  /** `first`, too: should its own hook not have been called, this is the earliest that is left. */
  async onModuleDestroy(): Promise<void> {
    await this.drainOn('first');
    await this.drainOn('onModuleDestroy');
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.drainOn('beforeApplicationShutdown');
  }

  onApplicationShutdown(): Promise<void> {
    return this.drainOn('onApplicationShutdown');
  }

  /** What a module that was loaded lazily declares. */
  private explore(moduleRef: ModuleRef): () => string[] {
    if (!isBus(this.bus)) return () => [];
    const register = this.registrar.explore(moduleRef);
    return () => {
      const stages = register();
      this.warnOfHandlers();
      return stages;
    };
  }

  private async drainOn(moment: DrainOn): Promise<void> {
    if (moment !== this.settings.drainOn || !isBus(this.bus)) return;
    await (this.drained ??= this.drain());
  }

  private async drain(): Promise<void> {
    this.reminder?.cancel();
    this.signalCheck?.cancel();
    if (this.bus.state === 'closed') {
      // Somebody else has ended it; its store may still be being let go of.
      await this.bus.shutdown();
      return;
    }
    const before = this.bus.totals().abandoned;
    const drained = await this.bus.shutdown({ timeoutMs: this.settings.shutdownTimeoutMs });
    this.journal.ended(this.bus.totals().abandoned - before, drained);
  }

  private warnOfHandlers(): void {
    for (const warning of this.consumers.takeWarnings()) this.journal.warn(warning);
  }

  private warnOfDeafness(): void {
    if (process.listenerCount('SIGTERM') + process.listenerCount('SIGINT') === 0) this.journal.warn(DEAF);
  }

  private warnOfUnknownSources(): void {
    for (const source of this.registrar.deadLetterSources) {
      try {
        this.bus.deadLetters(source);
      } catch (error) {
        if (!(error instanceof UnknownStageError)) throw error;
        this.journal.warn(`@DeadLetter('${source}') waits for nothing: ${error.message}`);
      }
    }
  }
}
