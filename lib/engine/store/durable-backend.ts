import { hash } from 'node:crypto';
import type {
  Arrival,
  BackendHost,
  Capabilities,
  Recovered,
  Service,
  Settlement,
  StoringBackend,
} from '../backend/backend.js';
import type { Clock } from '../clock.js';
import { nextStage, remainingRoutes } from '../delivery/itinerary.js';
import type { EnvelopeShape } from '../envelope.js';
import { NotStartedError } from '../errors.js';
import type { Custody, Receipt } from '../intake/receipt.js';
import { Delayed } from '../queue/delayed.js';
import { Fifo } from '../queue/fifo.js';
import { type Lease, bySequence, inOrderOfAdmission } from '../queue/lease.js';
import { MinMaxHeap } from '../queue/min-max-heap.js';
import { Entry, type EntryOwner, Place } from './entry.js';
import type { EnvelopeCodec } from './envelope-codec.js';
import { StoreError } from './errors.js';
import { History } from './history.js';
import type { Group, Journal } from './journal.js';
import { Space, custodyKey, queuedKey, readInteger } from './keys.js';
import { DIGEST_BYTES, HEADER_BYTES, beginRecord, bodyOffset, writeHeader } from './record.js';
import { StageReader, entryOf } from './stage-reader.js';
import type { PlaceCounts, StageRecord } from './stage-record.js';
import { StoredCustody } from './stored-custody.js';
import { StoredLease } from './stored-lease.js';
import type { Volume, VolumeEntry } from './volume.js';
import { Window } from './window.js';

const CAPABILITIES: Capabilities = Object.freeze({
  survivesRestart: true,
  answersAtOnce: false,
  delay: true,
  discardOldest: true,
  ordering: 'fifo',
  capacity: 'exact',
});

/** The urgency of all that does not say otherwise. */
const LEVEL = 4;

/** So many bytes of what waits on the disk are leased in one group, and one record more. */
const MOST_LEASED_BYTES = 2 ** 20;

const UNASKED: Service = Object.freeze({ atMostOnce: false, digest: undefined });

/** What a durable stage is before its store is open. */
export interface DurableTerms {
  readonly codec: EnvelopeCodec;
  readonly clock: Clock;
  /** How many of the envelopes that wait are in memory, at most. */
  readonly windowSize: number;
  /** How many delivered envelopes are remembered. */
  readonly historySize: number;
  /** Whether what an earlier process has left waits until somebody asks for it. */
  readonly manualReplay: boolean;
}

/** What the store gives one of its stages. */
export interface DurableParts {
  readonly volume: Volume;
  readonly journal: Journal;
  readonly record: StageRecord;
  /** Puts a record that is not what was written where it hurts nobody, with the next group. */
  setAside(key: Uint8Array): void;
  /** Writes the counts of the stage record with the next group. */
  recount(): void;
}

interface Attached extends DurableParts {
  readonly reader: StageReader;
  readonly history: History;
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
export class DurableBackend implements StoringBackend, EntryOwner {
  readonly capabilities = CAPABILITIES;
  private readonly window: Window;
  private readonly leased = new Fifo<Entry>();
  private leasedAndStored = 0;
  private readonly delayed: Delayed<Entry>;
  private readonly kept = new MinMaxHeap<Entry>(inOrderOfAdmission);
  /** All whose record is not, or will not be, what a refill may read. */
  private readonly live = new Map<number, Entry>();
  /** Beyond the horizon, and their records are on their way. */
  private readonly outside = new Set<Entry>();
  /** Of envelopes that are on disk only. */
  private readonly receiptsOnDisk = new Map<number, Receipt>();
  private queued = 0;
  arriving = 0;
  /** Whether publishes were refused that still stand in the window or among the leases. */
  private someRefused = false;
  private closed = false;
  private attached: Attached | undefined = undefined;
  /** What an earlier process has left and nobody has asked for yet, and the first sequence that is not of it. */
  private withheld: PlaceCounts = NOTHING;
  private boundary = 0;
  private host: BackendHost = NOBODY;

