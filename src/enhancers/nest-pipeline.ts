import type { ParamData, PipeTransform } from '@nestjs/common';
import { type ApplicationConfig, type ContextId, ExternalContextCreator } from '@nestjs/core';
import type { Attempt, Consumer, Envelope, Verdict } from '#engine';
import {
  ExecutionContextHost,
  ExternalExceptionFilterContext,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
} from '../internals/nest-internals.js';
import type { Host } from '../stage.explorer.js';
import { methodOf } from './decorations.js';
import { isRefusal, lastOf } from './results.js';
import { SEDA_CONTEXT } from './seda-context.js';

type Container = Parameters<typeof ExternalContextCreator.fromContainer>[0];
type Filters = ReturnType<ExternalExceptionFilterContext['create']>;
type Given = readonly [envelope: Envelope, attempt: Attempt];

/** Its own filters are applied here: Nest's would log each failed attempt. */
const APPLIED = { guards: true, interceptors: true, filters: false };
const HOST = 'host';

/** Where the parameter decorators of Nest itself find their values. */
const parameters = {
  exchangeKeyForValue(type: number, data: ParamData, [envelope]: Given): unknown {
    if (type === RouteParamtypes.BODY) return propertyOf(envelope.content(), data);
    return type === RouteParamtypes.HEADERS ? propertyOf(envelope.headers, data) : undefined;
  },
};

/** Nest's guards, pipes, interceptors and filters around one handler. */
export class NestPipeline {
  private readonly creator: ExternalContextCreator;
  private readonly filters: ExternalExceptionFilterContext;
  private readonly callback: Consumer;
  private readonly method: string;

  constructor(
    private readonly host: Host,
    key: PropertyKey,
    config: ApplicationConfig,
  ) {
    const container = containerOf(host, config);
    this.creator = adapted(ExternalContextCreator.fromContainer(container));
    this.filters = new ExternalExceptionFilterContext(container, config);
    this.callback = callbackOf(host, key);
    this.method = String(key);
  }

  /** Calls the method as it is then, on this instance; what is scoped is taken from this context. */
  consumerOn(instance: object, contextId?: ContextId): Consumer {
    const { id } = this.host.wrapper;
    const call = this.creator.create(
      instance,
      this.callback as (...args: unknown[]) => unknown,
      this.method,
      ROUTE_ARGS_METADATA,
      parameters as unknown as Parameters<ExternalContextCreator['create']>[4],
      contextId,
      id,
      APPLIED,
      SEDA_CONTEXT,
    );
    const filters = this.filters.create(instance, this.callback as () => never, HOST, contextId, id);
    return (envelope, attempt) =>
      call(envelope, attempt)
        .catch((error: unknown) => filtered(filters, error, [envelope, attempt]))
        .catch((error: unknown) => refused(error, attempt));
  }
}

/** A filter decides by its result. One that answers nothing leaves the error as it is. */
async function filtered(filters: Filters, error: unknown, given: Given): Promise<unknown> {
  const host = new ExecutionContextHost([...given]);
  host.setType(SEDA_CONTEXT);
  const result: unknown = await lastOf(await filters.invokeCustomFilters(error, host));
  if (result === undefined || result === null) throw error;
  return result;
}

/** What a guard refuses once it refuses again: no retry. */
function refused(error: unknown, attempt: Attempt): Verdict {
  if (isRefusal(error)) return attempt.deadLetter('forbidden');
  throw error;
}

/**
 * All that Nest looks at: the module of the handler's host. Nest looks for it by class, which finds no controller and
 * nothing behind a token, and the first of two modules that have the class; here is only one to be found.
 */
function containerOf({ wrapper }: Host, applicationConfig: ApplicationConfig): Container {
  const module = Object.create(wrapper.host as object, { hasProvider: { value: () => true } }) as object;
  const modules = new Map([[HOST, module]]);
  return { applicationConfig, getModules: () => modules } as unknown as Container;
}

/** An Observable may end without a value, and parameters without a decorator get what they get anyway. */
function adapted(creator: ExternalContextCreator): ExternalContextCreator {
  type Parameters = globalThis.Parameters<ExternalContextCreator['createPipesFn']>[1];
  const pipesFn = creator.createPipesFn.bind(creator);
  return Object.assign(creator, {
    transformToResult: async (result: unknown) => lastOf(result),
    createPipesFn(pipes: PipeTransform[], decorated: Parameters) {
      const apply = pipesFn(pipes, decorated);
      return apply && ((args: unknown[], ...given: unknown[]) => apply(Object.assign(args, given), ...given));
    },
  });
}

/** Carries the metadata of the method, for `Reflector`, and looks the method up with each call, so that a spy is called. */
function callbackOf({ prototype }: Host, key: PropertyKey): Consumer {
  const method = methodOf(prototype, key);
  const callback = function (this: Record<PropertyKey, Consumer>, ...args: Given): unknown {
    return (this[key] as Consumer)(...args);
  };
  for (const name of Reflect.getMetadataKeys(method) as unknown[])
    Reflect.defineMetadata(name, Reflect.getMetadata(name, method), callback);
  return Object.defineProperty(callback, 'name', { value: (method as { name?: string }).name });
}

function propertyOf(value: unknown, name: ParamData | undefined): unknown {
  return typeof name === 'string' ? (value as Record<string, unknown> | null | undefined)?.[name] : value;
}
