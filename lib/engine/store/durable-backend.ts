import type { Clock } from '../clock.js';
import type { EnvelopeShape } from '../envelope.js';
import type { Receipt } from '../intake/receipt.js';
import { type Lease, bySequence } from '../queue/lease.js';
import { Delayed } from '../queue/delayed.js';
import { Fifo } from '../queue/fifo.js';
import { isIntact } from './checksum.js';
import { Entry, type EntryOwner, Place } from './entry.js';
import type { EnvelopeCodec } from './envelope-codec.js';
import { StoreError } from './errors.js';
import type { Group, Journal } from './journal.js';
import { Space, type SpaceByte, following, queuedKey, rangeOf, readInteger } from './keys.js';
import { HEADER_BYTES, bodyOffset, readHeader } from './record.js';
import type { StageRecord } from './stage-record.js';
import { StoredLease } from './stored-lease.js';
import type { Volume, VolumeEntry } from './volume.js';
import { Window } from './window.js';

/** The urgency of all that does not say otherwise. */
const LEVEL = 4;
/** Records read at once. */
const PAGE = 256;

/** What a durable backend asks of its stage, and tells it. */
export interface DurableHost {
  /** How many attempts more could start now, were their leases here. */
  demand(): number;
  /** `take` may have something new to hand out. */
  wake(): void;
  /** A record is not what was written, or cannot be read any more: to be counted, told, and moved aside. */
  damaged(key: Uint8Array, error: StoreError): void;
}

/** What one stage of a store is made of. */
export interface DurableParts {
  readonly volume: Volume;
  readonly journal: Journal;
  readonly record: StageRecord;
  readonly codec: EnvelopeCodec;
  readonly clock: Clock;
  /** How many of the envelopes that wait are in memory, at most. */
  readonly windowSize: number;
}

/** What an earlier process has left, by what it was doing. */
export interface Recovered {
  readonly active: number;
  readonly queued: number;
  readonly delayed: number;
}

/**
 * The queue of a stage that outlives the process. What waits first is in the window; leases are made as many as could
 * start, when a group is made, and handed out when they are committed:
 *
 *     append ──► window ──(demand, a group is made)──► leased ──(stored)──► take
 *       │          ▲ refill                                                  │
 *       └──► on disk only          delayed ──due──► window ◄──── 'return' ───┤
 *                                                                 'park' ────┴► parked
 */
export class DurableBackend implements EntryOwner {
  readonly number: number;
  private readonly window: Window;
  private readonly leased = new Fifo<Entry>();
  private leasedAndStored = 0;
  private readonly delayed: Delayed<Entry>;
  private readonly kept = new Map<number, Entry>();
  /** All whose record is not, or will not be, what a refill may read. */
  private readonly live = new Map<number, Entry>();
  /** Beyond the horizon, and their records are on their way. */
  private readonly outside = new Set<Entry>();
  /** Of envelopes that are on disk only. */
  private readonly receipts = new Map<number, Receipt>();
  private queued = 0;
  /** Those that wait to be stored, and are not admitted before. */
  arriving = 0;
  /** Whether publishes were refused that still stand in the window or among the leases. */
  private someRefused = false;
  private closed = false;

  constructor(
    private readonly parts: DurableParts,
    private readonly host: DurableHost,
  ) {
    this.number = parts.record.number;
    this.window = new Window(parts.windowSize);
    this.delayed = new Delayed(
      parts.clock,
      (entry) => this.becomeDue(entry),
      () => this.wanted(),
    );
  }

  /** Queued and parked, leases that nobody has taken yet included. */
  get depth(): number {
    return this.queued + this.kept.size;
  }

  get retrying(): number {
    return this.delayed.size;
  }

  get parked(): number {
    return this.kept.size;
  }

  get ready(): boolean {
    return this.leasedAndStored > 0;
  }

  /** Takes over what an earlier process has left. Once, before anything else. */
  recover(): Recovered {
    this.window.horizon = { level: 9, sequence: -1 };
    const active = this.recoverAll(Space.Active, Place.Active, (entry) => {
      entry.urgent = true;
      this.place(entry);
    });
    const parked = this.recoverAll(Space.Parked, Place.Parked, (entry) => this.place(entry));
    const delayed = this.recoverAll(Space.Delayed, Place.Delayed, (entry) => {
      entry.bytes = undefined;
      this.delayed.add(entry);
    });
    const { queued } = this.parts.record.counts;
    this.queued += active + parked + queued;
    this.refill();
    this.wanted();
    return { active, queued: queued + parked, delayed };
  }

  /**
   * A publish comes in: it is admitted once it is stored.
   * @param arrival told which, once
   * @returns resolves when it is durable; `false` when it was refused
   * @throws PayloadError
   */
  append(
    envelope: EnvelopeShape,
    receipt: Receipt | undefined,
    dueAt: number,
    arrival: (accepted: boolean) => void,
  ): Promise<boolean> {
    const entry = this.make(envelope, receipt, dueAt);
    entry.arrival = arrival;
    this.arriving++;
    this.enter(entry);
    return this.parts.journal.accepted;
  }

