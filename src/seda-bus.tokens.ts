import type { InjectionToken } from '@nestjs/common';
import { type Checked, SedaBus } from '#engine';

/** The bus that nobody has named. */
export const DEFAULT_BUS = 'default';

/** The name of the bus that a root module provides. */
export const SEDA_BUS_NAME = Symbol.for('seda:name');

/** The bus of a root module, by whatever token the application knows it. */
export const SEDA_BUS = Symbol.for('seda:bus');

/** The options as the user gave them. */
export const SEDA_BUS_OPTIONS = Symbol.for('seda:options');

/** The options with nothing left open. */
export const SEDA_BUS_SETTINGS = Symbol.for('seda:settings');

/** What one `forFeature` declares. */
export const SEDA_FEATURES = Symbol.for('seda:features');

/**
 * The injection token of a bus: the class `SedaBus` for the one without a name. For tests, too:
 * `overrideProvider(getSedaBusToken('audit')).useValue(fake)`.
 */
export function getSedaBusToken(name: string = DEFAULT_BUS): InjectionToken<SedaBus> {
  return name === DEFAULT_BUS ? SedaBus : Symbol.for(`seda:bus:${name}`);
}

/**
 * The injection token of a stage that `SedaBusModule.forFeature` declares. For tests, too:
 * `overrideProvider(getStageToken('orders.price')).useValue(fake)`.
 * @param bus the name of its bus, if it has one
 */
export function getStageToken<Name extends string>(name: Checked<Name>, bus: string = DEFAULT_BUS): symbol {
  return Symbol.for(bus === DEFAULT_BUS ? `seda:stage:${name}` : `seda:stage:${JSON.stringify([bus, name])}`);
}
