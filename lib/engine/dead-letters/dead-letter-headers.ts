import type { EnvelopeShape } from '../envelope.js';
import { InvalidOptionError } from '../errors.js';

/** The headers of a dead letter, all of them texts. */
export const DEAD_LETTER_HEADERS = Object.freeze({
  reason: 'seda-dead-letter-reason',
  source: 'seda-dead-letter-source',
  attempts: 'seda-dead-letter-attempts',
  error: 'seda-dead-letter-error',
  at: 'seda-dead-letter-at',
} as const);

/** Why, where, how often and when the attempts ended. */
export interface DeadLetterFacts {
  readonly reason: string;
  readonly source: string;
  readonly attempts: number;
  /** `name: message` of the last error; `undefined` when there was none. */
  readonly error: string | undefined;
  /** ISO 8601. */
  readonly at: string;
}

export function stamp({ headers }: EnvelopeShape, facts: DeadLetterFacts): void {
  headers[DEAD_LETTER_HEADERS.reason] = facts.reason;
  headers[DEAD_LETTER_HEADERS.source] = facts.source;
  headers[DEAD_LETTER_HEADERS.attempts] = String(facts.attempts);
  if (facts.error === undefined) delete headers[DEAD_LETTER_HEADERS.error];
  else headers[DEAD_LETTER_HEADERS.error] = facts.error;
  headers[DEAD_LETTER_HEADERS.at] = facts.at;
}

export function unstamp({ headers }: EnvelopeShape): void {
  for (const header of Object.values(DEAD_LETTER_HEADERS)) delete headers[header];
}

/** `undefined` for an envelope that is no dead letter. */
export function factsOf({ headers }: EnvelopeShape): DeadLetterFacts | undefined {
  const source = headers[DEAD_LETTER_HEADERS.source];
  if (source === undefined) return undefined;
  const error = headers[DEAD_LETTER_HEADERS.error];
  return {
    reason: String(headers[DEAD_LETTER_HEADERS.reason]),
    source: String(source),
    attempts: Number(headers[DEAD_LETTER_HEADERS.attempts]),
    error: error === undefined ? undefined : String(error),
    at: String(headers[DEAD_LETTER_HEADERS.at]),
  };
}

/** @throws InvalidOptionError */
export function checkReason(reason: unknown): asserts reason is string {
  if (typeof reason !== 'string' || reason === '') {
    throw new InvalidOptionError('attempt.deadLetter(reason)', 'a text that is not empty', reason);
  }
}
