import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { SedaBus, UnknownStageError } from '#engine';
import { isBus } from './bus.factory.js';
import { BusJournal } from './bus.journal.js';
import { FirstToEnd } from './first-to-end.module.js';
import type { DrainOn, ModuleSettings } from './seda-bus.options.js';
import { SEDA_BUS_SETTINGS } from './seda-bus.tokens.js';
import { type Registered, StageRegistrar } from './stage.registrar.js';
import { StartReminder } from './start-reminder.js';

const NOT_STARTED =
  'The bus was made 5 seconds ago and consumes nothing: the application was not initialised. ' +
  'Call app.init() or app.listen(), in a test after compile().';

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
  private readonly journal = new BusJournal();
  private readonly reminder: StartReminder | undefined;
  private registered: Registered = { stages: 0, handlers: 0 };
  private drained: Promise<void> | undefined;

  constructor(
    private readonly bus: SedaBus,
    private readonly registrar: StageRegistrar,
    private readonly first: FirstToEnd,
    @Inject(SEDA_BUS_SETTINGS) private readonly settings: ModuleSettings,
  ) {
    if (!isBus(bus)) return;
    this.journal.follow(bus);
    this.first.do(() => this.drainOn('first'));
    this.reminder = new StartReminder(() => this.journal.warn(NOT_STARTED), settings.bus.clock);
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
    this.journal.started(this.registered);
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

  private async drainOn(moment: DrainOn): Promise<void> {
    if (moment !== this.settings.drainOn || !isBus(this.bus)) return;
    await (this.drained ??= this.drain());
  }

  private async drain(): Promise<void> {
    this.reminder?.cancel();
    if (this.bus.state === 'closed') return;
    const before = this.abandoned();
    const drained = await this.bus.shutdown({ timeoutMs: this.settings.shutdownTimeoutMs });
    this.journal.ended(this.abandoned() - before, drained);
  }

  private abandoned(): number {
    return Object.values(this.bus.stats()).reduce((sum, { droppedBy }) => sum + droppedBy.abandoned, 0);
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
