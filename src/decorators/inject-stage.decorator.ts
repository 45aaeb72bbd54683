import { Inject } from '@nestjs/common';
import type { Checked } from '#engine';
import { getStageToken } from '../seda-bus.tokens.js';

/**
 * Injects the `StageRef` of a stage that `SedaBusModule.forFeature` declares. Any other is reached by `bus.stage(name)`.
 * @param bus the name of its bus, if it has one
 */
export function InjectStage<Name extends string>(
  name: Checked<Name>,
  bus?: string,
): PropertyDecorator & ParameterDecorator {
  return Inject(getStageToken(name, bus));
}
