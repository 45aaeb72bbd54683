import { InvalidOptionError } from '#engine';

/** Which guards, pipes, interceptors and exception filters apply to handlers. */
export interface EnhancerOptions {
  /**
   * Those of the whole application, too: `app.useGlobalGuards()` …, `APP_GUARD` … They have to cope with a context of
   * type `seda`, which has no HTTP request. @default false
   */
  readonly global?: boolean;
}

/** The option with nothing left open; `undefined`: none apply. */
export type EnhancerSettings = Required<EnhancerOptions> | undefined;

/** @throws InvalidOptionError */
export function enhancerSettings(option: boolean | EnhancerOptions = false): EnhancerSettings {
  const { global = false, ...rest } = typeof option === 'object' && option !== null ? option : {};
  const known = typeof option === 'boolean' || (isPlain(option) && Object.keys(rest).length === 0);
  if (!known || typeof global !== 'boolean')
    throw new InvalidOptionError('SedaBusModule.enhancers', 'a boolean or { global: boolean }', option);
  return option === false ? undefined : { global };
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
