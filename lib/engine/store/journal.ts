import type { Clock, TimerHandle } from '../clock.js';
import type { StoreError } from './errors.js';
import { Space, namedKey } from './keys.js';
import type { Sync, Volume, WriteGroup } from './volume.js';

/** Milliseconds between two looks at a store that could not be written. */
const RETRY_MS = 250;

/** By its code: a volume may come from another copy of this package. */
const FULL = 'SEDA_STORE_FULL';

const PROBE_KEY = namedKey(Space.Meta, 'probe');

/** Something that has to be written. It adds itself to the journal again whenever it has changed. */
export interface Change {
  /** Whether the journal has it and has not written it yet. The journal's own. */
  listed: boolean;
  /** Says what to write, as of now. */
  write(group: Group): void;
  /** What `write` said is committed. */
  stored(): void;
  /** Nothing of what `write` said was written; whether to try again. Only a change that makes its group refusable may give up. */
  failed(error: StoreError): boolean;
}

/** What one transaction writes. */
export class Group implements WriteGroup {
  readonly keys: Uint8Array[] = [];
  readonly values: (Uint8Array | undefined)[] = [];
  /** Whether it may use what is kept in reserve: it finishes what was admitted and admits nothing new. */
  reserved = true;
  private readonly closing = new Set<(group: Group) => void>();
  private lastClosing: ((group: Group) => void) | undefined = undefined;

  put(key: Uint8Array, value: Uint8Array): void {
    this.keys.push(key);
    this.values.push(value);
  }

  remove(key: Uint8Array): void {
    this.keys.push(key);
    this.values.push(undefined);
  }

  /** Has `last` called once when all changes have said what they write: for what sums them up. */
  close(last?: (group: Group) => void): void {
    if (last !== undefined) {
      if (last === this.lastClosing) return;
      this.lastClosing = last;
      this.closing.add(last);
    } else for (const each of this.closing) each(this);
  }
}

/** What follows a group: callbacks, and the one promise of all publishes in it. */
class Consequences {
  private callbacks: ((durable: boolean) => void)[] = [];
  private promise: Promise<boolean> | undefined;
  private resolve: (accepted: boolean) => void = () => undefined;

  get none(): boolean {
    return this.callbacks.length === 0 && this.promise === undefined;
  }

  get accepted(): Promise<boolean> {
    return (this.promise ??= new Promise((resolve) => (this.resolve = resolve)));
  }

  include(callback: (durable: boolean) => void): void {
    this.callbacks.push(callback);
  }

  /** Twice is once. */
  happen(durable = true): void {
    const { callbacks } = this;
    this.callbacks = [];
    this.resolve(durable);
    for (const callback of callbacks) callback(durable);
  }

  /** The publishes were refused; what else follows, follows the next group. */
  refuse(next: Consequences): void {
    this.resolve(false);
    next.callbacks.unshift(...this.callbacks);
  }
}

interface Flight {
  readonly changes: readonly Change[];
  readonly group: Group;
  readonly consequences: Consequences;
  storedAt: number;
}

/** What the journal tells the store. */
export interface JournalHost {
  /** A group is about to be made: last chance to add to it. */
  prepare(): void;
  /** There is room, or there is none any more. */
  roomChanged(full: boolean): void;
  /** Writing failed for another reason than room; it is tried again. */
  troubled(error: StoreError): void;
}

/**
 * Group commit: everything that changes in one turn of the event loop, and while the last group is being written, is one
 * transaction and one flush.
 *
 *     add ─► pending ─(end of turn)─► group ─► stored ─► durable
 *              ▲                        │
 *              └──── what may not be ───┘ refused, when nothing of the group was written
 *
 * All that is added in one turn is written or not written together: a hop needs nothing more to be atomic.
 */
export class Journal {
  private pending: Change[] = [];
  private next = new Consequences();
  private scheduled = false;
  private writing = false;
  private failing = false;
  private retry: TimerHandle = undefined;
  private latest: Promise<boolean> | undefined;
  /** Groups that are stored and not durable yet, oldest first. */
  private readonly unflushed: Flight[] = [];
  private quiet: (() => void)[] = [];
  private closed = false;
  /** Whether publishes are refused for want of room. */
  full = false;

  constructor(
    private readonly volume: Volume,
    private readonly sync: Sync,
    private readonly clock: Clock,
    private readonly host: JournalHost,
  ) {}

  add(change: Change): void {
    if (change.listed) return;
    change.listed = true;
    this.pending.push(change);
    this.schedule();
  }

  /** Makes a group at the end of this turn, or when the present one is written. */
  schedule(): void {
    if (this.scheduled || this.writing || this.failing || this.closed) return;
    this.scheduled = true;
    setImmediate(this.build);
  }

