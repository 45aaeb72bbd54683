import { StoreError, StoreFullError, StoreLockedError } from './errors.js';
import { verify } from './verify.js';
import type { StoreDescription, Sync, Verification, Volume, VolumeEntry, WriteGroup, Written } from './volume.js';

/** What brings back what was there before a group. */
interface Undo {
  readonly keys: readonly Uint8Array[];
  readonly values: readonly (Uint8Array | undefined)[];
}

/** A store for tests: its bytes outlive whoever opens it, and it fails when it is told to. */
export interface MemoryStore extends StoreDescription {
  /** How often it was flushed. */
  readonly syncs: number;
  /** While `true`, a group that puts something and may not use the reserve is refused with `StoreFullError`. */
  full: boolean;
  /** Groups wait before they are committed, until `releaseWrites`. */
  holdWrites(): void;
  releaseWrites(): void;
  /** What is committed waits for its flush, until `releaseFlushes`. */
  holdFlushes(): void;
  releaseFlushes(): void;
  /** The next group is refused with this error, and the one after it is not. */
  failNext(error: StoreError): void;
  /** As SIGKILL: who has it open hears nothing more of it; what is committed stays, and is verified at the next opening. */
  crash(): void;
  /** As {@link crash}, and what was not flushed is gone. */
  powerLoss(): void;
  /** Puts other bytes in the place of a value, or takes the record out, unseen by whoever has it open. */
  damage(key: Uint8Array, change: (value: Buffer) => Buffer | undefined): void;
  /** All that is committed. */
  entries(): VolumeEntry[];
}

/** Makes a {@link MemoryStore} without a record. */
export function memoryStore({ sync = 'always' }: { readonly sync?: Sync } = {}): MemoryStore {
  return new MemoryVolumes(sync);
}

class MemoryVolumes implements MemoryStore {
  readonly name = 'in memory';
  syncs = 0;
  full = false;
  readonly writes = new Gate();
  readonly flushes = new Gate();
  readonly records = new Records();
  /** What takes the groups back that are committed and not flushed, oldest first. */
  unflushed: Undo[] = [];
  failure: StoreError | undefined;
  private holder: MemoryVolume | undefined;
  private orderly = true;

  constructor(readonly sync: Sync) {}

  async open(): Promise<Volume> {
    if (this.holder !== undefined) throw new StoreLockedError(this.name, process.pid, new Date(0).toISOString(), 0);
    const found = this.orderly ? undefined : verify(this.records);
    this.orderly = false;
    return (this.holder = new MemoryVolume(this, found));
  }

  /** Ends in order. */
  closed(volume: MemoryVolume): void {
    if (this.holder !== volume) return;
    this.holder = undefined;
    this.orderly = true;
  }

  holds(volume: MemoryVolume): boolean {
    return this.holder === volume;
  }

  holdWrites(): void {
    this.writes.hold();
  }

  releaseWrites(): void {
    this.writes.release();
  }

  holdFlushes(): void {
    this.flushes.hold();
  }

  releaseFlushes(): void {
    this.flushes.release();
  }

  failNext(error: StoreError): void {
    this.failure = error;
  }

  crash(): void {
    this.holder = undefined;
    this.unflushed = [];
  }

  powerLoss(): void {
    this.holder = undefined;
    for (const { keys, values } of this.unflushed.toReversed()) this.records.apply(keys, values);
    this.unflushed = [];
  }

  damage(key: Uint8Array, change: (value: Buffer) => Buffer | undefined): void {
    const value = this.records.get(key);
    if (value === undefined) throw new StoreError(`There is no record ${hex(key)}.`);
    this.records.apply([key], [change(value)]);
  }

  entries(): VolumeEntry[] {
    return this.records.scan(Buffer.alloc(0), undefined, Number.POSITIVE_INFINITY);
  }
}

class MemoryVolume implements Volume {
  private last: Promise<unknown> = Promise.resolve();
  private committing = false;

