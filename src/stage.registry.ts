import { Injectable } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { type Consumer, StageConflictError, type StageOptions, type StageRef } from '#engine';
import { BusDirectory } from './bus.directory.js';

/** Which bus is meant. */
export interface OnBus {
  /** Its name. @default the bus without a name */
  readonly bus?: string;
}

/**
 * The stages of an application while it runs: those that decorators declare, and those that come and go. Every method
 * throws `InvalidOptionError` for a bus that does not exist.
 */
@Injectable()
export class StageRegistry {
  constructor(private readonly buses: BusDirectory) {}

  /** `undefined` for a name that no stage has. */
  get<Payload = unknown>(name: string, { bus }: OnBus = {}): StageRef<Payload> | undefined {
    return this.buses.require(bus).bus.stage<Payload>(name);
  }

  /** The names of all stages, in the order they were declared; dead-letter channels are stages, too. */
  list({ bus }: OnBus = {}): string[] {
    return Object.keys(this.buses.require(bus).bus.stats());
  }

  /**
   * Declares a stage that none has declared, and subscribes its consumers.
   * @throws StageConflictError for a name that is taken
   * @throws InvalidOptionError, BusClosedError
   */
  add<Payload = unknown>(
    name: string,
    options: StageOptions,
    consumers: Consumer | readonly Consumer[],
    { bus }: OnBus = {},
  ): StageRef<Payload> {
    const target = this.buses.require(bus).bus;
    if (target.stage(name) !== undefined) throw new StageConflictError(name, 'the registry adds new names only');
    target.channel(name, options);
    for (const consumer of [consumers].flat()) target.subscribe(name, consumer);
    return target.stage<Payload>(name) as StageRef<Payload>;
  }

  /**
   * Takes a stage off its bus, as `bus.removeStage` does: what it has admitted is finished first. Resolves `true` if
   * nothing was abandoned.
   * @throws UnknownStageError, StageInUseError, InvalidOptionError (as rejections)
   */
  async remove(name: string, { bus, timeoutMs }: OnBus & { readonly timeoutMs?: number } = {}): Promise<boolean> {
    return this.buses.require(bus).bus.removeStage(name, timeoutMs === undefined ? {} : { timeoutMs });
  }

  /**
   * Registers the handlers of a module that was loaded lazily, and of what that module imports; Nest calls no hooks for
   * them. Returns the names of their stages; for a module that was explored before, none. They are drained with their
   * bus.
   *
   * @param moduleRef what `LazyModuleLoader.load` resolves to
   * @throws InvalidOptionError for anything else, and for bad options
   * @throws StageConflictError, SedaModuleError as at the boot
   */
  explore(moduleRef: ModuleRef): string[] {
    return [...this.buses.all].flatMap((bus) => bus.explore(moduleRef));
  }
}
