import type { Envelope } from '#ra-common';
import type { Attempt } from './attempt.js';

/**
 * A handler. `false` nacks, a throw or a rejection nacks with that error, anything else acks; `attempt.retryIn` and
 * `attempt.deadLetter` say it in more words. Called synchronously; a promise is awaited.
 */
export type Consumer = (envelope: Envelope, attempt: Attempt) => unknown;

/** The consumers of a stage, and whose turn it is. */
export class Consumers {
  private list: readonly Consumer[] = [];
  private turn = 0;

  get size(): number {
    return this.list.length;
  }

  /** A snapshot: later changes do not reach it. */
  get all(): readonly Consumer[] {
    return this.list;
  }

  add(consumer: Consumer): void {
    this.list = [...this.list, consumer];
  }

  /** Removes it once; whether it was there. */
  remove(consumer: Consumer): boolean {
    const index = this.list.indexOf(consumer);
    if (index < 0) return false;
    this.list = this.list.toSpliced(index, 1);
    return true;
  }

  has(consumer: Consumer): boolean {
    return this.list.includes(consumer);
  }

  /** Round-robin. Only with at least one consumer. */
  next(): Consumer {
    if (this.turn >= this.list.length) this.turn = 0;
    return this.list[this.turn++] as Consumer;
  }
}
