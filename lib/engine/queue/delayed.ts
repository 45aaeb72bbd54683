import type { Clock, TimerHandle } from '../clock.js';
import { type Due, inOrderOfDueTime } from './lease.js';
import { MinMaxHeap } from './min-max-heap.js';

/** What waits for points in time: a heap, and one timer for the earliest. */
export class Delayed<T extends Due> {
  private readonly heap = new MinMaxHeap<T>(inOrderOfDueTime);
  private timer: TimerHandle = undefined;
  private timerDueAt = Number.POSITIVE_INFINITY;
  private closed = false;

  /**
   * @param due given each whose time has come, the earliest first
   * @param settled called when all that were due have been given
   */
  constructor(
    private readonly clock: Clock,
    private readonly due: (item: T) => void,
    private readonly settled: () => void,
  ) {}

  get size(): number {
    return this.heap.size;
  }

  add(item: T): void {
    this.heap.add(item);
    this.setTimer();
  }

  /** The one that is due last. */
  takeLast(): T | undefined {
    const item = this.heap.takeLast();
    this.stopIdleTimer();
    return item;
  }

  /** Takes out all that match, in no order. O(n). */
  extract(matches: (item: T) => boolean): T[] {
    const taken = this.heap.extract(matches);
    this.stopIdleTimer();
    return taken;
  }

  /** In no order. */
  [Symbol.iterator](): Iterator<T> {
    return this.heap[Symbol.iterator]();
  }

  /** Cancels the timer for good; what waits stays. Twice is once. */
  close(): void {
    this.closed = true;
    this.clearTimer();
  }

  private stopIdleTimer(): void {
    if (this.heap.size === 0) this.clearTimer();
  }

  /** It may fire early, and what it was set for may have been taken out: then it is set again. */
  private setTimer(): void {
    const { first } = this.heap;
    if (this.closed || first === undefined || first.dueAt >= this.timerDueAt) return;
    this.clearTimer();
    this.timerDueAt = first.dueAt;
    this.timer = this.clock.setTimeout(this.fire, Math.max(0, first.dueAt - this.clock.now()));
  }

  private readonly fire = (): void => {
    this.timer = undefined;
    this.timerDueAt = Number.POSITIVE_INFINITY;
    const now = this.clock.now();
    for (let { first } = this.heap; first !== undefined && first.dueAt <= now; { first } = this.heap) {
      this.heap.takeFirst();
      this.due(first);
    }
    this.setTimer();
    this.settled();
  };

  private clearTimer(): void {
    if (this.timer !== undefined) this.clock.clearTimeout(this.timer);
    this.timer = undefined;
    this.timerDueAt = Number.POSITIVE_INFINITY;
  }
}
