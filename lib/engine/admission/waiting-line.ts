import type { DropReason } from '../books.js';
import type { Clock, TimerHandle } from '../clock.js';
import type { AbortWatch, Abortable } from './abort-watch.js';

/** Why somebody who waited for room leaves without having been admitted. */
export type GivenUp = Extract<DropReason, 'timeout' | 'aborted' | 'closed' | 'abandoned'>;

export type Answer = 'admitted' | GivenUp;

/** How long one waits at most. */
export interface Patience {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One who stands in a line, or will. A class and not a function: many thousands may stand there at once. */
export abstract class Waiter implements Abortable {
  /** Where it stands. */
  line: WaitingLine | undefined = undefined;
  previous: Waiter | undefined = undefined;
  next: Waiter | undefined = undefined;
  timer: TimerHandle = undefined;
  signal: AbortSignal | undefined = undefined;

  /** Told exactly once. On `admitted` it comes in before it returns. */
  abstract called(answer: Answer): void;

  /** Whether it is on its way from there. */
  comesFrom(_stage: unknown): boolean {
    return false;
  }

  aborted(): void {
    this.line?.leave(this, 'aborted');
  }
}

/**
 * Those who wait for room at a stage, first come first served. Leaving from the middle, by timeout or abort, is O(1):
 *
 *     head ⇄ waiter ⇄ waiter ⇄ … ⇄ tail        only what stands here is `waiting`
 *
 * A timer and a place at an abort signal exist only while their waiter stands in the line.
 */
export class WaitingLine {
  private head: Waiter | undefined;
  private tail: Waiter | undefined;
  private count = 0;

  constructor(
    private readonly clock: Clock,
    private readonly aborts: AbortWatch,
  ) {}

  get length(): number {
    return this.count;
  }

  /** Joins the line's end. The waiter hears how it ended, never before `join` has returned. */
  join({ timeoutMs, signal }: Patience, waiter: Waiter): void {
    waiter.line = this;
    waiter.previous = this.tail;
    if (this.tail === undefined) this.head = waiter;
    else this.tail.next = waiter;
    this.tail = waiter;
    this.count++;
    if (timeoutMs !== undefined) this.setTimer(waiter, this.clock.now() + timeoutMs);
    if (signal !== undefined) {
      waiter.signal = signal;
      this.aborts.add(signal, waiter);
    }
  }

  /** Takes the first out of the line; whoever does it has room for one and calls it. */
  shift(): Waiter | undefined {
    const waiter = this.head;
    if (waiter !== undefined) this.remove(waiter);
    return waiter;
  }

  /** Sends all away who match, in order. Who joins meanwhile stays. */
  dismiss(answer: GivenUp, matches: (waiter: Waiter) => boolean = () => true): void {
    const going: Waiter[] = [];
    for (let waiter = this.head; waiter !== undefined; waiter = waiter.next) if (matches(waiter)) going.push(waiter);
    for (const waiter of going) this.leave(waiter, answer);
  }

  /** Takes one out of the line before it is its turn, and tells it why; one who is not there is ignored. */
  leave(waiter: Waiter, answer: GivenUp): void {
    if (waiter.line !== this) return;
    this.remove(waiter);
    waiter.called(answer);
  }

  private remove(waiter: Waiter): void {
    if (waiter.previous === undefined) this.head = waiter.next;
    else waiter.previous.next = waiter.next;
    if (waiter.next === undefined) this.tail = waiter.previous;
    else waiter.next.previous = waiter.previous;
    this.count--;
    waiter.line = waiter.previous = waiter.next = undefined;
    if (waiter.timer !== undefined) this.clock.clearTimeout(waiter.timer);
    if (waiter.signal !== undefined) this.aborts.remove(waiter.signal, waiter);
  }

  private setTimer(waiter: Waiter, deadline: number): void {
    waiter.timer = this.clock.setTimeout(() => {
      if (this.clock.now() >= deadline) this.leave(waiter, 'timeout');
      else this.setTimer(waiter, deadline);
    }, deadline - this.clock.now());
  }
}
