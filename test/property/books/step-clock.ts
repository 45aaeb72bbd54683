import type { Clock } from '#engine';

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/** Time that passes one timer at a time, so that whoever drives it can look in between. */
export class StepClock implements Clock {
  private time = 1_000_000;
  private readonly timers = new Set<Timer>();

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

  /** Fires the next timer that is due by `end`; with none left, it is `end`, and the answer `false`. */
  step(end: number): boolean {
    const timer = this.next(end);
    this.time = timer === undefined ? end : Math.max(this.time, timer.dueAt);
    if (timer === undefined) return false;
    this.timers.delete(timer);
    timer.callback();
    return true;
  }

  private next(end: number): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.dueAt <= end && (earliest === undefined || timer.dueAt < earliest.dueAt)) earliest = timer;
    }
    return earliest;
  }
}

/** Resolves when everything is done that follows from a step without time passing: the event loop has come round. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
