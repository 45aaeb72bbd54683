import type { ModulesContainer } from '@nestjs/core';
import { SedaBus, SedaError, type StageRef } from '#engine';
import { SedaModuleError } from './errors.js';
import type { ModuleSettings } from './seda-bus.options.js';
import { SEDA_BUS_OPTIONS } from './seda-bus.tokens.js';
import type { StageExplorer } from './stage.explorer.js';
import { planStages } from './stage.plan.js';
import { declareStages } from './stage.registrar.js';

type NestModule = ModulesContainer extends Map<string, infer Each> ? Each : never;

/**
 * The bus of one application, in the state `starting`. The stages that classes, values and options declare exist at once:
 * what constructors publish waits there.
 * @throws SedaModuleError if the application has two
 */
export function createBus(settings: ModuleSettings, modules: ModulesContainer, explorer: StageExplorer): SedaBus {
  requireOneRoot([...modules.values()]);
  const bus = new SedaBus(settings.bus);
  try {
    declareStages(bus, planStages(settings, explorer.features(), explorer.declared()), true);
  } catch (error) {
    // It is wrong at the initialisation, too, and is told there, where all handlers are known.
    if (!(error instanceof SedaError)) throw error;
  }
  return bus;
}

/** What `@InjectStage` injects. The stage exists from now on, whoever says later what it is like. */
export function createStageRef(bus: SedaBus, name: string): StageRef | undefined {
  return isBus(bus) ? bus.channel(name, undefined, { provisional: true }).stage(name) : undefined;
}

/** Whether the module can drive it. A test may have put something simpler in its place. */
export function isBus(candidate: SedaBus): boolean {
  const needed = ['channel', 'subscribe', 'setDeadLetterChannel', 'start', 'shutdown', 'stats', 'on', 'stage'] as const;
  return needed.every((method) => typeof candidate[method] === 'function');
}

function requireOneRoot(modules: readonly NestModule[]): void {
  const roots = modules.filter(({ providers }) => providers.has(SEDA_BUS_OPTIONS));
  if (roots.length <= 1) return;
  const root = roots[0]?.metatype;
  const importers = modules.filter(({ metatype }) => importsOf(metatype).some((each) => each?.module === root));
  const names = [...new Set(importers.map(({ name }) => name))].join(' and ');
  throw new SedaModuleError(
    'SEDA_MODULE_TWICE',
    `SedaBusModule.forRoot() is called ${roots.length} times in one application${names && `, for ${names}`}. Call it in ` +
      'one module: its bus is there for all. Declare stages elsewhere with SedaBusModule.forFeature().',
  );
}

function importsOf(metatype: object): ({ module?: unknown } | null | undefined)[] {
  return (Reflect.getMetadata('imports', metatype) ?? []) as { module?: unknown }[];
}
