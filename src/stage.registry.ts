import { Injectable } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { type Consumer, InvalidOptionError, StageConflictError, type StageOptions, type StageRef } from '#engine';
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

  /**
   * The names of all stages, in the order they were declared; dead-letter channels are stages, too, one that is being
   * removed is none.
   */
  list({ bus }: OnBus = {}): string[] {
    const target = this.buses.require(bus).bus;
    return Object.keys(target.stats()).filter((name) => target.stage(name) !== undefined);
  }

  /**
   * Declares a stage that none has declared, and subscribes its consumers. Where the module's `consume` leaves the stage
   * out, they are not called.
   * @throws StageConflictError for a name that is taken, StageInUseError for one that is being removed
   * @throws InvalidOptionError, BusClosedError
   */
  add<Payload = unknown>(
    name: string,
    options: StageOptions,
    consumers: Consumer | readonly Consumer[],
    { bus }: OnBus = {},
  ): StageRef<Payload> {
    const entry = this.buses.require(bus);
    const target = entry.bus;
    if (target.stage(name) !== undefined) throw new StageConflictError(name, 'the registry adds new names only');
    const all: unknown[] = [consumers].flat();
    for (const consumer of all)
      if (typeof consumer !== 'function') throw new InvalidOptionError('add.consumers', 'functions', consumer);
    target.channel(name, entry.consumes(name) ? options : { ...options, consume: false });
    for (const consumer of all) target.subscribe(name, consumer as Consumer);
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
   * bus. What is wrong with a module keeps all of it off all buses.
   *
   * @param moduleRef what `LazyModuleLoader.load` resolves to
   * @throws InvalidOptionError for anything else, and for bad options
   * @throws StageConflictError, SedaModuleError as at the boot; BusClosedError
   */
  explore(moduleRef: ModuleRef): string[] {
    const registering = [...this.buses.all].map((bus) => bus.explore(moduleRef));
    return registering.flatMap((register) => register());
  }
}
