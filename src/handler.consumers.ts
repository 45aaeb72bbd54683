import { Injectable } from '@nestjs/common';
import { type Consumer, NackedError } from '#engine';
import { SedaModuleError } from './errors.js';
import type { HandlerDeclaration, Host } from './stage.explorer.js';

/** How a decorated method is called for an envelope. */
@Injectable()
export class HandlerConsumers {
  /** @throws SedaModuleError for a handler that has no single instance to call */
  consumerOf(host: Host, key: PropertyKey, declaration: HandlerDeclaration): Consumer {
    if (!host.single) throw notStatic(declaration, host);
    const call = directCall(host.instance as object, key);
    return declaration.keep ? keeping(call) : call;
  }
}

/** Looks the method up with each call, so that a spy, or any other replacement, is called. */
function directCall(instance: object, key: PropertyKey): Consumer {
  const provider = instance as Record<PropertyKey, Consumer>;
  return (envelope, attempt) => (provider[key] as Consumer)(envelope, attempt);
}

/** The ack of a dead letter would remove it: bury it again, unless the handler says otherwise. */
function keeping(call: Consumer): Consumer {
  return async (envelope, attempt) => {
    attempt.deadLetter('kept');
    if ((await call(envelope, attempt)) === false) throw new NackedError(attempt.stage);
  };
}

function notStatic({ owner, stage }: HandlerDeclaration, { wrapper, place }: Host): SedaModuleError {
  const scope = wrapper.isTransient ? 'transient' : 'request-scoped, by itself or by what it injects';
  return new SedaModuleError(
    'SEDA_HANDLER_NOT_STATIC',
    `The handler ${owner} of stage '${stage}' would never be called: its provider in ${place} is ${scope}. ` +
      'Put the handler into a provider with the default scope, and resolve there what is scoped (ModuleRef.resolve).',
  );
}
