import type { Lease } from '../queue/lease.js';

/** A lease in flight, from its start to its settlement: an attempt, or for pub/sub several side by side. */
export abstract class Execution {
  /** Whether it counts against the bus-wide limit now; not while it waits for room somewhere. */
  holdsPermit = true;
  /** How many publishes of its handler wait for room: as long as one does, others use the permit. */
  publishing = 0;
  /** Whether there is a verdict, or none will come. */
  concluded = false;
  /** Whether it stands in its stage's list of executions that wait for a handler, and the links of that list. */
  listed = false;
  previous: Execution | undefined = undefined;
  next: Execution | undefined = undefined;

  constructor(readonly lease: Lease) {}

  /** Ends it without a verdict: signals are aborted, later results ignored. Twice is once. */
  abstract interrupt(): void;

  /** Undoes what the handler did to the slip. */
  abstract restoreSlip(): void;
}

/** Those that wait for a handler. Adding and removing is O(1). */
export class Executions {
  private head: Execution | undefined;

  add(execution: Execution): void {
    execution.listed = true;
    execution.next = this.head;
    if (this.head !== undefined) this.head.previous = execution;
    this.head = execution;
  }

  /** An execution that is not in the list is ignored. */
  remove(execution: Execution): void {
    if (!execution.listed) return;
    execution.listed = false;
    if (execution.previous === undefined) this.head = execution.next;
    else execution.previous.next = execution.next;
    if (execution.next !== undefined) execution.next.previous = execution.previous;
    execution.previous = execution.next = undefined;
  }

  /** Takes one out, in no order. */
  take(): Execution | undefined {
    const execution = this.head;
    if (execution !== undefined) this.remove(execution);
    return execution;
  }
}
