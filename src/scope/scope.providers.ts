import { type FactoryProvider, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { AttemptRequest } from './attempt-request.js';

/**
 * Injects the envelope that a request-scoped provider is made for. `undefined` where there is none: in a provider that is
 * made for an HTTP request, and in a durable one, which outlives its envelope.
 */
export const ENVELOPE = Symbol.for('seda:envelope');

/** Injects the attempt that a request-scoped provider is made for. `undefined` where {@link ENVELOPE} is. */
export const ATTEMPT = Symbol.for('seda:attempt');

export const scopeProviders: FactoryProvider[] = [
  injected(ENVELOPE, ({ envelope }) => envelope),
  injected(ATTEMPT, ({ attempt }) => attempt),
];

function injected(provide: symbol, read: (request: AttemptRequest) => unknown): FactoryProvider {
  return {
    provide,
    scope: Scope.REQUEST,
    useFactory: (request: unknown) => (request instanceof AttemptRequest ? read(request) : undefined),
    inject: [REQUEST],
  };
}
