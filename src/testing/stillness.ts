import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers';
import type { ManualClock } from '#engine';

/**
 * So often the event loop comes round without anything having happened before nothing is expected to. Promises are done
 * within one turn; the others are for code that puts itself off to the next one.
 */
const QUIET_TURNS = 10;

/** Knows when nothing happens any more without time passing. */
export class Stillness {
  private seen = '';
  private moves = 0;
  private lastMoveAt = 0;

  /** @param look the same text as long as nothing happens */
  constructor(
    private readonly clock: ManualClock,
    private readonly look: () => string,
  ) {}

  /** When something happened last, in real time: see {@link realNow}. */
  get movedAt(): number {
    return this.lastMoveAt;
  }

  /** Fires the timers that are due, and resolves when nothing happens any more. */
  async reached(): Promise<void> {
    let movesBefore = this.count();
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      await turn();
      this.fireWhatIsDue();
      const moves = this.count();
      if (moves !== movesBefore) quiet = 0;
      movesBefore = moves;
    }
  }

  private fireWhatIsDue(): void {
    // A timer that sets itself again is fired once a turn.
    for (let left = this.clock.pending; left > 0 && this.clock.overdue; left--) this.clock.step(this.clock.now());
  }

  private count(): number {
    const now = this.look();
    if (now !== this.seen) {
      this.seen = now;
      this.moves++;
      this.lastMoveAt = realNow();
    }
    return this.moves;
  }
}

/** Lets what is outside go on; how many real milliseconds have passed. */
export async function realPause(): Promise<number> {
  const before = realNow();
  await new Promise((resolve) => setTimeout(resolve, 1));
  return realNow() - before;
}

/** Milliseconds of the machine's own time. */
export const realNow = (): number => performance.now();

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
