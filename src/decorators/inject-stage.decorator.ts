import { Inject } from '@nestjs/common';
import { getStageToken } from '../seda-bus.tokens.js';

/**
 * Injects the `StageRef` of a stage that `SedaBusModule.forFeature` declares. Any other is reached by `bus.stage(name)`.
 * @param bus the name of its bus, if it has one
 */
export function InjectStage(name: string, bus?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getStageToken(name, bus));
}
