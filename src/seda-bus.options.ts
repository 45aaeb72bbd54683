import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Type } from '@nestjs/common';
import {
  type ByStage,
  type Checked,
  InvalidOptionError,
  type SedaBusOptions,
  type StageOptions,
  type StoreDescription,
  checkStageName,
} from '#engine';
import type { BusProbe } from './bus.probe.js';
import { type EnhancerOptions, type EnhancerSettings, enhancerSettings } from './enhancers/enhancers.options.js';
import { DEFAULT_BUS } from './seda-bus.tokens.js';

/** When the bus drains; see {@link SedaBusModuleOptions.drainOn}. */
export type DrainOn = 'first' | 'onModuleDestroy' | 'beforeApplicationShutdown' | 'onApplicationShutdown';

/** The channel that stages without one of their own share. */
export interface SharedDeadLetterOptions extends StageOptions {
  /** Its name. @default 'dead-letters' */
  readonly channel?: string;
}

/** The options of `SedaBusModule`: those of the bus, and what concerns the application around it. */
export interface SedaBusModuleOptions extends Omit<SedaBusOptions, 'autoStart' | 'deadLetterChannel'> {
  /**
   * The name of the bus, for an application with several: `@InjectSedaBus(name)` injects it, `@Stage(…, { bus: name })`
   * is a handler there. @default the bus without a name, which is injected as `SedaBus`
   */
  readonly name?: string;
  /**
   * Which stages this process consumes: all, none, or those whose names match one of the patterns, in which `*` stands
   * for any text. The others are there to be published to. Handlers of theirs are never called; what they have in memory
   * is abandoned at the end. @default true
   */
  readonly consume?: boolean | readonly string[];
  /**
   * What publishing to a stage that does not exist does: the promise rejects with `UnknownStageError`, which names the
   * stages spelled most alike, or resolves `false`. @default 'throw'
   */
  readonly unknownStage?: 'refuse' | 'throw';
  /** Options by stage, above those of its decorator and of `forFeature`. A stage nobody else declares is created. */
  readonly stages?: ByStage<StageOptions>;
  /**
   * The dead-letter channel of all stages without one of their own; `false`: none, their dead letters are reported and
   * gone. @default { channel: 'dead-letters', capacity: 4096, backpressure: 'drop-oldest' }
   */
  readonly deadLetters?: false | SharedDeadLetterOptions;
  /**
   * At which moment of the application's end the bus drains.
   *
   * `first`: before anything else goes, while HTTP still answers and what other modules own, a database's client, say,
   * is still open. The three others are Nest's hooks; since a global module is torn down last, they come after those of
   * all other modules.
   * @default 'first'
   */
  readonly drainOn?: DrainOn;
  /** Milliseconds the drain may take; what is left then is abandoned. Finite, ≥ 0. @default 10000 */
  readonly shutdownTimeoutMs?: number;
  /**
   * Whether guards, pipes, interceptors, exception filters and parameter decorators on a handler, on its class and on its
   * parameters apply, in an execution context of type `seda`. Those of the whole application do not, unless
   * `{ global: true }` asks for them. A handler without any is called directly. What a guard refuses is dead-lettered at
   * once, reason `forbidden`; any other error nacks, unless a filter answers something else than `undefined` instead. An
   * Observable is awaited, and its last value counts.
   * @default false
   */
  readonly enhancers?: boolean | EnhancerOptions;
  /** Provide `SedaBus` to all modules. With `false` a module that uses it has to import it; so has
   * `forFeature`, by its `imports`. @default true */
  readonly global?: boolean;
}

/** What `forRootAsync` resolves to. */
export type SedaBusAsyncResult = Omit<SedaBusModuleOptions, 'global' | 'name'>;

/** A class that makes the options, for `useClass` and `useExisting`. */
export interface SedaBusOptionsFactory {
  createSedaBusOptions(): SedaBusAsyncResult | Promise<SedaBusAsyncResult>;
}

/** Exactly one of `useFactory`, `useClass` and `useExisting`. */
export interface SedaBusModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  readonly useFactory?: (...injected: never[]) => SedaBusAsyncResult | Promise<SedaBusAsyncResult>;
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[];
  readonly useClass?: Type<SedaBusOptionsFactory>;
  readonly useExisting?: InjectionToken<SedaBusOptionsFactory>;
  /** As {@link SedaBusModuleOptions.name}: it has to be known before the options are. */
  readonly name?: string;
  /** As {@link SedaBusModuleOptions.global}. */
  readonly global?: boolean;
}

/** A stage that `forFeature` declares. */
export interface StageFeature<Name extends string = string> extends StageOptions {
  readonly name: Checked<Name>;
}