  /** Whether the publishes of the next group were accepted; resolves when it is as durable as `sync` asks for. */
  get accepted(): Promise<boolean> {
    return (this.latest = this.next.accepted);
  }

  /** As {@link accepted}, of the last group that there is a publish in. */
  get lastAccepted(): Promise<boolean> {
    return this.latest ?? Promise.resolve(true);
  }

  /** Called when all that was added is durable; with `false` when the journal was closed before. */
  afterwards(callback: (durable: boolean) => void): void {
    this.next.include(callback);
    this.schedule();
  }

  /** Resolves when nothing is left to write or to flush, or when what is left cannot be written. */
  settled(): Promise<void> {
    if (this.atRest) return Promise.resolve();
    return new Promise((resolve) => this.quiet.push(resolve));
  }

  /** No further attempt at what could not be written; who waits for it hears that. */
  close(): void {
    this.closed = true;
    this.stopRetrying();
    const { next } = this;
    this.next = new Consequences();
    next.happen(false);
  }

  private get atRest(): boolean {
    const nothingToDo = this.pending.length === 0 && this.next.none;
    return (nothingToDo || this.failing) && !this.writing && this.unflushed.length === 0;
  }

  private readonly build = (): void => {
    // What this adds goes with this group, and asks for no other.
    this.host.prepare();
    this.scheduled = false;
    if (this.pending.length === 0 && this.next.none) return this.tellQuiet();
    this.writing = true;
    const group = new Group();
    const flight: Flight = { changes: this.pending, group, consequences: this.next, storedAt: 0 };
    this.pending = [];
    this.next = new Consequences();
    for (const change of flight.changes) {
      change.listed = false;
      change.write(group);
    }
    group.close();
    if (group.keys.length === 0) this.stored(flight);
    else this.send(flight);
  };

  private send(flight: Flight): void {
    const { stored, durable } = this.volume.write(flight.group);
    stored.then(
      () => this.stored(flight),
      (error: StoreError) => this.refused(flight, error),
    );
    durable.then(
      () => this.flushed(flight),
      () => undefined,
    );
  }

  private stored(flight: Flight): void {
    this.writing = false;
    for (const change of flight.changes) change.stored();
    flight.storedAt = this.clock.now();
    this.unflushed.push(flight);
    const [oldest] = this.unflushed;
    const owedForMs = flight.storedAt - (oldest as Flight).storedAt;
    const wroteNothing = flight.group.keys.length === 0;
    if (wroteNothing && oldest === flight) this.flushed(flight);
    else if (this.sync !== 'always' && owedForMs < this.sync.intervalMs) flight.consequences.happen();
    if (!flight.group.reserved && this.full) this.setFull(false);
    if (this.pending.length > 0 || !this.next.none) this.schedule();
  }

  /** A flush reaches all that was stored before it. */
  private flushed(flight: Flight): void {
    const at = this.unflushed.indexOf(flight);
    if (at < 0) return;
    let last = at;
    while (this.unflushed[last + 1]?.group.keys.length === 0) last++;
    for (const { consequences } of this.unflushed.splice(0, last + 1)) consequences.happen();
    this.tellQuiet();
  }

  private refused(flight: Flight, error: StoreError): void {
    this.writing = false;
    const again = flight.changes.filter((change) => change.failed(error) && !change.listed);
    for (const change of again) change.listed = true;
    this.pending = [...again, ...this.pending];
    flight.consequences.refuse(this.next);
    if (error.code === FULL) this.setFull(true);
    else this.host.troubled(error);
    if (flight.group.reserved) this.failing = true;
    else this.schedule();
    if (!this.closed) this.retry ??= this.clock.setTimeout(this.tryAgain, RETRY_MS);
    this.tellQuiet();
  }

  private readonly tryAgain = (): void => {
    this.retry = undefined;
    this.failing = false;
    if (this.full) this.add(new Probe());
    this.schedule();
  };

  private setFull(full: boolean): void {
    if (this.full === full) return;
    this.full = full;
    if (!full && !this.failing) this.stopRetrying();
    this.host.roomChanged(full);
  }

  private stopRetrying(): void {
    if (this.retry !== undefined) this.clock.clearTimeout(this.retry);
    this.retry = undefined;
  }

  private tellQuiet(): void {
    if (!this.atRest) return;
    const { quiet } = this;
    this.quiet = [];
    for (const resolve of quiet) resolve();
  }
}

/** Asks for room as a publish would, and leaves nothing behind. */
class Probe implements Change {
  listed = false;

  write(group: Group): void {
    group.reserved = false;
    group.put(PROBE_KEY, PROBE_KEY);
    group.remove(PROBE_KEY);
  }

  stored(): void {}

  failed(): boolean {
    return false;
  }
}
