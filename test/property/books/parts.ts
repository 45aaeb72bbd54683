/** How the handlers of an envelope behave: at once, or when a command says so. */
export type Script = 'gate' | Ending;
export type Ending = 'ack' | 'false' | 'throw' | 'retryIn' | 'deadLetter';

/** An envelope, as the model knows it. */
export interface Letter {
  readonly id: string;
  readonly script: Script;
  /** The stages still to visit. */
  slip: string[];
  /** Where its attempts ended. */
  source: string | undefined;
  /** Whether its publisher is still to be told of the end. */
  receipt: boolean;
  /** What its publisher has to be told, and what it was. */
  readonly outcomes: string[];
  readonly told: string[];
}

/** A letter in the queue of a stage. */
export interface Entry {
  readonly letter: Letter;
  readonly sequence: number;
  dueAt: number;
  attempt: number;
  parked: boolean;
  /** Pub/sub: the consumers that have not acked. */
  remaining: readonly number[] | undefined;
}

/** A lease in flight and its attempts, one for each consumer. */
export interface Run {
  readonly entry: Entry;
  readonly startedAt: number;
  /** Consumers still to be called; a call starts an attempt. */
  readonly toCall: number[];
  /** Attempts without a verdict. */
  readonly open: Set<number>;
  readonly unacked: Set<number>;
  verdict: Verdict;
  holdsPermit: boolean;
  /** The bus shut down: its verdict counts no more. */
  over: boolean;
}

export interface Verdict {
  readonly rank: 0 | 1 | 2 | 3;
  readonly delayMs: number;
}

export const ACK: Verdict = { rank: 0, delayMs: 0 };
export const NACK: Verdict = { rank: 1, delayMs: 0 };
export const RETRY_IN_MS = 333;
export const REASON = 'asked for';

export const VERDICTS: Readonly<Record<Ending, Verdict>> = {
  ack: ACK,
  false: NACK,
  throw: NACK,
  retryIn: { rank: 2, delayMs: RETRY_IN_MS },
  deadLetter: { rank: 3, delayMs: 0 },
};

export type Answer = 'admitted' | 'timeout' | 'aborted' | 'closed' | 'abandoned';

/** Somebody who waits for room at a stage. */
export interface Waiter {
  readonly letter: Letter;
  readonly deadline: number;
  /** Hops are not counted as waiting: they are in flight where they come from. */
  readonly hop: boolean;
  readonly called: (answer: Answer) => void;
}

/** A publish that the model has foretold: `undefined` while it waits. */
export interface Publication {
  readonly letter: Letter;
  answer: boolean | 'throws' | undefined;
}
