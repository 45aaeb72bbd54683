/** What went wrong, as a stable code to branch on. */
export type RaErrorKind =
  | 'decode'
  | 'crypto'
  | 'invalid'
  | 'service-not-found'
  | 'service-not-accessible'
  | 'service-not-supported'
  | 'service-already-registered'
  | 'file-creation-failed'
  | 'io';

/** The one error this package throws on its own account; its message is `<kind>: <text>`. */
export class RaError extends Error {
  override readonly name = 'RaError';
  readonly kind: RaErrorKind;

  constructor(kind: RaErrorKind, text: string, options?: ErrorOptions) {
    super(`${kind}: ${text}`, options);
    this.kind = kind;
  }

  /** Data that cannot be read. */
  static decode(text: string, options?: ErrorOptions): RaError {
    return new RaError('decode', text, options);
  }

  /** A cryptographic operation that failed. */
  static crypto(text: string, options?: ErrorOptions): RaError {
    return new RaError('crypto', text, options);
  }

  /** An argument that is not acceptable. */
  static invalid(text: string, options?: ErrorOptions): RaError {
    return new RaError('invalid', text, options);
  }
}
