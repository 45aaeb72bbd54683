import { CapabilityError } from '../errors.js';
import { Backpressure, type StageSettings, isDurable } from '../options.js';
import type { Capabilities } from './backend.js';

/**
 * What a stage asks for, its backend must have declared: it is refused here, and never silently downgraded.
 * @throws CapabilityError naming the stage and the capability
 */
export function requireCapabilities(
  stage: string,
  settings: StageSettings,
  { delay, discardOldest, survivesRestart }: Capabilities,
): void {
  if (settings.backoff !== undefined && !delay) throw new CapabilityError(stage, 'delay');
  if (isDurable(settings) !== survivesRestart) throw new CapabilityError(stage, 'survivesRestart');
  if (settings.backpressure === Backpressure.DropOldest && !discardOldest)
    throw new CapabilityError(stage, 'discardOldest');
}
