import type { Lease } from '../queue/lease.js';

/** A lease in flight, from its start to its settlement: an attempt, or for pub/sub several side by side. */
export abstract class Execution {
  /** Whether it counts against the bus-wide limit now; not while it waits for room somewhere. */
  holdsPermit = true;
  /** Whether there is a verdict, or none will come. */
  concluded = false;
  /** Its place among those of its stage that wait for a handler. */
  place: Place | undefined = undefined;

  constructor(readonly lease: Lease) {}

  /** Ends it without a verdict: signals are aborted, later results ignored. Twice is once. */
  abstract interrupt(): void;

  /** Undoes what the handler did to the slip. */
  abstract restoreSlip(): void;
}

interface Place {
  readonly execution: Execution;
  previous: Place | undefined;
  next: Place | undefined;
}

/** Those that wait for a handler: a list with links in both directions. Adding and removing is O(1). */
export class Executions {
  private head: Place | undefined;

  add(execution: Execution): void {
    const place: Place = { execution, previous: undefined, next: this.head };
    if (this.head !== undefined) this.head.previous = place;
    this.head = execution.place = place;
  }

  /** An execution that is not in the list is ignored. */
  remove(execution: Execution): void {
    const { place } = execution;
    if (place === undefined) return;
    execution.place = undefined;
    if (place.previous === undefined) this.head = place.next;
    else place.previous.next = place.next;
    if (place.next !== undefined) place.next.previous = place.previous;
  }

  /** Takes one out, in no order. */
  take(): Execution | undefined {
    const execution = this.head?.execution;
    if (execution !== undefined) this.remove(execution);
    return execution;
  }
}
