import { Inject, Injectable } from '@nestjs/common';
import { type ModuleRef, ModulesContainer } from '@nestjs/core';
import { InvalidOptionError, SedaBus } from '#engine';
import { busNames, moduleOf, reachableFrom } from './module.graph.js';
import type { ModuleSettings } from './seda-bus.options.js';
import { SEDA_BUS, SEDA_BUS_SETTINGS } from './seda-bus.tokens.js';
import { type Handler, StageExplorer } from './stage.explorer.js';
import { type StagePlan, planStages } from './stage.plan.js';
import { idlePatterns, isConsumed } from './stage.role.js';

/** What was registered. */
export interface Registered {
  readonly stages: number;
  readonly handlers: number;
  /** The stages that this process only publishes to. */
  readonly publishOnly: readonly string[];
  /** What `consume` names and no stage is called. */
  readonly idlePatterns: readonly string[];
}

/** Brings what the application declares onto the bus. */
@Injectable()
export class StageRegistrar {
  /** The sources that a `@DeadLetter` names. */
  readonly deadLetterSources = new Set<string>();
  private handlers: readonly Handler[] = [];
  private readonly explored = new WeakSet<object>();

  constructor(
    @Inject(SEDA_BUS) private readonly bus: SedaBus,
    private readonly explorer: StageExplorer,
    private readonly modules: ModulesContainer,
    @Inject(SEDA_BUS_SETTINGS) private readonly settings: ModuleSettings,
  ) {}

  /**
   * Declares every stage and subscribes every handler. Once, when all providers are instantiated.
   * @throws InvalidOptionError, StageConflictError, SedaModuleError naming the handlers they concern
   */
  register(): Registered {
    const modules = [...this.modules.values()];
    const plan = this.take(this.explorer.handlers(this.settings.name, busNames(modules)));
    for (const module of modules) this.explored.add(module);
    const names = [...plan.stages.keys()];
    const { consumed } = this.settings;
    return {
      stages: names.length,
      handlers: this.handlers.length,
      publishOnly: names.filter((name) => !isConsumed(name, consumed)),
      idlePatterns: idlePatterns(consumed, names),
    };
  }

  /**
   * Registers what a module that was loaded lazily declares, and what the modules do that it imports; the stages of its
   * handlers.
   * @throws InvalidOptionError for what is no module of this application; otherwise as {@link register}
   */
  explore(moduleRef: ModuleRef): string[] {
    const loaded = moduleOf(this.modules, moduleRef);
    if (loaded === undefined)
      throw new InvalidOptionError('explore', 'what LazyModuleLoader.load() resolves to', moduleRef);
    const fresh = reachableFrom(loaded).filter((module) => !this.explored.has(module));
    const isFresh = (module: object | undefined): boolean => module !== undefined && fresh.includes(module as never);
    const handlers = this.explorer.handlers(this.settings.name, busNames([...this.modules.values()]), isFresh);
    this.take(handlers);
    for (const module of fresh) this.explored.add(module);
    return [...new Set(handlers.map(({ stage }) => stage))];
  }

  private take(handlers: readonly Handler[]): StagePlan {
    const all = [...this.handlers, ...handlers];
    const plan = planStages(this.settings, this.explorer.features(this.settings.name), all);
    declareStages(this.bus, plan);
    const { probe } = this.settings;
    for (const { stage, consumer } of handlers) this.bus.subscribe(stage, probe?.wrap(stage, consumer) ?? consumer);
    for (const source of plan.channels.keys()) this.deadLetterSources.add(source);
    this.handlers = all;
    return plan;
  }
}

/** Declares the stages of a plan; `provisional`, as long as others may still add to it. */
export function declareStages(bus: SedaBus, { stages, channels }: StagePlan, provisional = false): void {
  for (const [name, options] of stages) bus.channel(name, options, { provisional });
  for (const [source, channel] of channels) bus.setDeadLetterChannel(source, channel);
}
