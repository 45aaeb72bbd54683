import { setImmediate } from 'node:timers';
import type { Clock } from '../clock.js';

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/**
 * Time that passes when a test says so. Timers fire in order of their due time, and in order of setting among equals; none
 * ever fires by itself, and time never runs backwards.
 */
export class ManualClock implements Clock {
  private time: number;
  private readonly timers = new Set<Timer>();

  /** @param startAt milliseconds since the Unix epoch */
  constructor(startAt: number = Date.UTC(2026, 0, 1)) {
    this.time = startAt;
  }

  /** How many timers are set. */
  get pending(): number {
    return this.timers.size;
  }

  /** Whether a timer should have fired by now. */
  get overdue(): boolean {
    return this.next(this.time) !== undefined;
  }

  now(): number {
    return this.time;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const timer = { dueAt: this.time + Math.max(0, delayMs), callback };
    this.timers.add(timer);
    return timer;
  }

  clearTimeout(handle: unknown): void {
    this.timers.delete(handle as Timer);
  }

  /**
   * Fires the first timer that is due by `end`, at its time, and answers `true`. With none left it is `end`, and the answer
   * is `false`. Without an `end` every timer is due in time, and when none is set the time stays what it is.
   * @param end a time, as `now()` tells it
   */
  step(end: number = Number.POSITIVE_INFINITY): boolean {
    const timer = this.next(end);
    if (timer !== undefined) {
      this.pass(timer.dueAt);
      this.timers.delete(timer);
      timer.callback();
    } else if (end < Number.POSITIVE_INFINITY) this.pass(end);
    return timer !== undefined;
  }

  /** Lets so many milliseconds pass, and after each timer that fires, all that follows from it without time passing. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    while (this.step(end)) await turn();
    await turn();
  }

  private pass(until: number): void {
    this.time = Math.max(this.time, until);
  }

  private next(end: number): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.dueAt <= end && (earliest === undefined || timer.dueAt < earliest.dueAt)) earliest = timer;
    }
    return earliest;
  }
}

/** Resolves when all microtasks, and what they set off, are done: the event loop has come round. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
