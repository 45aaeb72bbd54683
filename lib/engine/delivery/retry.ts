import type { BackoffOptions } from '../options.js';

/**
 * Milliseconds from the end of failed attempt number `attempt` to the next. Never overflows: an exponential delay that
 * has grown beyond every number is `maxDelayMs`.
 */
export function backoffDelay(
  backoff: Required<BackoffOptions> | undefined,
  attempt: number,
  random: () => number,
): number {
  if (backoff === undefined) return 0;
  const grown = backoff.type === 'fixed' ? backoff.delayMs : backoff.delayMs * backoff.factor ** (attempt - 1);
  const delayMs = Math.min(Number.isNaN(grown) ? 0 : grown, backoff.maxDelayMs);
  return backoff.jitter ? delayMs * random() : delayMs;
}