  constructor(
    private readonly store: MemoryVolumes,
    readonly verification: Verification | undefined,
  ) {}

  write(group: WriteGroup): Written {
    // A volume on a disk would read bytes that are being written.
    if (this.committing) throw new StoreError('A group was sent before the last one was stored.');
    this.committing = true;
    const stored = this.commit(group).finally(() => (this.committing = false));
    const durable = stored.then(() => this.flush());
    this.last = durable.catch(() => undefined);
    return { stored, durable };
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.store.records.get(key);
  }

  scan(from: Uint8Array, to: Uint8Array, limit: number, reverse = false): VolumeEntry[] {
    return this.store.records.scan(from, to, limit, reverse);
  }

  async close(): Promise<void> {
    if (this.store.holds(this)) await this.last;
    this.store.closed(this);
  }

  private async commit(group: WriteGroup): Promise<void> {
    await this.store.writes.passed();
    if (!this.store.holds(this)) await new Promise(() => undefined);
    const { failure } = this.store;
    this.store.failure = undefined;
    if (failure !== undefined) throw failure;
    const puts = group.values.some((value) => value !== undefined);
    if (this.store.full && !group.reserved && puts) throw new StoreFullError(this.store.name);
    this.store.unflushed.push(this.store.records.apply(group.keys, group.values));
  }

  private async flush(): Promise<void> {
    const last = this.store.unflushed.at(-1);
    await this.store.flushes.passed();
    if (!this.store.holds(this)) await new Promise(() => undefined);
    this.store.syncs++;
    const { unflushed } = this.store;
    if (last !== undefined) unflushed.splice(0, unflushed.indexOf(last) + 1);
  }
}

/** Lets through at once, or only when it is released. */
class Gate {
  private opened: Promise<void> = Promise.resolve();
  private open: (() => void) | undefined;

  /** Twice is once: who waits goes on waiting for the next release. */
  hold(): void {
    if (this.open === undefined) this.opened = new Promise((resolve) => (this.open = resolve));
  }

  release(): void {
    this.open?.();
    this.open = undefined;
  }

  passed(): Promise<void> {
    return this.opened;
  }
}

/** The records in the order of their keys. Finding one and a place is O(log n). */
class Records {
  private readonly keys: Buffer[] = [];
  private readonly values = new Map<string, Buffer>();

  get(key: Uint8Array): Buffer | undefined {
    const value = this.values.get(hex(key));
    return value && Buffer.from(value);
  }

  /** Makes the changes, and returns those that undo them. */
  apply(keys: readonly Uint8Array[], values: readonly (Uint8Array | undefined)[]): Undo {
    const before = keys.map((key, index) => {
      const old = this.values.get(hex(key));
      this.set(key, values[index]);
      return old;
    });
    return { keys: keys.map((key) => Buffer.from(key)).toReversed(), values: before.toReversed() };
  }

  scan(from: Uint8Array, to: Uint8Array | undefined, limit: number, reverse = false): VolumeEntry[] {
    const first = this.placeOf(from);
    const end = to === undefined ? this.keys.length : this.placeOf(to);
    const length = Math.max(0, Math.min(limit, end - first));
    const found = reverse ? this.keys.slice(end - length, end).toReversed() : this.keys.slice(first, first + length);
    return found.map((key) => ({ key: Buffer.from(key), value: this.get(key) as Buffer }));
  }

  private set(key: Uint8Array, value: Uint8Array | undefined): void {
    const at = this.placeOf(key);
    const known = this.values.has(hex(key));
    if (value === undefined) {
      if (known) this.keys.splice(at, 1);
      this.values.delete(hex(key));
      return;
    }
    if (!known) this.keys.splice(at, 0, Buffer.from(key));
    this.values.set(hex(key), Buffer.from(value));
  }

  /** The index of the first key that is not less. */
  private placeOf(key: Uint8Array): number {
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.keys[middle] as Buffer).compare(key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}
