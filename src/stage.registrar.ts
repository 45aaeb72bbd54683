import { Inject, Injectable } from '@nestjs/common';
import { SedaBus } from '#engine';
import type { ModuleSettings } from './seda-bus.options.js';
import { SEDA_BUS_SETTINGS } from './seda-bus.tokens.js';
import { StageExplorer } from './stage.explorer.js';
import { type StagePlan, planStages } from './stage.plan.js';

/** What was registered. */
export interface Registered {
  readonly stages: number;
  readonly handlers: number;
}

/** Brings what the application declares onto the bus. */
@Injectable()
export class StageRegistrar {
  /** The sources that a `@DeadLetter` names. */
  readonly deadLetterSources = new Set<string>();

  constructor(
    private readonly bus: SedaBus,
    private readonly explorer: StageExplorer,
    @Inject(SEDA_BUS_SETTINGS) private readonly settings: ModuleSettings,
  ) {}

  /**
   * Declares every stage and subscribes every handler. Once, when all providers are instantiated.
   * @throws InvalidOptionError, StageConflictError, SedaModuleError naming the handlers they concern
   */
  register(): Registered {
    const handlers = this.explorer.handlers();
    const plan = planStages(this.settings, this.explorer.features(), handlers);
    declareStages(this.bus, plan);
    for (const { stage, consumer } of handlers) this.bus.subscribe(stage, consumer);
    for (const source of plan.channels.keys()) this.deadLetterSources.add(source);
    return { stages: plan.stages.size, handlers: handlers.length };
  }
}

/** Declares the stages of a plan; `provisional`, as long as others may still add to it. */
export function declareStages(bus: SedaBus, { stages, channels }: StagePlan, provisional = false): void {
  for (const [name, options] of stages) bus.channel(name, options, { provisional });
  for (const [source, channel] of channels) bus.setDeadLetterChannel(source, channel);
}
