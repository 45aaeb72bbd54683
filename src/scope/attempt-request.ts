import type { Attempt, Envelope } from '#engine';

/**
 * The request of an attempt: what `@Inject(REQUEST)` injects into request-scoped providers that are made for a handler,
 * and what a `ContextIdStrategy` is given. The payload of such a strategy is assigned to it; a durable provider gets the
 * payload instead, as with HTTP.
 */
export class AttemptRequest {
  constructor(
    readonly envelope: Envelope,
    readonly attempt: Attempt,
  ) {}
}