  constructor(private readonly terms: DurableTerms) {
    this.window = new Window(terms.windowSize);
    this.delayed = new Delayed(
      terms.clock,
      (entry) => this.becomeDue(entry),
      () => this.wanted(),
    );
  }

  get number(): number {
    return this.parts.record.number;
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

  get full(): boolean {
    return this.attached?.journal.full ?? false;
  }

  get oldestAdmittedAt(): number | undefined {
    if (this.depth === 0) return undefined;
    if (this.queued > 0 && this.leased.length === 0 && this.window.length === 0) this.refill();
    const first = [this.leased.head, this.window.first, this.kept.first].map(
      (entry) => entry?.admittedAt ?? Number.POSITIVE_INFINITY,
    );
    const oldest = Math.min(...first);
    return oldest === Number.POSITIVE_INFINITY ? undefined : oldest;
  }

  open(host: BackendHost): void {
    this.host = host;
  }

  /** Its store is open: takes over what an earlier process has left. Once. */
  attach(parts: DurableParts): Recovered {
    const { volume, record } = parts;
    const reader = new StageReader(volume, record.number);
    this.attached = { ...parts, reader, history: new History(volume, record, this.terms.historySize) };
    this.boundary = record.nextSequence;
    this.withheld = { ...record.counts };
    if (!this.terms.manualReplay) return this.replay();
    this.window.horizon = { level: LEVEL, sequence: this.boundary - 1 };
    return { active: 0, queued: 0, delayed: 0 };
  }

  /** How many an earlier process has left that nobody has asked for yet. */
  get unprocessed(): number {
    const { queued, delayed, parked, active } = this.withheld;
    return queued + delayed + parked + active;
  }

  isOfEarlierProcess(lease: Lease): boolean {
    return lease.sequence < this.boundary;
  }

  replay(): Recovered {
    if (this.closed) return { active: 0, queued: 0, delayed: 0 };
    const { queued } = this.withheld;
    this.emptyWindow();
    this.window.horizon = { level: 9, sequence: -1 };
    const active = this.recoverAll(Space.Active, (entry) => {
      entry.urgent = true;
      this.place(entry);
    });
    const parked = this.recoverAll(Space.Parked, (entry) => this.place(entry));
    const delayed = this.recoverAll(Space.Delayed, (entry) => {
      entry.bytes = undefined;
      this.delayed.add(entry);
    });
    const before = this.queued;
    this.queued += active + parked + queued;
    this.withheld = NOTHING;
    this.refill();
    this.wanted();
    return { active, queued: this.queued - before - active, delayed };
  }

  listUnprocessed(after: number, limit: number): Lease[] {
    if (this.unprocessed === 0 || this.closed) return [];
    const { reader } = this.parts;
    const few = [Space.Active, Space.Parked, Space.Delayed].flatMap((space) => [...reader.records(space)]);
    const from = queuedKey(this.number, LEVEL, Math.max(0, after + 1));
    const found: Lease[] = [];
    const isMeant = (entry: Entry | undefined): entry is Entry =>
      entry !== undefined && entry.sequence > after && entry.sequence < this.boundary && !this.live.has(entry.sequence);
    const rest = few
      .map((record) => entryOf(this, record))
      .filter(isMeant)
      .toSorted(bySequence);
    const take = (entry: Entry): void => {
      const lease = this.leaseOf(entry);
      if (lease !== undefined) found.push(lease);
    };
    for (const record of reader.records(Space.Queued, from)) {
      const entry = entryOf(this, record);
      if (found.length >= limit || entry === undefined || entry.sequence >= this.boundary) break;
      while (rest.length > 0 && (rest[0] as Entry).sequence < entry.sequence) take(rest.shift() as Entry);
      take(entry);
    }
    while (found.length < limit && rest.length > 0) take(rest.shift() as Entry);
    return found.slice(0, limit);
  }

  append(arrival: Arrival, told: (refusal: Error | undefined) => void): Promise<boolean> {
    const { journal } = this.parts;
    const entry = this.make(arrival);
    entry.arrival = told;
    this.arriving++;
    this.enter(entry);
    return journal.accepted;
  }

  admit(arrival: Arrival): void {
    const entry = this.make(arrival);
    if (entry.place === Place.Queued) this.queued++;
    this.enter(entry);
  }

  offer(envelope: EnvelopeShape, receipt: Receipt | undefined, dueAt: number): void {
    this.admit({ envelope, receipt, dueAt, service: UNASKED });
  }

  check(envelope: EnvelopeShape): void {
    this.terms.codec.encode(envelope, 0);
  }

  digestOf(envelope: EnvelopeShape): Uint8Array {
    const text = `${envelope.id}\0${remainingRoutes(envelope)}\0${nextStage(envelope) ?? ''}`;
    return Buffer.from(hash('sha256', text, 'hex').slice(0, 2 * DIGEST_BYTES), 'hex');
  }

  knows(digest: Uint8Array): boolean {
    return this.parts.history.knows(digest);
  }

  known(digest: Uint8Array): Promise<boolean> {
    const { journal, history } = this.parts;
    if (history.isArriving(digest)) return journal.lastAccepted;
    return new Promise((resolve) => journal.afterwards(resolve));
  }

  wanted(): void {
    if (this.window.length > 0 || this.window.horizon !== undefined) this.attached?.journal.schedule();
  }

  /** A group is about to be made: leases as many as could start. */
  prepare(): void {
    if (this.closed) return;
    this.sweep();
    let bytes = 0;
    // A lease is a copy: on a disk without room, what it takes comes out of a reserve.
    for (let wanted = this.host.demand() - this.leased.length; wanted > 0 && bytes < MOST_LEASED_BYTES; wanted--) {
      if (this.window.length === 0) this.refill();
      const entry = this.window.takeFirst();
      if (entry === undefined) return;
      if (entry.known) bytes += (entry.bytes as Buffer).length;
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
      entry.out = true;
      const lease = this.leaseOf(entry);
      if (lease !== undefined) return lease;
    }
    return undefined;
  }

  settle(lease: Lease, settlement: Settlement, dueAt = 0): void {
    const { entry } = lease as StoredLease;
    entry.out = false;
    entry.remaining = lease.remaining;
    entry.error = lease.error;
    entry.attempts = settlement === 'relinquish' ? lease.attempt - 1 : lease.attempt;
    entry.delivered = settlement === 'done';
    if (settlement === 'done' || settlement === 'discard') this.moveTo(entry, Place.Gone);
    else if (settlement === 'park') this.park(entry);
    else if (dueAt > this.terms.clock.now()) {
      entry.dueAt = dueAt;
      this.moveTo(entry, Place.Delayed);
      this.delayed.add(entry);
    } else {
      this.queued++;
      this.moveTo(entry, Place.Queued);
      this.place(entry);
    }
  }

  /** What has its lease is as good as started, and goes only when nothing else waits. */
  evictOldest(): Lease | undefined {
    this.sweep();
    for (;;) {
      const entry = this.takeOldest();
      if (entry === undefined) return undefined;
      entry.out = true;
      const lease = this.leaseOf(entry);
      if (lease === undefined) continue;
      this.moveTo(entry, Place.Gone);
      return lease;
    }
  }

  takeWhere(matches: (lease: Lease) => boolean): Lease[] {
    const taken: StoredLease[] = [];
    for (const entry of this.inOrder(Number.NEGATIVE_INFINITY)) {
      const lease = this.leaseOf(entry);
      if (lease !== undefined && matches(lease)) taken.push(lease);
    }
    this.takeOut(new Set(taken.map(({ entry }) => entry)));
    for (const lease of taken) {
      const { entry } = lease;
      lease.attempt = entry.attempts;
      entry.bytes ??= this.bytesOf(entry);
    }
    return taken;
  }

  list(after: number, matches: (lease: Lease) => boolean, limit: number): Lease[] {
    const found: Lease[] = [];
    for (const entry of this.inOrder(after)) {
      if (found.length === limit) break;
      const lease = this.leaseOf(entry);
      if (lease === undefined) continue;
      if (entry.place === Place.Active) lease.attempt--;
      if (matches(lease)) found.push(lease);
    }
    return found;
  }

  pristine(lease: Lease): EnvelopeShape {
    const { bytes } = (lease as StoredLease).entry;
    const { codec } = this.terms;
    return bytes === undefined ? lease.envelope : codec.decode(bytes, bodyOffset(bytes));
  }

  afterwards(told: (durable: boolean) => void): void {
    this.parts.journal.afterwards(told);
  }

  entrust(lease: Lease): Custody {
    const { entry } = lease as StoredLease;
    const { sequence, level, admittedAt } = entry;
    const bytes = this.terms.codec.encode(lease.envelope, HEADER_BYTES);
    const facts = { leased: false, atMostOnce: false, attempts: 0, notBefore: 0, expiresAt: 0, digest: undefined };
    writeHeader(bytes, { ...facts, sequence, level, admittedAt });
    return new StoredCustody(this.parts.journal, custodyKey(this.number, sequence), bytes);
  }

  /** What left this stage for one in memory, and had not come further when the process ended. */
  *entrusted(): Generator<readonly [EnvelopeShape, Custody]> {
    const { reader, journal } = this.parts;
    for (const { key } of reader.records(Space.Custody)) {
      const bytes = reader.intact(key);
      if (bytes === undefined) this.setAside(key);
      else yield [this.terms.codec.decode(bytes, bodyOffset(bytes)), new StoredCustody(journal, key, undefined)];
    }
  }

  *receipts(): Generator<readonly [Receipt, EnvelopeShape]> {
    for (const entry of this.live.values()) {
      if (entry.receipt === undefined || entry.out || entry.place === Place.Gone) continue;
      const lease = this.leaseOf(entry);
      if (lease !== undefined) yield [entry.receipt, lease.envelope];
    }
    for (const [sequence, receipt] of this.receiptsOnDisk) {
      const bytes = this.parts.reader.intact(queuedKey(this.number, LEVEL, sequence));
      if (bytes !== undefined) yield [receipt, this.terms.codec.decode(bytes, bodyOffset(bytes))];
    }
  }

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

  moving(entry: Entry, from: Place, to: Place, group: Group): void {
    const { record, history } = this.parts;
    record.moved(from, to);
    group.close(record.put);
    const { digest } = entry;
    if (digest === undefined) return;
    if (!entry.known && entry.place !== Place.Gone) history.remember(digest, group);
    if (entry.place !== Place.Gone) return;
    if (entry.delivered) history.order(digest, group);
    else history.forget(digest, group);
  }

  movedBack(from: Place, to: Place): void {
    this.parts.record.moved(from, to);
  }

  stored(entry: Entry): void {
    const { arrival } = entry;
    if (!entry.known) this.becomeKnown(entry);
    if (arrival !== undefined) this.arrived(entry, arrival);
    if (entry.listed) return;
    if (entry.place === Place.Gone) this.live.delete(entry.sequence);
    else if (entry.place === Place.Active) this.leaseStored(entry);
    else if (entry.out) return;
    else if (entry.place !== Place.Queued) entry.bytes = undefined;
    else if (this.outside.has(entry)) this.settleOutside(entry);
  }

  refused(entry: Entry, error: StoreError): boolean {
    const { arrival } = entry;
    if (arrival === undefined) return true;
    entry.arrival = undefined;
    this.arriving--;
    this.forget(entry);
    arrival(error);
    return false;
  }

  private get parts(): Attached {
    if (this.attached === undefined) throw new NotStartedError('Publishing to a durable stage');
    return this.attached;
  }

  private make({ envelope, receipt, dueAt, service }: Arrival): Entry {
    const { record } = this.parts;
    const { codec, clock } = this.terms;
    const bytes = beginRecord(codec.encode(envelope, HEADER_BYTES));
    const now = clock.now();
    const entry = new Entry(this, record.nextSequence++, LEVEL, now, bytes);
    entry.receipt = receipt;
    entry.atMostOnce = service.atMostOnce;
    entry.digest = service.digest;
    if (dueAt > now) {
      entry.dueAt = dueAt;
      entry.place = Place.Delayed;
    }
    return entry;
  }

  private enter(entry: Entry): void {
    const { journal, history } = this.parts;
    if (entry.digest !== undefined) history.arrives(entry.digest);
    this.live.set(entry.sequence, entry);
    journal.add(entry);
    // A delayed publish is one of those that wait for their time when it is stored.
    if (entry.place === Place.Queued) this.place(entry);
    else if (entry.arrival === undefined) this.delayed.add(entry);
  }

  private arrived(entry: Entry, arrival: (refusal: Error | undefined) => void): void {
    entry.arrival = undefined;
    this.arriving--;
    if (entry.place === Place.Delayed) this.delayed.add(entry);
    else this.queued++;
    arrival(undefined);
  }

  private becomeKnown(entry: Entry): void {
    entry.known = true;
    if (entry.digest !== undefined) this.parts.history.arrived(entry.digest);
  }

  private leaseStored(entry: Entry): void {
    if (entry.leaseStored || entry.out || this.closed) return;
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
    if (entry.receipt !== undefined) this.receiptsOnDisk.set(entry.sequence, entry.receipt);
  }

  /** All of it goes to the disk, or will when it is stored: the window begins anew. */
  private emptyWindow(): void {
    for (const entry of this.window.extract(() => true)) {
      const isOnDisk = entry.storedPlace === Place.Queued && !entry.listed && entry.arrival === undefined;
      if (isOnDisk) this.fallOut(entry);
      else {
        this.outside.add(entry);
        if (entry.storedPlace !== Place.Queued) this.parts.journal.add(entry);
      }
    }
  }

  private moveTo(entry: Entry, place: Place): void {
    entry.place = place;
    this.parts.journal.add(entry);
  }

  private park(entry: Entry): void {
    this.moveTo(entry, Place.Parked);
    this.kept.add(entry);
  }

  /** A publish that was refused leaves nothing behind; what it stands in is swept once for the whole group. */
  private forget(entry: Entry): void {
    if (entry.digest !== undefined) this.parts.history.arrived(entry.digest);
    this.live.delete(entry.sequence);
    this.outside.delete(entry);
    entry.place = Place.Gone;
    this.someRefused = true;
  }

  private sweep(): void {
    if (!this.someRefused) return;
    this.someRefused = false;
    this.window.extract(({ place }) => place === Place.Gone);
    this.takeOutOfLeased(({ place }) => place === Place.Gone);
  }

  private takeOutOfLeased(matches: (entry: Entry) => boolean): void {
    for (let left = this.leased.length; left > 0; left--) {
      const entry = this.leased.shift() as Entry;
      if (!matches(entry)) this.leased.push(entry);
    }
  }

  /** The first by admission of all that waits and is stored, out of its place and the counts. */
  private takeOldest(): Entry | undefined {
    if (this.queued > 0 && this.window.length === 0) this.refill();
    if (this.queued > 0 && this.window.length === 0) this.relinquish();
    const parked = this.kept.first;
    const waiting = this.queued > 0 ? this.window.takeFirstWhere(({ arrival }) => arrival === undefined) : undefined;
    if (waiting === undefined) return this.kept.takeFirst() ?? this.delayed.takeLast();
    if (parked !== undefined && parked.sequence < waiting.sequence) {
      this.window.add(waiting);
      return this.kept.takeFirst();
    }
    this.queued--;
    return waiting;
  }

  /** Takes entries out of wherever they wait: somebody has them. */
  private takeOut(entries: ReadonlySet<Entry>): void {
    if (entries.size === 0) return;
    const isMeant = (entry: Entry): boolean => entries.has(entry);
    this.window.extract(isMeant);
    this.takeOutOfLeased(isMeant);
    this.kept.extract(isMeant);
    this.delayed.extract(isMeant);
    for (const entry of entries) {
      this.live.set(entry.sequence, entry);
      this.outside.delete(entry);
      if (entry.place === Place.Queued || entry.place === Place.Active) this.queued--;
      if (entry.place === Place.Active) entry.attempts--;
      if (entry.leaseStored) this.leasedAndStored--;
      entry.leaseStored = false;
      entry.out = true;
    }
  }

  /** All that is here by admission, from memory and from the disk; those read for this are nowhere else. */
  private *inOrder(after: number): Generator<Entry> {
    // Its store is somebody else's now.
    if (this.closed) return;
    const here = [...this.live.values()]
      .filter((entry) => entry.sequence > after && !entry.out && isHere(entry))
      .toSorted(bySequence);
    let next = 0;
    for (const entry of this.onDisk(after)) {
      for (; (here[next]?.sequence ?? Number.POSITIVE_INFINITY) < entry.sequence; next++) yield here[next] as Entry;
      yield entry;
    }
    yield* here.slice(next);
  }

  /** Beyond the horizon by admission. All of them have one urgency: the order of their keys is that of admission. */
  private *onDisk(after: number): Generator<Entry> {
    const { horizon } = this.window;
    if (horizon === undefined || this.attached === undefined) return;
    const from = queuedKey(this.number, LEVEL, Math.max(0, after, horizon.sequence) + 1);
    for (const record of this.attached.reader.records(Space.Queued, from)) {
      const entry = entryOf(this, record);
      if (entry === undefined || this.live.has(entry.sequence)) continue;
      entry.receipt = this.receiptsOnDisk.get(entry.sequence);
      yield entry;
    }
  }

  private leaseOf(entry: Entry): StoredLease | undefined {
    const { codec } = this.terms;
    try {
      const bytes = entry.bytes ?? this.bytesOf(entry);
      return new StoredLease(entry, codec.decode(bytes, bodyOffset(bytes)));
    } catch (error) {
      this.unreadable(entry, error as StoreError);
      return undefined;
    }
  }

  private bytesOf(entry: Entry): Buffer {
    const bytes = this.parts.reader.intact(entry.storedKey as Uint8Array);
    if (bytes === undefined) throw notAsWritten();
    return bytes;
  }

  /** It leaves as if it had never been here, and its bytes are kept elsewhere. */
  private unreadable(entry: Entry, error: StoreError): void {
    if (!entry.out && isHere(entry)) this.takeOut(new Set([entry]));
    if (entry.storedKey !== undefined) this.parts.setAside(entry.storedKey);
    this.moveTo(entry, Place.Gone);
    this.host.lost(1, error, entry.receipt);
  }

  /** Reads on from the horizon. What is in memory is not what the disk says, and is skipped. */
  private refill(): void {
    const { window } = this;
    while (window.horizon !== undefined && window.length === 0 && !this.closed) {
      const { level, sequence } = window.horizon;
      const wanted = window.room;
      const found = this.parts.reader.queuedAfter(queuedKey(this.number, level, sequence), wanted);
      for (const each of found) this.readIn(each);
      const last = found.at(-1);
      if (last === undefined || found.length < wanted) window.horizon = undefined;
      else window.horizon = placeOf(last.key);
      this.comeIn();
      if (window.horizon === undefined) this.countMissing();
    }
  }

  private readIn(record: VolumeEntry): void {
    const entry = this.recovered(record);
    if (entry === undefined) return;
    entry.receipt = this.receiptOnDisk(entry.sequence);
    this.window.add(entry);
  }

  /** The receipt of what was on disk only, and is not any more. */
  private receiptOnDisk(sequence: number): Receipt | undefined {
    const receipt = this.receiptsOnDisk.get(sequence);
    this.receiptsOnDisk.delete(sequence);
    return receipt;
  }

  /** All there is is in memory now: what was counted and is not, is lost. */
  private countMissing(): void {
    let here = 0;
    for (const { place, out, arrival } of this.live.values())
      if (!out && arrival === undefined && (place === Place.Queued || place === Place.Active)) here++;
    const missing = this.queued - here;
    if (missing <= 0) return;
    this.queued = here;
    this.parts.record.counts.queued -= missing;
    this.parts.recount();
    this.host.lost(missing, new StoreError(`${missing} record(s) that were counted are not there.`));
  }

  /** Those that waited outside and have their place in the window now. */
  private comeIn(): void {
    for (const entry of [...this.outside].toSorted(bySequence)) {
      if (!this.window.admits(entry)) continue;
      this.outside.delete(entry);
      this.window.add(entry);
    }
  }

  private recoverAll(
    space: typeof Space.Active | typeof Space.Parked | typeof Space.Delayed,
    take: (entry: Entry) => void,
  ): number {
    let recovered = 0;
    for (const record of this.parts.reader.records(space)) {
      const entry = this.recovered(record);
      if (entry === undefined) continue;
      take(entry);
      recovered++;
    }
    return recovered;
  }

  /** `undefined` for one that is in memory, and for one that is damaged. */
  private recovered(record: VolumeEntry): Entry | undefined {
    const entry = entryOf(this, record);
    if (entry === undefined) {
      this.setAside(record.key);
      return undefined;
    }
    if (this.live.has(entry.sequence)) return undefined;
    this.live.set(entry.sequence, entry);
    return entry;
  }

  /** A record that says nothing any more: who it was is not known. */
  private setAside(key: Uint8Array): void {
    const { record, setAside } = this.parts;
    const place = SPACES[key[0] as number] ?? Place.Gone;
    if (place === Place.Queued && this.queued > 0) this.queued--;
    record.moved(place, Place.Gone);
    setAside(key);
    this.parts.recount();
    const receipt = place === Place.Queued ? this.receiptOnDisk(placeOf(key).sequence) : undefined;
    this.host.lost(1, notAsWritten(), receipt);
  }

  private becomeDue(entry: Entry): void {
    if (entry.bytes === undefined && !this.load(entry)) return;
    this.queued++;
    this.place(entry);
  }

  /** Reads in what is on disk only; `false` for a record that is damaged or gone. */
  private load(entry: Entry): boolean {
    try {
      entry.bytes = this.bytesOf(entry);
      return true;
    } catch (error) {
      this.unreadable(entry, error as StoreError);
      return false;
    }
  }
}

const NOTHING: PlaceCounts = Object.freeze({ queued: 0, delayed: 0, parked: 0, active: 0 });

const NOBODY: BackendHost = Object.freeze({ wake: () => undefined, demand: () => 0, lost: () => undefined });

const SPACES: Readonly<Record<number, Place>> = {
  [Space.Queued]: Place.Queued,
  [Space.Delayed]: Place.Delayed,
  [Space.Parked]: Place.Parked,
  [Space.Active]: Place.Active,
};

/** Whether it waits in its stage: admitted, and not on its way out. */
function isHere({ place, arrival }: Entry): boolean {
  return place !== Place.Gone && arrival === undefined;
}

/** Where a queued record is in the order. */
function placeOf(key: Uint8Array): { level: number; sequence: number } {
  return { level: 9 - (key[5] as number), sequence: readInteger(key, 6) };
}

function notAsWritten(): StoreError {
  return new StoreError('A record is not what was written.');
}
