import { Fifo } from '../queue/fifo.js';

/**
 * The bus-wide right to run attempts: an integer, and a line of those who gave theirs back for a while and want it
 * again before any new attempt starts.
 */
export class Permits {
  private used = 0;
  private readonly returning = new Fifo<() => void>();

  /** @param freed called when a permit is free and nobody is waiting to take it again */
  constructor(
    private readonly limit: number,
    private readonly freed: () => void,
  ) {}

  get available(): boolean {
    return this.used < this.limit && this.returning.length === 0;
  }

  /** How many attempts more could start now. */
  get free(): number {
    return this.available ? this.limit - this.used : 0;
  }

  acquire(): void {
    this.used++;
  }

  release(): void {
    const wasFull = this.used-- === this.limit;
    if (!wasFull) return;
    const next = this.returning.shift();
    if (next === undefined) this.freed();
    else this.grant(next);
  }

  /** Takes a permit again, now or ahead of all new attempts, and then calls `granted`. */
  retake(granted: () => void): void {
    if (this.used < this.limit) this.grant(granted);
    else this.returning.push(granted);
  }

  private grant(granted: () => void): void {
    this.used++;
    granted();
  }
}