  /**
   * Something that is admitted already comes in, and counts at once: it is written until it is stored.
   * @throws PayloadError
   */
  offer(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): void {
    const entry = this.make(envelope, receipt, dueAt);
    if (dueAt <= this.parts.clock.now()) this.queued++;
    this.enter(entry);
  }

  /** The stage could start more than before. */
  wanted(): void {
    if (this.window.length > 0 || this.window.horizon !== undefined) this.parts.journal.schedule();
  }

  /** A group is about to be made: leases as many as could start. */
  prepare(): void {
    if (this.closed) return;
    this.sweep();
    for (let wanted = this.host.demand() - this.leased.length; wanted > 0; wanted--) {
      if (this.window.length === 0) this.refill();
      const entry = this.window.takeFirst();
      if (entry === undefined) return;
      entry.place = Place.Active;
      entry.attempts++;
      this.leased.push(entry);
      this.parts.journal.add(entry);
    }
  }

  /** Hands out the next whose lease is committed. */
  take(): Lease | undefined {
    while (this.leasedAndStored > 0) {
      const entry = this.leased.shift() as Entry;
      this.leasedAndStored--;
      entry.leaseStored = false;
      entry.urgent = false;
      this.queued--;
      const lease = this.leaseOf(entry);
      if (lease !== undefined) return lease;
      this.end(entry);
    }
    return undefined;
  }

  /** Ends a lease. `return` charges the attempt, `relinquish` does not: it was interrupted. */
  settle(lease: Lease, settlement: 'done' | 'return' | 'park' | 'relinquish', dueAt = 0): void {
    const { entry } = lease as StoredLease;
    entry.remaining = lease.remaining;
    entry.error = lease.error;
    entry.attempts = settlement === 'relinquish' ? lease.attempt - 1 : lease.attempt;
    if (settlement === 'done') this.end(entry);
    else if (settlement === 'park') this.park(entry);
    else if (dueAt > this.parts.clock.now()) {
      entry.dueAt = dueAt;
      this.moveTo(entry, Place.Delayed);
      this.delayed.add(entry);
    } else {
      this.queued++;
      this.moveTo(entry, Place.Queued);
      this.place(entry);
    }
  }

  /** Gives back the leases that nobody has taken: the stage is held, or ends. */
  relinquish(): void {
    this.sweep();
    for (let entry = this.leased.shift(); entry !== undefined; entry = this.leased.shift()) {
      entry.leaseStored = false;
      entry.attempts--;
      this.moveTo(entry, Place.Queued);
      this.place(entry);
    }
    this.leasedAndStored = 0;
  }

  /** Cancels timers and gives leases back. What is here stays on disk. Twice is once. */
  close(): void {
    this.closed = true;
    this.delayed.close();
    this.relinquish();
  }

  moved(from: Place, to: Place, group?: Group): void {
    const { record } = this.parts;
    record.moved(from, to);
    group?.close(record.put);
  }

  stored(entry: Entry): void {
    const { arrival } = entry;
    if (arrival !== undefined) this.arrived(entry, arrival);
    if (entry.listed) return;
    if (entry.place === Place.Gone) this.live.delete(entry.sequence);
    else if (entry.place === Place.Active) this.leaseStored(entry);
    else if (entry.place !== Place.Queued) entry.bytes = undefined;
    else if (this.outside.has(entry)) this.settleOutside(entry);
  }

  refused(entry: Entry): boolean {
    const { arrival } = entry;
    if (arrival === undefined) return true;
    entry.arrival = undefined;
    this.arriving--;
    this.forget(entry);
    arrival(false);
    return false;
  }

  private make(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): Entry {
    const { codec, clock, record } = this.parts;
    const bytes = codec.encode(envelope, HEADER_BYTES);
    const now = clock.now();
    const entry = new Entry(this, record.nextSequence++, LEVEL, now, bytes);
    entry.receipt = receipt;
    if (dueAt > now) {
      entry.dueAt = dueAt;
      entry.place = Place.Delayed;
    }
    return entry;
  }

  private enter(entry: Entry): void {
    this.live.set(entry.sequence, entry);
    this.parts.journal.add(entry);
    // A delayed publish is one of those that wait for their time when it is stored.
    if (entry.place === Place.Queued) this.place(entry);
    else if (entry.arrival === undefined) this.delayed.add(entry);
  }

  private arrived(entry: Entry, arrival: (accepted: boolean) => void): void {
    entry.arrival = undefined;
    this.arriving--;
    if (entry.place === Place.Delayed) this.delayed.add(entry);
    else this.queued++;
    arrival(true);
  }

  private leaseStored(entry: Entry): void {
    if (entry.leaseStored || this.closed) return;
    entry.leaseStored = true;
    this.leasedAndStored++;
    this.host.wake();
  }

  /** Into the window, or out of memory as soon as its record says that it is queued. */
  private place(entry: Entry): void {
    entry.place = Place.Queued;
    if (this.window.admits(entry)) this.window.add(entry);
    else {
      this.outside.add(entry);
      if (entry.storedPlace !== Place.Queued) this.parts.journal.add(entry);
    }
  }

