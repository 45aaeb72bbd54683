import type { Checked, StageOptions } from '#engine';
import { DEFAULT_BUS } from '../seda-bus.tokens.js';
import { addHandlerMetadata } from '../stage-metadata.accessor.js';
import type { HandlerDecorator } from './handler-decorator.js';

/** The options of the stage, and which bus it is on. */
export interface HandlerOptions extends StageOptions {
  /** The name of its bus. @default the bus without a name */
  readonly bus?: string;
}

/**
 * Makes a method of a provider or a controller a consumer of the stage `name`, which is declared with `options`.
 * Without a name the stage is called `<Class>.<method>`.
 *
 * The method is called with the envelope and the attempt, `this` being the provider. `false`, a throw and a rejection
 * nack; anything else acks. A class that overrides the method and does not decorate it again has no handler there.
 *
 * With a name in `Stages` a method that takes an envelope with another payload than the stage's does not compile.
 */
export function Stage<Name extends string>(name: Checked<Name>, options?: HandlerOptions): HandlerDecorator<Name>;
export function Stage(options?: HandlerOptions): MethodDecorator;
export function Stage(nameOrOptions?: string | HandlerOptions, options?: HandlerOptions): MethodDecorator {
  const named = typeof nameOrOptions === 'string';
  const { bus = DEFAULT_BUS, ...stageOptions } = (named ? options : nameOrOptions) ?? {};
  const metadata = { kind: 'stage', name: named ? nameOrOptions : undefined, bus, options: stageOptions } as const;
  return (target, key, descriptor) => addHandlerMetadata(target, key, descriptor, metadata);
}
