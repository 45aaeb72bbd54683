import { MinMaxHeap } from '../queue/min-max-heap.js';
import { type Entry, precedes } from './entry.js';

/** A place in the order of a stage: what comes after it may be on disk only. */
interface Horizon {
  readonly level: number;
  readonly sequence: number;
}

/**
 * What waits first, in memory. Every queued record up to the horizon is in the window, or leased; beyond it none is.
 * Without a horizon the window is all there is.
 */
export class Window {
  private readonly entries = new MinMaxHeap<Entry>(precedes);
  /** The last place of which the window knows everything; `undefined` when it knows all there is. */
  horizon: Horizon | undefined = undefined;

  constructor(private readonly size: number) {}

  get length(): number {
    return this.entries.size;
  }

  /** How many more it would hold. */
  get room(): number {
    return Math.max(1, this.size - this.entries.size);
  }

  /** Whether the entry has its place here; a window that is full learns that there is more than it holds. */
  admits(entry: Entry): boolean {
    if (this.horizon === undefined && this.entries.size >= this.size) {
      const { level, sequence } = this.entries.last as Entry;
      this.horizon = { level, sequence };
    }
    return this.horizon === undefined || entry.urgent || !isAfter(entry, this.horizon);
  }

  add(entry: Entry): void {
    this.entries.add(entry);
  }

  get first(): Entry | undefined {
    return this.entries.first;
  }

  takeFirst(): Entry | undefined {
    return this.entries.takeFirst();
  }

  /** The first that matches. O(log n) for each that does not and comes before it. */
  takeFirstWhere(matches: (entry: Entry) => boolean): Entry | undefined {
    const passed: Entry[] = [];
    let entry = this.entries.takeFirst();
    for (; entry !== undefined && !matches(entry); entry = this.entries.takeFirst()) passed.push(entry);
    for (const each of passed) this.entries.add(each);
    return entry;
  }

  /** Takes out all that match, in no order. O(n). */
  extract(matches: (entry: Entry) => boolean): Entry[] {
    return this.entries.extract(matches);
  }
}

function isAfter(entry: Entry, horizon: Horizon): boolean {
  return entry.level === horizon.level ? entry.sequence > horizon.sequence : entry.level < horizon.level;
}