  private settleOutside(entry: Entry): void {
    this.outside.delete(entry);
    if (this.window.admits(entry)) this.window.add(entry);
    else this.fallOut(entry);
  }

  private fallOut(entry: Entry): void {
    this.live.delete(entry.sequence);
    if (entry.receipt !== undefined) this.receipts.set(entry.sequence, entry.receipt);
  }

  private moveTo(entry: Entry, place: Place): void {
    entry.place = place;
    this.parts.journal.add(entry);
  }

  private park(entry: Entry): void {
    this.moveTo(entry, Place.Parked);
    this.kept.set(entry.sequence, entry);
  }

  private end(entry: Entry): void {
    this.moveTo(entry, Place.Gone);
  }

  /** A publish that was refused leaves nothing behind; what it stands in is swept once for the whole group. */
  private forget(entry: Entry): void {
    this.live.delete(entry.sequence);
    this.outside.delete(entry);
    entry.place = Place.Gone;
    this.someRefused = true;
  }

  private sweep(): void {
    if (!this.someRefused) return;
    this.someRefused = false;
    this.window.extract(({ place }) => place === Place.Gone);
    for (let left = this.leased.length; left > 0; left--) {
      const entry = this.leased.shift() as Entry;
      if (entry.place !== Place.Gone) this.leased.push(entry);
    }
  }

  private leaseOf(entry: Entry): StoredLease | undefined {
    const { codec } = this.parts;
    try {
      const bytes = entry.bytes as Buffer;
      return new StoredLease(entry, codec.decode(bytes, bodyOffset(bytes)));
    } catch (error) {
      this.host.damaged(entry.storedKey as Uint8Array, error as StoreError);
      return undefined;
    }
  }

  /** Reads on from the horizon. What is in memory is not what the disk says, and is skipped. */
  private refill(): void {
    const { window } = this;
    while (window.horizon !== undefined && window.length === 0) {
      const { level, sequence } = window.horizon;
      const wanted = window.room;
      const [, end] = rangeOf(Space.Queued, this.number);
      const found = this.parts.volume.scan(following(queuedKey(this.number, level, sequence)), end, wanted);
      for (const each of found) this.readIn(each);
      const last = found.at(-1);
      if (last === undefined || found.length < wanted) window.horizon = undefined;
      else window.horizon = placeOf(last.key);
      this.comeIn();
    }
  }

  private readIn({ key, value }: VolumeEntry): void {
    const entry = this.entryFrom(key, value, Place.Queued);
    if (entry !== undefined) this.window.add(entry);
  }

  /** Those that waited outside and have their place in the window now. */
  private comeIn(): void {
    for (const entry of [...this.outside].toSorted(bySequence)) {
      if (!this.window.admits(entry)) continue;
      this.outside.delete(entry);
      this.window.add(entry);
    }
  }

  private recoverAll(space: SpaceByte, place: Place, take: (entry: Entry) => void): number {
    const [first, end] = rangeOf(space, this.number);
    let recovered = 0;
    for (let from = first, found = [] as VolumeEntry[]; ; from = following((found.at(-1) as VolumeEntry).key)) {
      found = this.parts.volume.scan(from, end, PAGE);
      for (const { key, value } of found) {
        const entry = this.entryFrom(key, value, place);
        if (entry === undefined) continue;
        take(entry);
        recovered++;
      }
      if (found.length < PAGE) return recovered;
    }
  }

  /** `undefined` for one that is in memory, and for one that is damaged. */
  private entryFrom(key: Uint8Array, value: Uint8Array, place: Place): Entry | undefined {
    const bytes = bufferOf(value);
    const facts = isIntact(key, value) ? readHeader(bytes) : undefined;
    if (facts === undefined) {
      if (place === Place.Queued) this.queued--;
      this.host.damaged(key, notAsWritten());
      return undefined;
    }
    if (this.live.has(facts.sequence)) return undefined;
    const entry = new Entry(this, facts.sequence, facts.level, facts.admittedAt, bytes);
    entry.attempts = facts.attempts;
    entry.dueAt = facts.notBefore;
    entry.storedKey = key;
    entry.place = entry.storedPlace = place;
    entry.receipt = this.receipts.get(facts.sequence);
    this.receipts.delete(facts.sequence);
    this.live.set(facts.sequence, entry);
    return entry;
  }

  private becomeDue(entry: Entry): void {
    if (entry.bytes === undefined && !this.load(entry)) return;
    this.queued++;
    this.place(entry);
  }

  /** Reads in what is on disk only; `false` for a record that is damaged or gone. */
  private load(entry: Entry): boolean {
    const key = entry.storedKey as Uint8Array;
    const value = this.parts.volume.get(key);
    if (value !== undefined && isIntact(key, value)) {
      entry.bytes = bufferOf(value);
      return true;
    }
    this.live.delete(entry.sequence);
    this.host.damaged(key, notAsWritten());
    return false;
  }
}

/** Where a queued record is in the order. */
function placeOf(key: Uint8Array): { level: number; sequence: number } {
  return { level: 9 - (key[5] as number), sequence: readInteger(key, 6) };
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function notAsWritten(): StoreError {
  return new StoreError('A record is not what was written.');
}
