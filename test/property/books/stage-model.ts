import { Backpressure, Delivery } from '#engine';
import type { Entry, Letter, Run, Waiter } from './parts.js';
import type { StageScenario } from './scenario.js';

/** What a stage must contain and must have counted, in plain lists: no timers, no turns. */
export class StageModel {
  readonly queue: Entry[] = [];
  readonly running = new Map<string, Run>();
  readonly insiders: Waiter[] = [];
  readonly publishers: Waiter[] = [];
  readonly consumers: number[] = [];
  readonly counts = { offered: 0, enqueued: 0, delivered: 0, nacked: 0, deadLettered: 0 };
  readonly droppedBy: Record<string, number> = {};
  paused = false;
  held = false;
  /** Leases that wait for room at their next hop. */
  hopping = 0;
  /** Dead letters that a redrive has taken out. */
  borrowed = 0;
  /** When the bus closed: from then on nothing becomes due. */
  frozenAt = Number.POSITIVE_INFINITY;
  private sequence = 0;

  constructor(
    readonly scenario: StageScenario,
    readonly parks: boolean,
    public exists: boolean,
    private readonly now: () => number,
  ) {}

  get name(): string {
    return this.scenario.name;
  }

  get options(): StageScenario['options'] {
    return this.scenario.options;
  }

  get pubSub(): boolean {
    return this.options.delivery === Delivery.PubSub;
  }

  get evicts(): boolean {
    return this.options.backpressure === Backpressure.DropOldest;
  }

  get backoffMs(): number {
    return this.options.backoff?.delayMs ?? 0;
  }

  get timeoutMs(): number {
    return this.options.timeoutMs ?? Number.POSITIVE_INFINITY;
  }

  get hasRoom(): boolean {
    return this.queue.length + (this.evicts ? 0 : this.borrowed) < this.options.capacity;
  }

  get waiting(): number {
    return this.publishers.length + this.insiders.filter(({ hop }) => !hop).length;
  }

  get inFlight(): number {
    return this.running.size + this.hopping + this.borrowed;
  }

  get retrying(): number {
    return this.queue.filter((entry) => this.delayed(entry)).length;
  }

  get depth(): number {
    return this.queue.length - this.retrying;
  }

  get dropped(): number {
    return Object.values(this.droppedBy).reduce((sum, count) => sum + count, 0);
  }

  get idle(): boolean {
    const atRest = this.parks && this.consumers.length === 0 ? this.depth : this.queue.filter((e) => e.parked).length;
    return this.waiting === 0 && this.inFlight === 0 && this.retrying === 0 && this.depth === atRest;
  }

  /** Whether the stage itself would start one more. */
  get mayStart(): boolean {
    return !this.held && this.inFlight < this.options.concurrency && (this.consumers.length > 0 || !this.parks);
  }

  /** Those that could start now, by admission. */
  get ready(): Entry[] {
    return this.queue.filter((entry) => !entry.parked && !this.delayed(entry));
  }

  enqueue(letter: Letter, delayMs: number): void {
    this.counts.enqueued++;
    const dueAt = delayMs > 0 ? this.now() + delayMs : 0;
    this.queue.push({ letter, sequence: this.sequence++, dueAt, attempt: 0, parked: false, remaining: undefined });
  }

  /** Puts an entry back where its admission says. */
  putBack(entry: Entry): void {
    this.queue.push(entry);
    this.queue.sort((one, other) => one.sequence - other.sequence);
  }

  remove(entry: Entry): void {
    this.queue.splice(this.queue.indexOf(entry), 1);
  }

  /** The oldest that are no retry or delay; without one, the one due last. */
  oldest(count: number): Entry[] {
    return this.takeOldest(count, (entry) => !this.delayed(entry));
  }

  /** The oldest ones, if timers that are due at this very moment have not fired yet. */
  oldestBeforeTimers(count: number): Entry[] {
    return this.takeOldest(count, (entry) => entry.parked || entry.dueAt < this.now());
  }

  private takeOldest(count: number, waits: (entry: Entry) => boolean): Entry[] {
    const rest = [...this.queue];
    return Array.from({ length: count }, () => {
      const oldest = rest.find(waits) ?? dueLast(rest);
      rest.splice(rest.indexOf(oldest), 1);
      return oldest;
    });
  }

  isDeadLetter(letter: Letter): boolean {
    return this.parks && letter.source !== undefined;
  }

  /** Whether it stays here when the bus ends. */
  keeps({ letter, parked }: Entry): boolean {
    return (parked || this.consumers.length === 0) && this.isDeadLetter(letter);
  }

  /** How many timers there must be: one for all delays, one for each time limit. */
  get timers(): number {
    const limited = [...this.insiders, ...this.publishers].filter(({ deadline }) => Number.isFinite(deadline)).length;
    let attempts = 0;
    if (this.options.timeoutMs !== undefined) for (const { open } of this.running.values()) attempts += open.size;
    return (this.retrying > 0 ? 1 : 0) + limited + attempts;
  }

  /** Whether something would be lost if the bus closed now. */
  get unfinished(): boolean {
    return this.inFlight + this.insiders.length > 0 || this.queue.some((entry) => !this.keeps(entry));
  }

  private delayed(entry: Entry): boolean {
    return !entry.parked && entry.dueAt > Math.min(this.now(), this.frozenAt);
  }
}

function dueLast(entries: readonly Entry[]): Entry {
  return entries.reduce((last, entry) => (entry.dueAt >= last.dueAt ? entry : last));
}
