import type { ArgumentsHost } from '@nestjs/common';

/** The type of the execution context of a handler. */
export type SedaContextType = 'seda';

export const SEDA_CONTEXT: SedaContextType = 'seda';

/**
 * Whether a guard, an interceptor, a filter or a parameter decorator runs for a handler of the bus. Then
 * `context.getArgs()` is `[envelope, attempt]`, and `context.getClass()` and `context.getHandler()` lead to the metadata
 * of the handler's class and method.
 */
export function isSedaContext(context: ArgumentsHost): boolean {
  return context.getType<string>() === SEDA_CONTEXT;
}
