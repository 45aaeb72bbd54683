import { isNativeError } from 'node:util/types';

/** The base of every error of the bus. `code` is stable; `docs/errors.md` has a paragraph for each. */
export class SedaError extends Error {
  override readonly name: string = 'SedaError';

  constructor(
    readonly code: string,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** An option that breaks its rule. Thrown where the option is given; nothing was changed. */
export class InvalidOptionError extends SedaError {
  override readonly name = 'InvalidOptionError';

  constructor(
    readonly option: string,
    readonly rule: string,
    readonly value: unknown,
  ) {
    super('SEDA_INVALID_OPTION', `Expected \`${option}\` to be ${rule}, got ${describe(value)}`);
  }
}

/** A publish to a stage that does not exist, where the bus was told to throw (`unknownStage: 'throw'`). */
export class UnknownStageError extends SedaError {
  override readonly name = 'UnknownStageError';

  constructor(
    /** `undefined` when the envelope had no address in this process. */
    readonly stage: string | undefined,
    /** The known names closest in spelling, best first, at most three. */
    readonly nearest: readonly string[],
  ) {
    const hint = nearest.length > 0 ? ` Did you mean ${nearest.map((name) => `'${name}'`).join(' or ')}?` : '';
    const what = stage === undefined ? 'The envelope has no route to a stage.' : `No stage is named '${stage}'.`;
    super('SEDA_UNKNOWN_STAGE', `${what}${hint}`);
  }
}

/** One stage was registered twice with options that contradict each other. */
export class StageConflictError extends SedaError {
  override readonly name = 'StageConflictError';

  constructor(
    readonly stage: string,
    detail: string,
  ) {
    super('SEDA_STAGE_CONFLICT', `Stage '${stage}' is registered twice with different options: ${detail}`);
  }
}

/** A stage cannot be removed, or made anew, because something still depends on it. */
export class StageInUseError extends SedaError {
  override readonly name = 'StageInUseError';

  constructor(
    readonly stage: string,
    detail: string,
  ) {
    super('SEDA_STAGE_IN_USE', `Stage '${stage}' ${detail}`);
  }
}

/** A call that would have to wait for consumption, on a bus that has not started to consume. */
export class NotStartedError extends SedaError {
  override readonly name = 'NotStartedError';

  constructor(what: string) {
    super('SEDA_NOT_STARTED', `${what} would wait for a bus that has not started. Await \`bus.ready()\` first.`);
  }
}

/** A registration on a bus that was shut down. */
export class BusClosedError extends SedaError {
  override readonly name = 'BusClosedError';

  constructor(what: string) {
    super('SEDA_CLOSED', `${what} is not possible: the bus is shut down.`);
  }
}

/** A stage asked its backend for something the backend has not declared. */
export class CapabilityError extends SedaError {
  override readonly name = 'CapabilityError';

  constructor(
    readonly stage: string,
    readonly capability: string,
  ) {
    super('SEDA_CAPABILITY', `The backend of stage '${stage}' has not declared the capability '${capability}'.`);
  }
}

/** What was published is not an envelope: it lacks the named member. */
export class InvalidEnvelopeError extends SedaError {
  override readonly name = 'InvalidEnvelopeError';

  constructor(member: string, value: unknown) {
    super('SEDA_INVALID_ENVELOPE', `Expected an envelope with ${member}, got ${describe(value)}`);
  }
}

/** The handler was not done within the stage's `timeoutMs`. The reason of the attempt's aborted signal, too. */
export class AttemptTimeoutError extends SedaError {
  override readonly name = 'AttemptTimeoutError';

  constructor(stage: string, timeoutMs: number) {
    super('SEDA_ATTEMPT_TIMEOUT', `An attempt at stage '${stage}' was not done within ${timeoutMs} ms.`);
  }
}

/** The reason of the signal of an attempt that a shutdown cut off. Such an attempt is not a failed one. */
export class AttemptInterruptedError extends SedaError {
  override readonly name = 'AttemptInterruptedError';

  constructor(stage: string) {
    super(
      'SEDA_ATTEMPT_INTERRUPTED',
      `The bus shut down, or the stage was removed, during an attempt at stage '${stage}'.`,
    );
  }
}

/** The error of an attempt whose handler returned `false`. */
export class NackedError extends SedaError {
  override readonly name = 'NackedError';

  constructor(stage: string) {
    super('SEDA_NACKED', `The handler of stage '${stage}' returned false.`);
  }
}

/** The next stage of an itinerary had no room within `hopTimeoutMs`. */
export class HopTimeoutError extends SedaError {
  override readonly name = 'HopTimeoutError';

  constructor(from: string, to: string, timeoutMs: number) {
    super('SEDA_HOP_TIMEOUT', `Stage '${to}' had no room for an envelope from '${from}' within ${timeoutMs} ms.`);
  }
}

/** The slip names a next stage that does not exist here. */
export class UnroutableError extends SedaError {
  override readonly name = 'UnroutableError';

  constructor(from: string, to: string | undefined) {
    super('SEDA_UNROUTABLE', `The slip leads from '${from}' to ${to === undefined ? 'no stage' : `'${to}'`}.`);
  }
}

/** The stage has work and no consumer. */
export class NoConsumerError extends SedaError {
  override readonly name = 'NoConsumerError';

  constructor(stage: string) {
    super('SEDA_NO_CONSUMER', `Stage '${stage}' has no consumer.`);
  }
}

/** A handler threw something that is no `Error`; it is the `cause`. */
export class NonErrorThrownError extends SedaError {
  override readonly name = 'NonErrorThrownError';

  constructor(thrown: unknown) {
    super('SEDA_NON_ERROR_THROWN', `A handler threw ${describe(thrown)}, which is not an Error`, thrown);
  }
}

/** A payload that the stage's codec would not give back as it is. */
export class PayloadError extends SedaError {
  override readonly name = 'PayloadError';

  constructor(
    readonly stage: string,
    /** Where in the envelope, such as `payload.items[2].price`. */
    readonly path: string,
    /** What is there. */
    readonly found: string,
    cause?: unknown,
  ) {
    super(
      'SEDA_PAYLOAD',
      `Stage '${stage}' stores what it is given, and ${path} is ${found}, which its codec does not give back.`,
      cause,
    );
  }
}

/** Errors stay what they are, whatever realm or thread they come from; anything else is wrapped. */
export function toError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new NonErrorThrownError(thrown);
}

/** What `fetch`, `structuredClone` and an aborted signal throw; from another realm it is no `Error` of ours. */
const DOM_EXCEPTION = '[object DOMException]';

/** A proxy may throw when it is asked. */
function isError(thrown: unknown): thrown is Error {
  try {
    if (isNativeError(thrown) || thrown instanceof Error) return true;
    return Object.prototype.toString.call(thrown) === DOM_EXCEPTION;
  } catch {
    return false;
  }
}

/** `v (type)`, short enough for one line of a log. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return preview(value);
}

function preview(value: NonNullable<unknown>): string {
  try {
    const kind = Array.isArray(value) ? 'array' : typeof value;
    const text =
      typeof value === 'string' ? `'${value}'` : typeof value === 'object' ? JSON.stringify(value) : String(value);
    return `${text.length > 80 ? `${text.slice(0, 77)}...` : text} (${kind})`;
  } catch {
    return `a value that cannot be shown (${typeof value})`;
  }
}
