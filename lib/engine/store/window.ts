import { Fifo } from '../queue/fifo.js';
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
  /** Those that came in order, which most do. */
  private readonly line = new Fifo<Entry>();
  /** The others: those that returned, and those that an earlier process had in flight. */
  private readonly others = new MinMaxHeap<Entry>(precedes);
  /** The last one of the line. */
  private latest: Entry | undefined = undefined;
  /** The last place of which the window knows everything; `undefined` when it knows all there is. */
  horizon: Horizon | undefined = undefined;

  constructor(private readonly size: number) {}

  get length(): number {
    return this.line.length + this.others.size;
  }

  /** How many more it would hold. */
  get room(): number {
    return Math.max(1, this.size - this.length);
  }

  get first(): Entry | undefined {
    const { head } = this.line;
    const { first } = this.others;
    if (head === undefined || first === undefined) return head ?? first;
    return precedes(first, head) ? first : head;
  }

  /** Whether the entry has its place here; a window that is full learns that there is more than it holds. */
  admits(entry: Entry): boolean {
    if (this.horizon === undefined && this.length >= this.size) {
      const { level, sequence } = this.last;
      this.horizon = { level, sequence };
    }
    return this.horizon === undefined || entry.urgent || !isAfter(entry, this.horizon);
  }

  add(entry: Entry): void {
    const { latest } = this;
    if (this.line.length > 0 && (latest === undefined || !precedes(latest, entry))) {
      this.others.add(entry);
      return;
    }
    this.line.push(entry);
    this.latest = entry;
  }

  takeFirst(): Entry | undefined {
    const { first } = this;
    return first !== undefined && first === this.line.head ? this.line.shift() : this.others.takeFirst();
  }

  /** The first that matches. O(log n) for each that does not and comes before it. */
  takeFirstWhere(matches: (entry: Entry) => boolean): Entry | undefined {
    const passed: Entry[] = [];
    let entry = this.takeFirst();
    for (; entry !== undefined && !matches(entry); entry = this.takeFirst()) passed.push(entry);
    for (const each of passed) this.others.add(each);
    return entry;
  }

  /** Takes out all that match, in no order. O(n). */
  extract(matches: (entry: Entry) => boolean): Entry[] {
    const taken = this.others.extract(matches);
    for (let left = this.line.length; left > 0; left--) {
      const entry = this.line.shift() as Entry;
      if (matches(entry)) taken.push(entry);
      else this.line.push(entry);
    }
    return taken;
  }

  /** Only of a window that has something. */
  private get last(): Entry {
    const { last } = this.others;
    const latest = this.line.length > 0 ? (this.latest as Entry) : undefined;
    if (latest === undefined || last === undefined) return (latest ?? last) as Entry;
    return precedes(latest, last) ? last : latest;
  }
}

function isAfter(entry: Entry, horizon: Horizon): boolean {
  return entry.level === horizon.level ? entry.sequence > horizon.sequence : entry.level < horizon.level;
}
