import type { Clock } from '#engine';

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/** Time that passes when a test says so. Timers fire in order of their due time, and in order of setting among equals. */
export class ManualClock implements Clock {
  private time: number;
  private readonly timers = new Set<Timer>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.time = start;
  }

  /** How many timers are set. */
  get pending(): number {
    return this.timers.size;
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

  /** Lets time pass and lets all that follows from it happen. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (let timer = this.next(end); timer !== undefined; timer = this.next(end)) {
      this.time = Math.max(this.time, timer.dueAt);
      this.timers.delete(timer);
      timer.callback();
      await turn();
    }
    this.time = end;
    await turn();
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
