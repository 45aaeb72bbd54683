/** There is no room now, and there will be again. */
export class TryLaterError extends Error {
  override readonly name = 'TryLaterError';

  constructor(
    message: string,
    readonly retryAfterSeconds = 1,
  ) {
    super(message);
  }
}
