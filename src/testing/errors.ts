import { SedaError } from '#engine';

export type SedaTestingErrorCode =
  'SEDA_TESTING_NOT_INSTALLED' | 'SEDA_TESTING_INSTALLED_TWICE' | 'SEDA_TESTING_NOT_SETTLED';

/** The testing kit cannot do what a test asks for; `code` says why. */
export class SedaTestingError extends SedaError {
  override readonly name = 'SedaTestingError';

  constructor(
    override readonly code: SedaTestingErrorCode,
    message: string,
    /** `SEDA_TESTING_NOT_SETTLED`: the stages that have work left. */
    readonly stages: readonly string[] = [],
  ) {
    super(code, message);
  }
}

export function installedTwice(): SedaTestingError {
  return new SedaTestingError(
    'SEDA_TESTING_INSTALLED_TWICE',
    'This SedaBusTesting is installed already. One is for one application: make a new one for each, `reset()` it between ' +
      'tests that share an application.',
  );
}

export function notInstalled(what: string, installed: boolean): SedaTestingError {
  const why = installed
    ? 'the application was not compiled, imports no `SedaBusModule.forRoot()`, or has something else in the place of its ' +
      'bus. Await `compile()` first.'
    : 'the kit is not installed. First `await seda.install(Test.createTestingModule({ … })).compile()`.';
  return new SedaTestingError('SEDA_TESTING_NOT_INSTALLED', `There is no bus for \`${what}\`: ${why}`);
}
