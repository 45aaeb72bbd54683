import type { InvalidOptionError } from '#engine';

/** What a call throws, which is expected to be the refusal of an option. */
export function refusal(call: () => unknown): InvalidOptionError {
  try {
    call();
  } catch (thrown) {
    return thrown as InvalidOptionError;
  }
  throw new Error('Expected a refusal; the call returned');
}
