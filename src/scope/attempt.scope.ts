import { type ContextId, ContextIdFactory, ModuleRef } from '@nestjs/core';
import type { Attempt, Envelope } from '#engine';
import { REQUEST_CONTEXT_ID } from '../internals/nest-internals.js';
import type { Host, Wrapper } from '../stage.explorer.js';
import { AttemptRequest } from './attempt-request.js';

/** What was made for one attempt. Nobody but the attempt holds it. */
export interface Scoped {
  readonly instance: object;
  readonly contextId: ContextId;
}

/** Makes a provider or controller anew for each attempt, as Nest does for each HTTP request. */
export class AttemptScope {
  private readonly moduleRef: ModuleRef;

  constructor(private readonly host: Host) {
    this.moduleRef = moduleRefOf(host.wrapper);
  }

  /** @throws what a constructor or a factory on the way throws */
  async enter(envelope: Envelope, attempt: Attempt): Promise<Scoped> {
    const { instance, wrapper } = this.host;
    const contextId = this.openContext(new AttemptRequest(envelope, attempt));
    return { contextId, instance: instance ?? (await resolveIn(this.moduleRef, wrapper, contextId)) };
  }

  private openContext(request: AttemptRequest): ContextId {
    const contextId = ContextIdFactory.getByRequest(request);
    // From now on `ContextIdFactory.getByRequest(request)` answers the same, wherever the request was injected.
    Object.defineProperty(request, REQUEST_CONTEXT_ID, { value: contextId });
    const { payload } = contextId;
    const value = this.host.wrapper.isDependencyTreeDurable() ? payload : Object.assign(request, payload);
    this.moduleRef.registerRequestByContextId(value, contextId);
    return contextId;
  }
}

/** What the provider is in this context. Of its own module: another may have one with the same token. */
export function resolveFor(wrapper: Wrapper, contextId: ContextId): Promise<object> {
  return resolveIn(moduleRefOf(wrapper), wrapper, contextId);
}

function resolveIn(moduleRef: ModuleRef, { token }: Wrapper, contextId: ContextId): Promise<object> {
  return moduleRef.resolve<object>(token, contextId, { strict: true });
}

function moduleRefOf({ host }: Wrapper): ModuleRef {
  return host?.providers.get(ModuleRef)?.instance as ModuleRef;
}
