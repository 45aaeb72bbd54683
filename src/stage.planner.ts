import { Injectable } from '@nestjs/common';
import type { ModuleSettings, StageFeature } from './seda-bus.options.js';
import type { HandlerDeclaration } from './stage.explorer.js';
import { type StagePlan, planStages } from './stage.plan.js';

interface Planned {
  readonly features: readonly StageFeature[];
  readonly handlers: readonly HandlerDeclaration[];
  readonly plan: StagePlan;
}

/**
 * Plans the stages of one bus. The plan is asked for before providers exist and again when they do; most applications
 * declare the same both times, and then it is the same plan.
 */
@Injectable()
export class StagePlanner {
  private last: Planned | undefined;

  /** @throws InvalidOptionError, StageConflictError naming who gave the option */
  plan(
    settings: ModuleSettings,
    features: readonly StageFeature[],
    handlers: readonly HandlerDeclaration[],
  ): StagePlan {
    if (this.last === undefined || !isSame(this.last, features, handlers))
      this.last = { features, handlers, plan: planStages(settings, features, handlers) };
    return this.last.plan;
  }
}

/** By identity: a decoration's options are one object, whoever reads them. */
function isSame(last: Planned, features: readonly StageFeature[], handlers: readonly HandlerDeclaration[]): boolean {
  return (
    last.features.length === features.length &&
    last.handlers.length === handlers.length &&
    features.every((feature, index) => feature === last.features[index]) &&
    handlers.every((handler, index) => isSameHandler(handler, last.handlers[index] as HandlerDeclaration))
  );
}

function isSameHandler(one: HandlerDeclaration, other: HandlerDeclaration): boolean {
  return (
    one.stage === other.stage &&
    one.options === other.options &&
    one.owner === other.owner &&
    one.source === other.source &&
    one.keep === other.keep
  );
}
