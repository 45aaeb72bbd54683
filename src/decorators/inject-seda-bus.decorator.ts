import { Inject } from '@nestjs/common';
import { getSedaBusToken } from '../seda-bus.tokens.js';

/** Injects the bus that `SedaBusModule.forRoot({ name })` provides; without a name the one that has none. */
export function InjectSedaBus(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getSedaBusToken(name));
}
