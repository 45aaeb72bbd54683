/** Between two looks at the clock at most this many steps are taken. */
const LONGEST_STRIDE = 16;
/** A step slower than this share of the budget has the clock looked at more often. */
const SLOW_SHARE = 1 / 16;

/**
 * How long the event loop has not come round. Microtasks run before timers and sockets, so work that goes on in
 * microtasks must stop by itself: each step asks `spent()`, and when it says so, the next step waits for `next()`.
 * Always the machine's own time: a loop that an injected clock believes idle still has to turn.
 */
export class Turn {
  private startedAt = -1;
  private lookedAt = 0;
  private steps = 0;
  private stride = 1;
  private over = false;
  private following: Promise<true> | undefined;

  constructor(private readonly budgetMs: number) {}

  /** Counts a step; whether the budget of this turn is used up. */
  spent(): boolean {
    if (++this.steps >= this.stride) this.look();
    return this.over;
  }

  /** Resolves when the event loop has come round; the same promise for all that ask in one turn. */
  next(): Promise<true> {
    return (this.following ??= new Promise((resolve) => {
      setImmediate(() => {
        this.following = undefined;
        resolve(true);
      });
    }));
  }

  private look(): void {
    const now = performance.now();
    if (this.startedAt < 0) {
      this.startedAt = now;
      setImmediate(this.restart);
    } else {
      const slow = now - this.lookedAt > this.budgetMs * SLOW_SHARE;
      this.stride = slow ? 1 : Math.min(this.stride * 2, LONGEST_STRIDE);
      this.over = now - this.startedAt >= this.budgetMs;
    }
    this.lookedAt = now;
    this.steps = 0;
  }

  private readonly restart = (): void => {
    this.startedAt = -1;
    this.over = false;
    this.steps = 0;
  };
}
