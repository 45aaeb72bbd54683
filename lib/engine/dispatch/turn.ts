import type { Calendar } from '../clock.js';

/** Between two looks at the clock at most this many steps are taken. */
const LONGEST_STRIDE = 16;
/** A step slower than this share of the budget has the clock looked at more often. */
const SLOW_SHARE = 1 / 16;

/**
 * How long the event loop has not come round. Microtasks run before timers and sockets, so work that goes on in
 * microtasks must stop by itself: each step asks `spent()`, and when it says so, what is left waits until the loop has
 * come round. Then the stages have their turn before the publishers that wait for it: what came in is worked off before
 * more comes in.
 *
 * Always the machine's own time: a loop that an injected clock believes idle still has to turn.
 */
export class Turn implements Calendar {
  private startedAt = -1;
  private lookedAt = 0;
  private steps = 0;
  private stride = 1;
  private over = false;
  private work: (() => void) | undefined;
  private following: Promise<true> | undefined;
  private resolveFollowing: ((value: true) => void) | undefined;
  private readonly origin = performance.timeOrigin;

  constructor(private readonly budgetMs: number) {}

  /** Milliseconds since the Unix epoch, as of the last look at the clock: at most a few steps ago. */
  get now(): number {
    if (this.startedAt < 0) this.look();
    return this.lookedAt;
  }

  /** Counts a step; whether the budget of this turn is used up. */
  spent(): boolean {
    if (++this.steps >= this.stride) this.look();
    return this.over;
  }

  /** Has this done first when the event loop has come round; the last one asked for, if there are several. */
  continueWith(work: () => void): void {
    this.work = work;
    if (this.startedAt < 0) this.look();
  }

  /** Resolves when the event loop has come round; the same promise for all that ask in one turn. */
  next(): Promise<true> {
    if (this.startedAt < 0) this.look();
    return (this.following ??= new Promise((resolve) => (this.resolveFollowing = resolve)));
  }

  private look(): void {
    const now = this.origin + performance.now();
    if (this.startedAt < 0) {
      this.startedAt = now;
      setImmediate(this.comeRound);
    } else {
      const slow = now - this.lookedAt > this.budgetMs * SLOW_SHARE;
      this.stride = slow ? 1 : Math.min(this.stride * 2, LONGEST_STRIDE);
      this.over = now - this.startedAt >= this.budgetMs;
    }
    this.lookedAt = now;
    this.steps = 0;
  }

  private readonly comeRound = (): void => {
    const { work, resolveFollowing } = this;
    this.startedAt = -1;
    this.over = false;
    this.steps = 0;
    this.work = this.following = this.resolveFollowing = undefined;
    work?.();
    resolveFollowing?.(true);
  };
}
