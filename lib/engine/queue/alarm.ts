import type { Clock, TimerHandle } from '../clock.js';

/** One timer for many points in time: set for the earliest, and again by whoever was called. */
export class Alarm {
  private timer: TimerHandle = undefined;
  private dueAt = Number.POSITIVE_INFINITY;
  private closed = false;

  /** @param ring called when the time has come; may be called early */
  constructor(
    private readonly clock: Clock,
    private readonly ring: () => void,
  ) {}

  /** Makes sure that it rings at `dueAt`, in milliseconds of the clock, or earlier. Without effect once it is closed. */
  setFor(dueAt: number): void {
    if (this.closed || dueAt >= this.dueAt) return;
    this.cancel();
    this.dueAt = dueAt;
    this.timer = this.clock.setTimeout(this.rung, Math.max(0, dueAt - this.clock.now()));
  }

  cancel(): void {
    if (this.timer !== undefined) this.clock.clearTimeout(this.timer);
    this.timer = undefined;
    this.dueAt = Number.POSITIVE_INFINITY;
  }

  /** Cancels it for good. Twice is once. */
  close(): void {
    this.closed = true;
    this.cancel();
  }

  private readonly rung = (): void => {
    this.timer = undefined;
    this.dueAt = Number.POSITIVE_INFINITY;
    this.ring();
  };
}
