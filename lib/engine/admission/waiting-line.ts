import type { DropReason } from '../books.js';
import type { Clock, TimerHandle } from '../clock.js';
import type { AbortWatch } from './abort-watch.js';

/** Why somebody who waited for room leaves without having been admitted. */
export type GivenUp = Extract<DropReason, 'timeout' | 'aborted' | 'closed' | 'abandoned'>;

export type Answer = 'admitted' | GivenUp;

/** What one who waits is told, exactly once. On `admitted` it comes in before it returns. */
export type Called = (answer: Answer) => void;

/** How long one waits at most. */
export interface Patience {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
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

  /** Joins the line's end. `called` hears how it ended, never before `join` has returned. */
  join({ timeoutMs, signal }: Patience, called: Called): void {
    const waiter = new Waiter(called);
    waiter.previous = this.tail;
    if (this.tail === undefined) this.head = waiter;
    else this.tail.next = waiter;
    this.tail = waiter;
    this.count++;
    if (timeoutMs !== undefined) this.setTimer(waiter, this.clock.now() + timeoutMs);
    if (signal !== undefined) {
      waiter.signal = signal;
      waiter.onAbort = () => this.leave(waiter, 'aborted');
      this.aborts.add(signal, waiter.onAbort);
    }
  }

  /** Takes the first out of the line; whoever does it has room for one and calls it. */
  shift(): Called | undefined {
    const waiter = this.head;
    if (waiter === undefined) return undefined;
    this.remove(waiter);
    return waiter.called;
  }

  /** Sends all away, in order. Who joins meanwhile stays. */
  dismiss(answer: GivenUp): void {
    for (let left = this.count; left > 0; left--) this.shift()?.(answer);
  }

  private leave(waiter: Waiter, answer: GivenUp): void {
    if (!waiter.waiting) return;
    this.remove(waiter);
    waiter.called(answer);
  }

  private remove(waiter: Waiter): void {
    if (waiter.previous === undefined) this.head = waiter.next;
    else waiter.previous.next = waiter.next;
    if (waiter.next === undefined) this.tail = waiter.previous;
    else waiter.next.previous = waiter.previous;
    this.count--;
    waiter.waiting = false;
    if (waiter.timer !== undefined) this.clock.clearTimeout(waiter.timer);
    if (waiter.signal !== undefined) this.aborts.remove(waiter.signal, waiter.onAbort as () => void);
  }

  private setTimer(waiter: Waiter, deadline: number): void {
    waiter.timer = this.clock.setTimeout(() => {
      if (this.clock.now() >= deadline) this.leave(waiter, 'timeout');
      else this.setTimer(waiter, deadline);
    }, deadline - this.clock.now());
  }
}

class Waiter {
  waiting = true;
  previous: Waiter | undefined = undefined;
  next: Waiter | undefined = undefined;
  timer: TimerHandle = undefined;
  signal: AbortSignal | undefined = undefined;
  onAbort: (() => void) | undefined = undefined;

  constructor(readonly called: Called) {}
}