/** Where the stages of a `forFeature` are. */
export interface FeatureOptions extends Pick<ModuleMetadata, 'imports'> {
  /** The name of their bus. @default the bus without a name */
  readonly bus?: string;
}

/** What one `forFeature` declares. */
export interface FeatureDeclaration {
  readonly bus: string;
  readonly stages: readonly StageFeature[];
}

/** The module's options with nothing left open. */
export interface ModuleSettings {
  /** The name of the bus. */
  readonly name: string;
  /** The name patterns of the stages that are consumed here; `undefined` for all. */
  readonly consumed: readonly string[] | undefined;
  readonly bus: SedaBusOptions;
  readonly stages: Readonly<Record<string, StageOptions>>;
  /** The shared dead-letter channel, if there is one, and its options. */
  readonly deadLetterChannel: string | undefined;
  readonly deadLetters: StageOptions;
  readonly drainOn: DrainOn;
  readonly shutdownTimeoutMs: number;
  readonly enhancers: EnhancerSettings;
  /** What looks at the bus from outside, for tests. */
  readonly probe?: BusProbe;
}

/** At a reload the old process is still ending when the new one begins. */
const LOCK_WAIT_MS = 10_000;

const DRAIN_ON: readonly DrainOn[] = ['first', 'onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'];

/**
 * Checks the module's options and fills in what they leave open. Options of the bus and of stages are checked where they
 * are used.
 * @throws InvalidOptionError
 */
export function moduleSettings(options: SedaBusModuleOptions = {}, busName: string = DEFAULT_BUS): ModuleSettings {
  checkObject('SedaBusModule', options);
  const { name = busName, consume = true, stages = {}, deadLetters = {}, ...rest } = options;
  const { drainOn = 'first', shutdownTimeoutMs = 10_000, enhancers, global, ...bus } = rest;
  check('name', `left out here: forRootAsync({ name }) takes it`, name, name === busName);
  check('consume', 'a boolean or a list of stage names and patterns', consume, isRole(consume));
  check('global', 'a boolean', global, global === undefined || typeof global === 'boolean');
  check('drainOn', `one of ${DRAIN_ON.join(', ')}`, drainOn, DRAIN_ON.includes(drainOn));
  check('shutdownTimeoutMs', 'a finite number of milliseconds ≥ 0', shutdownTimeoutMs, isDuration(shutdownTimeoutMs));
  checkObject('SedaBusModule.stages', stages);
  if (deadLetters !== false) checkObject('SedaBusModule.deadLetters', deadLetters);
  refuseWhatTheModuleDecides(bus);
  const { channel = 'dead-letters', ...deadLetterOptions } = deadLetters === false ? {} : deadLetters;
  checkStageName('SedaBusModule.deadLetters.channel', channel);
  const deadLetterChannel = deadLetters === false ? undefined : channel;
  return {
    name,
    consumed: typeof consume === 'boolean' ? (consume ? undefined : []) : consume,
    bus: {
      ...bus,
      ...(isStore(bus.store) && { store: withPatience(bus.store) }),
      unknownStage: bus.unknownStage ?? 'throw',
      autoStart: false,
      ...(deadLetterChannel !== undefined && { deadLetterChannel }),
    },
    stages,
    deadLetterChannel,
    deadLetters: deadLetterOptions,
    drainOn,
    shutdownTimeoutMs,
    enhancers: enhancerSettings(enhancers),
  };
}

/** @throws InvalidOptionError */
export function checkObject(option: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidOptionError(option, 'an object', value);
  }
}

function refuseWhatTheModuleDecides(bus: SedaBusOptions): void {
  check('autoStart', 'left out: the module starts the bus', bus.autoStart, bus.autoStart === undefined);
  const { deadLetterChannel } = bus;
  check('deadLetterChannel', 'given as deadLetters.channel', deadLetterChannel, deadLetterChannel === undefined);
}

function check(option: string, rule: string, value: unknown, holds: boolean): void {
  if (!holds) throw new InvalidOptionError(`SedaBusModule.${option}`, rule, value);
}

function isStore(store: SedaBusOptions['store']): store is StoreDescription {
  return typeof store?.open === 'function';
}

/** Waits for a process that holds the store, where the store does not say for how long. */
function withPatience(store: StoreDescription): StoreDescription {
  const { name, sync } = store;
  return {
    name,
    ...(sync !== undefined && { sync }),
    open: (context) => store.open({ ...context, lockWaitMs: LOCK_WAIT_MS }),
  };
}

function isRole(value: unknown): boolean {
  const isPattern = (each: unknown): boolean => typeof each === 'string' && each !== '';
  return typeof value === 'boolean' || (Array.isArray(value) && value.every(isPattern));
}

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
