import { Inject, Injectable } from '@nestjs/common';
import { ApplicationConfig, type ContextId } from '@nestjs/core';
import { type Consumer, NackedError } from '#engine';
import { HandlerEnhancers, type Pipeline } from './enhancers/handler.enhancers.js';
import { subscribing } from './enhancers/results.js';
import { AttemptScope } from './scope/attempt.scope.js';
import type { ModuleSettings } from './seda-bus.options.js';
import { SEDA_BUS_SETTINGS } from './seda-bus.tokens.js';
import type { HandlerDeclaration, Host } from './stage.explorer.js';

/**
 * How a decorated method is called for an envelope: directly, on the provider there is; on one that is made for the
 * attempt; through Nest's guards, pipes, interceptors and filters; or both of these.
 */
@Injectable()
export class HandlerConsumers {
  private readonly enhancers: HandlerEnhancers;

  constructor(
    application: ApplicationConfig,
    @Inject(SEDA_BUS_SETTINGS) private readonly settings: ModuleSettings,
  ) {
    this.enhancers = new HandlerEnhancers(settings.enhancers, application);
  }

  /** @throws SedaModuleError for decorations that Nest would leave out */
  consumerOf(host: Host, key: PropertyKey, declaration: HandlerDeclaration): Consumer {
    const pipeline = this.enhancers.pipelineOf(host, key, declaration);
    const call = this.callOf(host, key, pipeline);
    return declaration.keep ? keeping(call) : call;
  }

  /** What to warn of since the last time: decorations that have no effect. */
  takeWarnings(): string[] {
    return this.enhancers.takeWarnings();
  }

  private callOf(host: Host, key: PropertyKey, pipeline: Pipeline | undefined): Consumer {
    if (pipeline?.lasting !== undefined) return pipeline.lasting;
    if (pipeline !== undefined)
      return scopedCall(host, (instance, contextId) => pipeline.consumerFor(instance, contextId));
    if (host.instance !== undefined) return this.plainCall(host.instance, key);
    return scopedCall(host, (instance) => this.plainCall(instance, key));
  }

  private plainCall(instance: object, key: PropertyKey): Consumer {
    const call = directCall(instance, key);
    return this.settings.enhancers === undefined ? call : subscribing(call);
  }
}

/** Looks the method up with each call, so that a spy, or any other replacement, is called. */
function directCall(instance: object, key: PropertyKey): Consumer {
  const provider = instance as Record<PropertyKey, Consumer>;
  return (envelope, attempt) => (provider[key] as Consumer)(envelope, attempt);
}

/** An attempt that ended while its provider was made, by a timeout say, does not reach the handler any more. */
function scopedCall(
  host: Host,
  consumerOn: (instance: object, contextId: ContextId) => Consumer | Promise<Consumer>,
): Consumer {
  const scope = new AttemptScope(host);
  return async (envelope, attempt) => {
    const { instance, contextId } = await scope.enter(envelope, attempt);
    const consumer = await consumerOn(instance, contextId);
    attempt.signal.throwIfAborted();
    return consumer(envelope, attempt);
  };
}

/** The ack of a dead letter would remove it: bury it again, unless the handler says otherwise. */
function keeping(call: Consumer): Consumer {
  return async (envelope, attempt) => {
    attempt.deadLetter('kept');
    if ((await call(envelope, attempt)) === false) throw new NackedError(attempt.stage);
  };
}
