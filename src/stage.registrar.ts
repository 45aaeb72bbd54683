import { Inject, Injectable } from '@nestjs/common';
import { type ModuleRef, ModulesContainer } from '@nestjs/core';
import { InvalidOptionError, SedaBus } from '#engine';
import { type NestModule, busNames, moduleOf, reachableFrom } from './module.graph.js';
import type { ModuleSettings } from './seda-bus.options.js';
import { SEDA_BUS, SEDA_BUS_SETTINGS } from './seda-bus.tokens.js';
import { type Handler, type InModule, StageExplorer } from './stage.explorer.js';
import type { StagePlan } from './stage.plan.js';
import { StagePlanner } from './stage.planner.js';
import { idlePatterns, isConsumed } from './stage.role.js';

/** What was registered. */
export interface Registered {
  readonly stages: number;
  readonly handlers: number;
  /** The stages that this process only publishes to, and keeps in memory. */
  readonly publishOnly: readonly string[];
  /** What `consume` names and no stage is called. */
  readonly idlePatterns: readonly string[];
}

/** What is found in fresh modules, and the plan it leads to; nothing is registered yet. */
interface Prepared {
  readonly modules: ReadonlySet<NestModule>;
  readonly handlers: readonly Handler[];
  readonly plan: StagePlan;
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
    private readonly planner: StagePlanner,
    private readonly modules: ModulesContainer,
    @Inject(SEDA_BUS_SETTINGS) private readonly settings: ModuleSettings,
  ) {}

  /**
   * Declares every stage and subscribes every handler. Once, when all providers are instantiated.
   * @throws InvalidOptionError, StageConflictError, SedaModuleError naming the handlers they concern
   */
  register(): Registered {
    const prepared = this.prepare([...this.modules.values()]);
    this.commit(prepared);
    const names = [...prepared.plan.stages.keys()];
    const { consumed, deadLetterChannel } = this.settings;
    return {
      stages: names.length,
      handlers: this.handlers.length,
      publishOnly: names.filter(
        (name) => !isConsumed(name, consumed) && name !== deadLetterChannel && !this.isDurable(prepared.plan, name),
      ),
      idlePatterns: idlePatterns(consumed, names),
    };
  }

  private isDurable({ stages }: StagePlan, name: string): boolean {
    const level = stages.get(name)?.serviceLevel ?? this.settings.bus.defaults?.serviceLevel;
    return level !== undefined && level !== 'AtMostOnce';
  }

  /**
   * Looks at what a module that was loaded lazily declares, and what the modules do that it imports. What comes back
   * registers it; until then nothing new is on the bus. It returns the stages of the handlers.
   * @throws InvalidOptionError for what is no module of this application; otherwise as {@link register}
   */
  explore(moduleRef: ModuleRef): () => string[] {
    const loaded = moduleOf(this.modules, moduleRef);
    if (loaded === undefined)
      throw new InvalidOptionError('explore', 'what LazyModuleLoader.load() resolves to', moduleRef);
    const prepared = this.prepare(reachableFrom(loaded));
    const features = this.explorer.features(this.settings.name, among(prepared.modules));
    const names = [...prepared.handlers.map(({ stage }) => stage), ...features.map(({ name }) => name)];
    // What is there already may contradict: it is asked before anything new is.
    declareStages(
      this.bus,
      planOf(
        prepared.plan,
        names.filter((name) => this.bus.stage(name) !== undefined),
      ),
    );
    return () => this.commit({ ...prepared, plan: planOf(prepared.plan, names) });
  }

  private prepare(modules: readonly NestModule[]): Prepared {
    const { name } = this.settings;
    const fresh = new Set(modules.filter((module) => !this.explored.has(module)));
    const isFresh = among(fresh);
    const isKnown: InModule = (module) => isFresh(module) || (module !== undefined && this.explored.has(module));
    const handlers = this.explorer.handlers(name, busNames([...this.modules.values()]), isKnown, isFresh);
    const plan = this.planner.plan(this.settings, this.explorer.features(name, isKnown), [
      ...this.handlers,
      ...handlers,
    ]);
    return { modules: fresh, handlers, plan };
  }

  private commit({ modules, handlers, plan }: Prepared): string[] {
    declareStages(this.bus, plan);
    const { probe } = this.settings;
    for (const { stage, consumer } of handlers) this.bus.subscribe(stage, probe?.wrap(stage, consumer) ?? consumer);
    for (const source of plan.channels.keys()) this.deadLetterSources.add(source);
    for (const module of modules) this.explored.add(module);
    this.handlers = [...this.handlers, ...handlers];
    return [...new Set(handlers.map(({ stage }) => stage))];
  }
}

function among(modules: ReadonlySet<NestModule>): InModule {
  return (module) => module !== undefined && modules.has(module);
}

/** What of a plan concerns these stages. */
function planOf({ stages, channels }: StagePlan, names: readonly string[]): StagePlan {
  const concerned = new Set(names);
  return {
    stages: new Map([...stages].filter(([name]) => concerned.has(name))),
    channels: new Map([...channels].filter(([, channel]) => concerned.has(channel))),
  };
}

/** Declares the stages of a plan; `provisional`, as long as others may still add to it. */
export function declareStages(bus: SedaBus, { stages, channels }: StagePlan, provisional = false): void {
  for (const [name, options] of stages) {
    // Nobody says anything of it: it may be what it is.
    const said = Object.keys(options).length > 0 || bus.stage(name) === undefined;
    bus.channel(name, said ? options : undefined, { provisional });
  }
  for (const [source, channel] of channels) bus.setDeadLetterChannel(source, channel);
}
