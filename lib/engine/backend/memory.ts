import { type Calendar, type Clock, ExactCalendar } from '../clock.js';
import type { EnvelopeShape } from '../envelope.js';
import { Delayed } from '../queue/delayed.js';
import { Lease, bySequence, inOrderOfAdmission } from '../queue/lease.js';
import { MinMaxHeap } from '../queue/min-max-heap.js';
import { Ring } from '../queue/ring.js';
import type { Receipt } from '../intake/receipt.js';
import type { Backend, BackendHost, Capabilities, Settlement } from './backend.js';

const CAPABILITIES: Capabilities = Object.freeze({
  survivesRestart: false,
  answersAtOnce: true,
  delay: true,
  discardOldest: true,
  ordering: 'fifo',
  capacity: 'exact',
});

/**
 * The queue in the heap of the process. New envelopes go through a ring; those that come back wait in heaps:
 *
 *     offer ──► ring ────────────────┐
 *       │                            ├──► take (the lower sequence number)
 *       └─► delayed ──due──► returned┘
 *                 ▲              ▲
 *     settle ─────┴── 'return' ──┘        'park' ──► parked
 */
export class MemoryBackend implements Backend {
  readonly capabilities = CAPABILITIES;
  private readonly ring = new Ring();
  private readonly returned = new MinMaxHeap<Lease>(inOrderOfAdmission);
  private readonly delayed: Delayed<Lease>;
  private readonly kept = new MinMaxHeap<Lease>(inOrderOfAdmission);
  private sequence = 0;
  private wake: () => void = () => undefined;

  /** @param calendar what admissions are dated with; may be a little behind the clock */
  constructor(
    private readonly clock: Clock,
    private readonly calendar: Calendar = new ExactCalendar(clock),
  ) {
    this.delayed = new Delayed(
      clock,
      (lease) => this.returned.add(lease),
      () => this.ready && this.wake(),
    );
  }

  get depth(): number {
    return this.ring.length + this.returned.size + this.kept.size;
  }

  get retrying(): number {
    return this.delayed.size;
  }

  get parked(): number {
    return this.kept.size;
  }

  get ready(): boolean {
    return this.ring.length > 0 || this.returned.size > 0;
  }

  get oldestAdmittedAt(): number | undefined {
    let oldest = this.ring.headAdmittedAt;
    for (const { first } of [this.returned, this.kept])
      if (first !== undefined) oldest = Math.min(oldest, first.admittedAt);
    return oldest === Number.POSITIVE_INFINITY ? undefined : oldest;
  }

  open(host: BackendHost): void {
    this.wake = () => host.wake();
  }

  offer(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): void {
    const { now } = this.calendar;
    if (dueAt > now) this.delay(new Lease(envelope, this.sequence++, now, receipt), dueAt);
    else this.ring.push(envelope, this.sequence++, now, receipt);
  }

  take(): Lease | undefined {
    const lease = this.returnedIsNext() ? this.returned.takeFirst() : this.ring.shift();
    if (lease !== undefined) lease.attempt++;
    return lease;
  }

  settle(lease: Lease, settlement: Settlement, dueAt = 0): void {
    if (settlement === 'done' || settlement === 'discard') return;
    lease.parked = settlement === 'park';
    if (lease.parked) this.kept.add(lease);
    else this.delay(lease, dueAt);
  }

  evictOldest(): Lease | undefined {
    const parked = this.kept.first?.sequence ?? Number.POSITIVE_INFINITY;
    const returned = this.returned.first?.sequence ?? Number.POSITIVE_INFINITY;
    const queued = this.ring.headSequence;
    if (queued < returned && queued < parked) return this.ring.shift();
    return (returned < parked ? this.returned : this.kept).takeFirst() ?? this.delayed.takeLast();
  }

  takeWhere(matches: (lease: Lease) => boolean): Lease[] {
    const taken = [this.ring, this.returned, this.delayed, this.kept].flatMap((queue) => queue.extract(matches));
    return taken.toSorted(bySequence);
  }

  list(after: number, matches: (lease: Lease) => boolean, limit: number): Lease[] {
    const all = [...this.ring, ...this.returned, ...this.delayed, ...this.kept];
    return all
      .filter((lease) => lease.sequence > after && matches(lease))
      .toSorted(bySequence)
      .slice(0, limit);
  }

  close(): void {
    this.delayed.close();
  }

  private returnedIsNext(): boolean {
    return this.returned.size > 0 && (this.returned.first as Lease).sequence < this.ring.headSequence;
  }

  private delay(lease: Lease, dueAt: number): void {
    if (dueAt <= this.clock.now()) {
      this.returned.add(lease);
      return;
    }
    lease.dueAt = dueAt;
    this.delayed.add(lease);
  }
}
