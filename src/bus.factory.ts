import type { ModulesContainer } from '@nestjs/core';
import { SedaBus, SedaError, type StageRef } from '#engine';
import { SedaModuleError } from './errors.js';
import { type NestModule, busNameOf, busNames, rootsOf } from './module.graph.js';
import type { ModuleSettings } from './seda-bus.options.js';
import { type StageExplorer, unknownBus } from './stage.explorer.js';
import { DEFAULT_BUS } from './seda-bus.tokens.js';
import type { StagePlanner } from './stage.planner.js';
import { declareStages } from './stage.registrar.js';

/**
 * A bus in the state `starting`. The stages that classes, values and options declare exist at once: what constructors
 * publish waits there. Its store, if it has one, is open: nobody is given a bus that could not keep what it accepts.
 * @throws SedaModuleError if the application has two of its name
 * @throws StoreLockedError, StoreCorruptedError, StoreVersionError, StoreError, MissingPeerError (as rejections)
 */
export function createBus(
  settings: ModuleSettings,
  modules: ModulesContainer,
  explorer: StageExplorer,
  planner: StagePlanner,
): SedaBus | Promise<SedaBus> {
  const { name } = settings;
  requireOneRoot([...modules.values()], name);
  const bus = new SedaBus(settings.bus);
  try {
    declareStages(bus, planner.plan(settings, explorer.features(name), explorer.declared(name)), true);
  } catch (error) {
    // It is wrong at the initialisation, too, and is told there, where all handlers are known.
    if (!(error instanceof SedaError)) throw error;
  }
  return settings.bus.store === undefined ? bus : opened(bus);
}

async function opened(bus: SedaBus): Promise<SedaBus> {
  await bus.open();
  return bus;
}

/**
 * What `@InjectStage` injects. The stage exists from now on, whoever says later what it is like.
 * @throws SedaModuleError if there is no such bus
 */
export function createStageRef(
  bus: SedaBus | undefined,
  modules: ModulesContainer,
  name: string,
  busName: string,
): StageRef | undefined {
  if (bus === undefined) throw unknownBus(`forFeature with stage '${name}'`, busName, busNames([...modules.values()]));
  return isBus(bus) ? bus.channel(name, undefined, { provisional: true }).stage(name) : undefined;
}

/** Whether the module can drive it. A test may have put something simpler in its place. */
export function isBus(candidate: SedaBus): boolean {
  const needed = [
    'channel',
    'subscribe',
    'setDeadLetterChannel',
    'start',
    'shutdown',
    'stats',
    'totals',
    'on',
    'stage',
  ] as const;
  return needed.every((method) => typeof candidate[method] === 'function');
}

function requireOneRoot(modules: readonly NestModule[], name: string): void {
  const roots = rootsOf(modules).filter((module) => busNameOf(module) === name);
  if (roots.length <= 1) return;
  const root = roots[0]?.metatype;
  const importers = modules.filter(({ metatype }) => importsOf(metatype).some((each) => each?.module === root));
  const places = [...new Set(importers.map((importer) => importer.name))].join(' and ');
  const named = name === DEFAULT_BUS ? '' : ` with the name '${name}'`;
  throw new SedaModuleError(
    'SEDA_MODULE_TWICE',
    `SedaBusModule.forRoot() is called ${roots.length} times${named} in one application${places && `, for ${places}`}. ` +
      'Call it in one module: its bus is there for all. Declare stages elsewhere with SedaBusModule.forFeature(), or give ' +
      'the second bus a name of its own.',
  );
}

function importsOf(metatype: object): ({ module?: unknown } | null | undefined)[] {
  return (Reflect.getMetadata('imports', metatype) ?? []) as { module?: unknown }[];
}
