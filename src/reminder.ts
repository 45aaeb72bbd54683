import { type Clock, type TimerHandle, systemClock } from '#engine';

/** Calls once, so many milliseconds from its making, unless it was cancelled. Keeps no process alive. */
export class Reminder {
  private readonly timer: TimerHandle;

  constructor(
    remind: () => void,
    delayMs: number,
    private readonly clock: Clock = systemClock,
  ) {
    this.timer = clock.setTimeout(remind, delayMs);
    (this.timer as Partial<NodeJS.Timeout> | undefined)?.unref?.();
  }

  cancel(): void {
    this.clock.clearTimeout(this.timer);
  }
}
