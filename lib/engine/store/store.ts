import type { Clock } from '../clock.js';
import { CHECKSUM_BYTES, isIntact, seal } from './checksum.js';
import type { Recovered } from '../backend/backend.js';
import type { DurableBackend } from './durable-backend.js';
import { StoreCorruptedError, type StoreError, StoreVersionError } from './errors.js';
import { type Change, type Group, Journal } from './journal.js';
import { PREFIX_BYTES, Space, damagedKey, namedKey, rangeOf, rangeOfSpace } from './keys.js';
import { FORMAT_VERSION } from './record.js';
import { type PlaceCounts, StageRecord } from './stage-record.js';
import type { StoreDescription, Verification, Volume, VolumeContext } from './volume.js';

const VERSION_KEY = namedKey(Space.Meta, 'format');

/** What the store tells the bus. */
export interface StoreHost extends VolumeContext {
  /** There is room, or there is none any more. */
  roomChanged(full: boolean): void;
  /** Records were moved aside, or are missing. */
  damaged(count: number, error: Error): void;
}

/** What the bus has on disk: one volume, one journal, a record for each stage that ever was durable. */
export class Store {
  private readonly backends = new Set<DurableBackend>();
  private readonly records = new Map<string, StageRecord>();
  private readonly journal: Journal;

  private constructor(
    private readonly volume: Volume,
    description: StoreDescription,
    clock: Clock,
    private readonly host: StoreHost,
  ) {
    this.journal = new Journal(volume, description.sync ?? 'always', clock, {
      prepare: () => this.prepare(),
      roomChanged: (full) => host.roomChanged(full),
      troubled: (error) => this.troubled(error),
    });
  }

  /**
   * Opens what is described, moves aside what is damaged, and reads what stages there are.
   * @throws StoreLockedError, StoreCorruptedError, StoreVersionError, StoreError (as rejections)
   */
  static async open(description: StoreDescription, clock: Clock, host: StoreHost): Promise<Store> {
    const volume = await description.open(host);
    try {
      const store = new Store(volume, description, clock, host);
      await store.begin(description.name);
      return store;
    } catch (error) {
      await volume.close();
      throw error;
    }
  }

  get full(): boolean {
    return this.journal.full;
  }

  /** Makes a group of what could start now, if there is anything. */
  wanted(): void {
    for (const backend of this.backends) backend.wanted();
  }

  /** Gives a backend its place on the disk, and it takes over what is there. */
  attach(name: string, codec: string, backend: DurableBackend): Recovered {
    const known = this.records.get(name);
    if (known !== undefined && known.codec !== codec) {
      const detail = `stage '${name}' was written with the codec '${known.codec}' and is declared with '${codec}'`;
      throw new StoreCorruptedError('stage record', detail);
    }
    const record = known ?? this.newRecord(name, codec);
    this.backends.add(backend);
    const { volume, journal } = this;
    return backend.attach({
      volume,
      journal,
      record,
      setAside: (key) => this.setAside(key),
      recount: () => journal.add(new Writes((group) => group.close(record.put))),
    });
  }

  /** The stage is taken off the bus; what it has stays. Resolves when that is written. */
  async detach(backend: DurableBackend): Promise<void> {
    await this.journal.settled();
    this.backends.delete(backend);
  }

  /** The names of stages that have something here, and nobody who takes it. */
  get unclaimed(): string[] {
    const claimed = new Set([...this.backends].map(({ number }) => number));
    return [...this.records.values()]
      .filter(({ number, counts }) => !claimed.has(number) && Object.values(counts).some((count) => count > 0))
      .map(({ name }) => name);
  }

  /** Waits until all is written that can be, and lets go of the volume. */
  async close(): Promise<void> {
    // What the present step still has to say belongs here, too.
    await new Promise((resolve) => setImmediate(resolve));
    await this.journal.settled();
    this.journal.close();
    await this.volume.close();
  }

  private prepare(): void {
    for (const backend of this.backends) backend.prepare();
  }

  private troubled(error: StoreError): void {
    this.host.warn('SEDA_STORE_TROUBLE', `The store could not be written and is tried again: ${error.message}`);
  }

