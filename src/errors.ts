import { SedaError } from '#engine';

export type SedaModuleErrorCode =
  | 'SEDA_MODULE_TWICE'
  | 'SEDA_MODULE_WITHOUT_ROOT'
  | 'SEDA_UNKNOWN_BUS'
  | 'SEDA_HANDLER_TWICE'
  | 'SEDA_ENHANCER_NOT_MADE'
  | 'SEDA_HANDLER_NOT_A_METHOD';

/** The application is put together in a way the bus cannot work with. Thrown while it boots; `code` says which. */
export class SedaModuleError extends SedaError {
  override readonly name = 'SedaModuleError';

  constructor(
    override readonly code: SedaModuleErrorCode,
    message: string,
  ) {
    super(code, message);
  }
}
