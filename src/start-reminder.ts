import { type Clock, type TimerHandle, systemClock } from '#engine';

const PATIENCE_MS = 5_000;

/** Calls once, five seconds from its making, unless it was cancelled. Keeps no process alive. */
export class StartReminder {
  private readonly timer: TimerHandle;

  constructor(
    private readonly remind: () => void,
    private readonly clock: Clock = systemClock,
  ) {
    this.timer = clock.setTimeout(() => this.remind(), PATIENCE_MS);
    (this.timer as Partial<NodeJS.Timeout> | undefined)?.unref?.();
  }

  cancel(): void {
    this.clock.clearTimeout(this.timer);
  }
}
