/** Node's timers take at most this many milliseconds; a longer delay would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** What a clock hands out for a timer; only that clock knows what is in it. */
export type TimerHandle = unknown;

/**
 * Where the bus reads the time and sets its timers. Give the bus another one to test without waiting.
 * A timer may fire early (a delay longer than the platform allows does), so whoever sets one looks at `now()` again.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. Never runs backwards. */
  now(): number;
  /** Calls `callback` once, after `delayMs` or sooner. The timer keeps the process alive. */
  setTimeout(callback: () => void, delayMs: number): TimerHandle;
  /** Cancels a timer. A fired or unknown one is ignored. */
  clearTimeout(handle: TimerHandle): void;
}

/** The clock of the machine, monotonic: it starts at the wall clock's time and ignores later corrections of it. */
export const systemClock: Clock = Object.freeze({
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (callback: () => void, delayMs: number) => setTimeout(callback, Math.min(delayMs, LONGEST_TIMER_MS)),
  clearTimeout: (handle: TimerHandle) => clearTimeout(handle as NodeJS.Timeout),
});

/** What time it is, in milliseconds since the Unix epoch, to those who can do with a little less than the present. */
export interface Calendar {
  readonly now: number;
}

/** As exact as its clock. */
export class ExactCalendar implements Calendar {
  constructor(private readonly clock: Clock) {}

  get now(): number {
    return this.clock.now();
  }
}
