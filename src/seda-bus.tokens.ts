/** The options as the user gave them. */
export const SEDA_BUS_OPTIONS = Symbol.for('seda:options');

/** The options with nothing left open. */
export const SEDA_BUS_SETTINGS = Symbol.for('seda:settings');

/** What one `forFeature` declares. */
export const SEDA_FEATURES = Symbol.for('seda:features');

/**
 * The injection token of a stage that `SedaBusModule.forFeature` declares. For tests, too:
 * `overrideProvider(getStageToken('orders.price')).useValue(fake)`.
 */
export function getStageToken(name: string): symbol {
  return Symbol.for(`seda:stage:${name}`);
}
