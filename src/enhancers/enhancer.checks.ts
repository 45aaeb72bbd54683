import type { Type } from '@nestjs/common';
import { SedaModuleError } from '../errors.js';
import { STATIC_CONTEXT } from '../internals/nest-internals.js';
import type { HandlerDeclaration, Host, Wrapper } from '../stage.explorer.js';
import { type Decorations, enhancerClassesOf } from './decorations.js';

/**
 * Refuses what Nest would leave out without a word: a guard that never runs is a door that stands open.
 * @throws SedaModuleError
 */
export function requireUsable(
  host: Host,
  key: PropertyKey,
  declaration: HandlerDeclaration,
  decorations: Decorations,
): void {
  if (typeof key === 'symbol' && decorations.parameters.length > 0) throw namelessMethod(declaration);
  const missing = enhancerClassesOf(decorations).find((enhancer) => !isMadeFor(host, enhancer));
  if (missing !== undefined) throw notMade(host, declaration, missing);
}

/** Whether Nest has, or makes for each attempt, an instance of the class for handlers of this host. */
function isMadeFor({ wrapper, single }: Host, enhancer: Type): boolean {
  const found = wrapper.host?.injectables.get(enhancer);
  if (found === undefined) return false;
  if (found.isDependencyTreeStatic() && !found.isTransient) return true;
  if (!single) return wrapper.getEnhancersMetadata()?.some(({ id }) => id === found.id) ?? false;
  return isConstructed(found, wrapper);
}

function isConstructed(enhancer: Wrapper, { id }: Wrapper): boolean {
  const { isConstructorCalled } = enhancer.getInstanceByContextId(STATIC_CONTEXT, id) as {
    readonly isConstructorCalled?: boolean;
  };
  return isConstructorCalled === true;
}

function notMade({ place }: Host, { owner, stage }: HandlerDeclaration, { name }: Type): SedaModuleError {
  return new SedaModuleError(
    'SEDA_ENHANCER_NOT_MADE',
    `${name} on the handler ${owner} of stage '${stage}' would never run: Nest makes no instance of it for ${place}. ` +
      `Give it as an instance (new ${name}()), or provide ${owner.split('.')[0]} by its class.`,
  );
}

function namelessMethod({ owner, stage }: HandlerDeclaration): SedaModuleError {
  return new SedaModuleError(
    'SEDA_ENHANCER_NOT_MADE',
    `The parameters of the handler ${owner} of stage '${stage}' are decorated, and its method is named by a symbol: ` +
      'Nest finds no decorations of such a one. Name the method with a text.',
  );
}
