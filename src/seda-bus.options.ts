import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Type } from '@nestjs/common';
import { InvalidOptionError, type SedaBusOptions, type StageOptions, checkStageName } from '#engine';

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
   * What publishing to a stage that does not exist does: the promise rejects with `UnknownStageError`, which names the
   * stages spelled most alike, or resolves `false`. @default 'throw'
   */
  readonly unknownStage?: 'refuse' | 'throw';
  /** Options by stage, above those of its decorator and of `forFeature`. A stage nobody else declares is created. */
  readonly stages?: Readonly<Record<string, StageOptions>>;
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
  /** Provide `SedaBus` to all modules. With `false` a module that uses it, `forFeature` too, has to import it. @default true */
  readonly global?: boolean;
}

/** What `forRootAsync` resolves to. */
export type SedaBusAsyncResult = Omit<SedaBusModuleOptions, 'global'>;

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
  /** As {@link SedaBusModuleOptions.global}. */
  readonly global?: boolean;
}

/** A stage that `forFeature` declares. */
export interface StageFeature extends StageOptions {
  readonly name: string;
}

/** The module's options with nothing left open. */
export interface ModuleSettings {
  readonly bus: SedaBusOptions;
  readonly stages: Readonly<Record<string, StageOptions>>;
  /** The shared dead-letter channel, if there is one, and its options. */
  readonly deadLetterChannel: string | undefined;
  readonly deadLetters: StageOptions;
  readonly drainOn: DrainOn;
  readonly shutdownTimeoutMs: number;
}

const DRAIN_ON: readonly DrainOn[] = ['first', 'onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'];

/**
 * Checks the module's options and fills in what they leave open. Options of the bus and of stages are checked where they
 * are used.
 * @throws InvalidOptionError
 */
export function moduleSettings(options: SedaBusModuleOptions = {}): ModuleSettings {
  checkObject('SedaBusModule', options);
  const { stages = {}, deadLetters = {}, drainOn = 'first', shutdownTimeoutMs = 10_000, global, ...bus } = options;
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
    bus: {
      ...bus,
      unknownStage: bus.unknownStage ?? 'throw',
      autoStart: false,
      ...(deadLetterChannel !== undefined && { deadLetterChannel }),
    },
    stages,
    deadLetterChannel,
    deadLetters: deadLetterOptions,
    drainOn,
    shutdownTimeoutMs,
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

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