  private async begin(name: string): Promise<void> {
    this.checkVersion(name);
    const { verification } = this.volume;
    if (verification !== undefined) this.moveAside(verification.damaged);
    const [from, to] = rangeOfSpace(Space.Stage);
    for (const { key, value } of this.volume.scan(from, to, Number.MAX_SAFE_INTEGER)) this.readStage(name, key, value);
    if (verification !== undefined) for (const record of this.records.values()) this.compare(record, verification);
    await this.journal.settled();
  }

  private checkVersion(name: string): void {
    const value = this.volume.get(VERSION_KEY);
    if (value === undefined) return this.journal.add(new Puts(VERSION_KEY, versionRecord()));
    const found = value[CHECKSUM_BYTES];
    if (!isIntact(VERSION_KEY, value) || found === undefined)
      throw new StoreCorruptedError(name, 'the record of its format version is not what was written');
    if (found > FORMAT_VERSION) throw new StoreVersionError(name, found, FORMAT_VERSION);
  }

  private readStage(store: string, key: Uint8Array, value: Uint8Array): void {
    const record = StageRecord.read(key, value);
    const stage = Buffer.from(key.subarray(1)).toString();
    if (record === undefined)
      throw new StoreCorruptedError(store, `the record of stage '${stage}' is not what was written`);
    this.records.set(stage, record);
  }

  private newRecord(name: string, codec: string): StageRecord {
    const highest = Math.max(0, ...[...this.records.values()].map(({ number }) => number));
    const record = new StageRecord(name, highest + 1, codec);
    this.records.set(name, record);
    this.journal.add(new Writes(record.put));
    return record;
  }

  /** Whoever finds it while reading tells of it himself. */
  private setAside(key: Uint8Array): void {
    const value = this.volume.get(key);
    if (value !== undefined) this.journal.add(new Writes((group) => aside(group, key, value)));
  }

  /** What was found before anybody reads: counted and told here. */
  private moveAside(keys: readonly Uint8Array[]): void {
    const records = keys.filter((key) => key[0] !== Space.Stage && key[0] !== Space.Meta);
    for (const key of records) this.setAside(key);
    if (records.length === 0) return;
    const message = `${records.length} record(s) of the store are not what was written, and were moved aside.`;
    this.host.damaged(records.length, new StoreCorruptedError('records', message));
  }

  /** The counters say how many there were; what is neither there nor damaged is missing. */
  private compare(record: StageRecord, { damaged, counts }: Verification): void {
    let missing = 0;
    for (const [place, space] of SPACES) {
      const [first] = rangeOf(space, record.number);
      const prefix = first.toString('hex');
      const found = counts[prefix] ?? 0;
      const broken = damaged.filter((key) => prefixOf(key) === prefix).length;
      missing += Math.max(0, record.counts[place] - found - broken);
      record.counts[place] = found;
    }
    if (missing === 0) return;
    this.journal.add(new Writes(record.put));
    const message = `${missing} record(s) of stage '${record.name}' are missing`;
    this.host.damaged(missing, new StoreCorruptedError('records', message));
  }
}

const SPACES: readonly (readonly [keyof PlaceCounts, (typeof Space)['Queued' | 'Delayed' | 'Parked' | 'Active']])[] = [
  ['queued', Space.Queued],
  ['delayed', Space.Delayed],
  ['parked', Space.Parked],
  ['active', Space.Active],
];

/** Something that is written once, whatever happens meanwhile. */
class Writes implements Change {
  listed = false;

  constructor(readonly write: (group: Group) => void) {}

  stored(): void {}

  failed(): boolean {
    return true;
  }
}

class Puts extends Writes {
  constructor(key: Uint8Array, value: Uint8Array) {
    super((group) => group.put(key, value));
  }
}

function prefixOf(key: Uint8Array): string {
  return Buffer.from(key.subarray(0, PREFIX_BYTES)).toString('hex');
}

function versionRecord(): Buffer {
  const value = Buffer.alloc(CHECKSUM_BYTES + 1);
  value[CHECKSUM_BYTES] = FORMAT_VERSION;
  return seal(VERSION_KEY, value);
}

function aside(group: Group, key: Uint8Array, value: Uint8Array): void {
  group.put(damagedKey(key), value);
  group.remove(key);
}
