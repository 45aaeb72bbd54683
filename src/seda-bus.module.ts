import { type DynamicModule, Inject, Module, Optional, type Provider } from '@nestjs/common';
import { DiscoveryModule, ModulesContainer } from '@nestjs/core';
import { InvalidOptionError, SedaBus, checkStageName } from '#engine';
import { createBus, createStageRef } from './bus.factory.js';
import { BusLifecycle } from './bus.lifecycle.js';
import { SedaModuleError } from './errors.js';
import { FirstToEndModule } from './first-to-end.module.js';
import { HandlerConsumers } from './handler.consumers.js';
import {
  type FeatureDeclaration,
  type FeatureOptions,
  type ModuleSettings,
  type SedaBusModuleAsyncOptions,
  type SedaBusModuleOptions,
  type SedaBusOptionsFactory,
  type StageFeature,
  moduleSettings,
} from './seda-bus.options.js';
import {
  DEFAULT_BUS,
  SEDA_BUS,
  SEDA_BUS_NAME,
  SEDA_BUS_OPTIONS,
  SEDA_BUS_SETTINGS,
  SEDA_FEATURES,
  getSedaBusToken,
  getStageToken,
} from './seda-bus.tokens.js';
import { SharedModule } from './shared.module.js';
import { StageMetadataAccessor } from './stage-metadata.accessor.js';
import { StageExplorer } from './stage.explorer.js';
import { StagePlanner } from './stage.planner.js';
import { StageRegistrar } from './stage.registrar.js';

@Module({})
class SedaBusFeatureModule {}

/**
 * A staged event-driven bus for an application: provides `SedaBus`, `StageRegistry` and `SedaBusHealthIndicator`, finds the handlers that
 * `@Stage` and `@DeadLetter` mark in all modules, starts to consume once every `onModuleInit` has ended, and drains when
 * the application closes.
 *
 * `forRoot` or `forRootAsync` once in an application, or once for each name; `forFeature` wherever a stage is injected.
 */
@Module({})
export class SedaBusModule {
  constructor(@Optional() @Inject(SEDA_BUS_SETTINGS) settings?: ModuleSettings) {
    if (settings !== undefined) return;
    const message = 'SedaBusModule is imported by itself. Import SedaBusModule.forRoot() or forRootAsync(), once.';
    throw new SedaModuleError('SEDA_MODULE_WITHOUT_ROOT', message);
  }

  /** The bus with these options. Bad ones fail the boot with `InvalidOptionError`. */
  static forRoot(options: SedaBusModuleOptions = {}): DynamicModule {
    return rootModule(options?.name, options?.global, [{ provide: SEDA_BUS_OPTIONS, useValue: options }]);
  }

  /**
   * The bus with options that other providers know.
   * @throws InvalidOptionError unless exactly one of `useFactory`, `useClass` and `useExisting` is given
   */
  static forRootAsync(options: SedaBusModuleAsyncOptions): DynamicModule {
    return rootModule(options.name, options.global, asyncProviders(options), options.imports);
  }

  /**
   * Declares stages, with or without a handler somewhere, and provides their `StageRef`s to the importing module for
   * `@InjectStage(name)`. Needs a `forRoot` in the application.
   * @param on the bus they are on, and what to import to reach it: the root module, if that is not global
   * @throws InvalidOptionError for a stage without a name
   */
  static forFeature<Name extends string>(
    stages: readonly StageFeature<Name>[],
    { bus = DEFAULT_BUS, imports = [] }: FeatureOptions = {},
  ): DynamicModule {
    if (!Array.isArray(stages)) throw new InvalidOptionError('forFeature', 'a list of stages', stages);
    for (const stage of stages as readonly StageFeature[]) checkStageName('forFeature.name', stage?.name);
    const refs = stages.map(({ name }) => ({
      provide: getStageToken(name, bus),
      useFactory: (owner: SedaBus | undefined, modules: ModulesContainer) => createStageRef(owner, modules, name, bus),
      inject: [{ token: getSedaBusToken(bus), optional: true }, ModulesContainer],
    }));
    const features: FeatureDeclaration = { bus, stages };
    return {
      module: SedaBusFeatureModule,
      imports: [...imports],
      providers: [{ provide: SEDA_FEATURES, useValue: features }, ...refs],
      exports: refs.map(({ provide }) => provide),
    };
  }
}

function rootModule(
  name: string = DEFAULT_BUS,
  global = true,
  options: Provider[],
  imports: NonNullable<DynamicModule['imports']> = [],
): DynamicModule {
  checkStageName('SedaBusModule.name', name);
  const token = getSedaBusToken(name);
  return {
    module: SedaBusModule,
    global,
    imports: [...imports, DiscoveryModule, FirstToEndModule, SharedModule],
    providers: [
      ...options,
      { provide: SEDA_BUS_NAME, useValue: name },
      { provide: SEDA_BUS_SETTINGS, useFactory: moduleSettings, inject: [SEDA_BUS_OPTIONS, SEDA_BUS_NAME] },
      {
        provide: token,
        useFactory: createBus,
        inject: [SEDA_BUS_SETTINGS, ModulesContainer, StageExplorer, StagePlanner],
      },
      { provide: SEDA_BUS, useExisting: token },
      StageMetadataAccessor,
      HandlerConsumers,
      StageExplorer,
      StagePlanner,
      StageRegistrar,
      BusLifecycle,
    ],
    exports: [token, SharedModule],
  };
}

function asyncProviders(options: SedaBusModuleAsyncOptions): Provider[] {
  const { useFactory, useClass, useExisting, inject = [] } = options;
  const given = [useFactory, useClass, useExisting].filter((each) => each !== undefined);
  if (given.length !== 1) {
    const rule = 'given exactly one of useFactory, useClass and useExisting';
    throw new InvalidOptionError('forRootAsync', rule, Object.keys(options));
  }
  if (useFactory !== undefined) return [{ provide: SEDA_BUS_OPTIONS, useFactory, inject }];
  const token = (useClass ?? useExisting) as NonNullable<typeof useExisting>;
  return [
    ...(useClass === undefined ? [] : [useClass]),
    {
      provide: SEDA_BUS_OPTIONS,
      useFactory: (factory: SedaBusOptionsFactory) => factory.createSedaBusOptions(),
      inject: [token],
    },
  ];
}
