import type { StageOptions } from '#engine';
import { addHandlerMetadata } from '../stage-metadata.accessor.js';

/**
 * Makes a method of a provider or a controller a consumer of the stage `name`, which is declared with `options`.
 * Without a name the stage is called `<Class>.<method>`.
 *
 * The method is called with the envelope and the attempt, `this` being the provider. `false`, a throw and a rejection
 * nack; anything else acks. A class that overrides the method and does not decorate it again has no handler there.
 */
export function Stage(options?: StageOptions): MethodDecorator;
export function Stage(name: string, options?: StageOptions): MethodDecorator;
export function Stage(nameOrOptions?: string | StageOptions, options?: StageOptions): MethodDecorator {
  const named = typeof nameOrOptions === 'string';
  const metadata = {
    kind: 'stage',
    name: named ? nameOrOptions : undefined,
    options: (named ? options : nameOrOptions) ?? {},
  } as const;
  return (target, key, descriptor) => addHandlerMetadata(target, key, descriptor, metadata);
}
