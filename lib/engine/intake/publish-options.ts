import { InvalidOptionError } from '../errors.js';
import { type ServiceLevelName, checkServiceLevel, durationMs } from '../options.js';
import type { OnComplete, OnSettled } from './receipt.js';

/** What a publisher may ask for. */
export interface PublishOptions {
  /** Milliseconds to wait for room at most, where the stage's policy is to wait. Finite, ≥ 0. @default without end */
  readonly timeoutMs?: number;
  /** Ends the wait for room when aborted; has no effect once the envelope is accepted. */
  readonly signal?: AbortSignal;
  /** Milliseconds from acceptance to the earliest start. It counts against `capacity` meanwhile. Finite, ≥ 0. @default 0 */
  readonly delayMs?: number;
  /**
   * How often this envelope may reach its consumer at the stage it is published to, instead of what the stage says. Only a
   * durable stage can do more than `AtMostOnce`; any other refuses with `CapabilityError`.
   */
  readonly serviceLevel?: ServiceLevelName;
  /** Called once, at the end of the whole itinerary. What it throws is counted and changes nothing. */
  readonly onComplete?: OnComplete;
  /** Called exactly once whatever the end: completed, dead-lettered or dropped, a refused publish included. */
  readonly onSettled?: OnSettled;
}

const NAMES: ReadonlySet<string> = new Set([
  'timeoutMs',
  'signal',
  'delayMs',
  'serviceLevel',
  'onComplete',
  'onSettled',
]);

/** @throws InvalidOptionError */
export function checkPublishOptions(options: PublishOptions): void {
  if (typeof options !== 'object' || options === null) throw new InvalidOptionError('publish', 'an object', options);
  for (const name in options) {
    const value: unknown = options[name as keyof PublishOptions];
    if (value !== undefined && !NAMES.has(name))
      throw new InvalidOptionError(`publish.${name}`, `one of ${[...NAMES].join(', ')}`, value);
  }
  const { timeoutMs, delayMs, signal, serviceLevel, onComplete, onSettled } = options;
  if (serviceLevel !== undefined) checkServiceLevel('publish.serviceLevel', serviceLevel);
  if (timeoutMs !== undefined) durationMs('publish.timeoutMs', timeoutMs);
  if (delayMs !== undefined) durationMs('publish.delayMs', delayMs);
  if (signal !== undefined && typeof (signal as Partial<AbortSignal>)?.addEventListener !== 'function') {
    throw new InvalidOptionError('publish.signal', 'an AbortSignal', signal);
  }
  checkCallback('publish.onComplete', onComplete);
  checkCallback('publish.onSettled', onSettled);
}

function checkCallback(option: string, callback: unknown): void {
  if (callback !== undefined && typeof callback !== 'function')
    throw new InvalidOptionError(option, 'a function', callback);
}
