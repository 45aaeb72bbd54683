/** What a write came to, in two promises: they are two different things to rely on. */
export interface Written {
  /**
   * The whole group is committed: visible to every read from now on, and outlives this process.
   * @throws StoreFullError when there was no room, StoreError otherwise (as a rejection): then nothing of it was written
   */
  readonly stored: Promise<void>;
  /** It is flushed: it outlives the machine's power. Rejects where `stored` does. */
  readonly durable: Promise<void>;
}

/** A group of changes, side by side: `keys[i]` gets `values[i]`, or is removed where that is `undefined`. Later ones win. */
export interface WriteGroup {
  readonly keys: readonly Uint8Array[];
  readonly values: readonly (Uint8Array | undefined)[];
  /**
   * Whether it may use what a volume keeps in reserve. So may groups that finish what was admitted: a full store that could
   * not even remove would never have room again.
   */
  readonly reserved: boolean;
}

/** One record as `scan` finds it. Both are the caller's to keep. */
export interface VolumeEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** What was found wrong with a volume that was not closed in order. */
export interface Verification {
  /** Keys of records whose checksum does not fit, in order. */
  readonly damaged: readonly Uint8Array[];
  /** How many intact records there are under each five-byte prefix (space and stage number), by the prefix in hex. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Where a store's bytes are: an ordered map from byte keys to byte values, in the order of the bytes, one process's own.
 * The store sends one group at a time: the next one when `stored` of the last has settled, whatever `durable` does.
 */
export interface Volume {
  /** What was found when it was opened; `undefined` when it was new or closed in order: then nothing was looked for. */
  readonly verification: Verification | undefined;
  /** One transaction: all of the group or nothing. The bytes must not change until `stored` has settled. */
  write(group: WriteGroup): Written;
  /** `undefined` when there is none. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** At most `limit` records with `from <= key < to`, in order; with `reverse` the last ones, last first. A short read. */
  scan(from: Uint8Array, to: Uint8Array, limit: number, reverse?: boolean): VolumeEntry[];
  /** Waits for what was written, marks the end as orderly and lets go of everything. Twice is once. */
  close(): Promise<void>;
}

/** What whoever opens a volume is told, and tells. */
export interface VolumeContext {
  /** Something an operator should know. */
  readonly warn: (code: string, message: string) => void;
  /** Milliseconds to wait for another process that holds the volume, where the description does not say. */
  readonly lockWaitMs: number;
}

/** See {@link StoreDescription.sync}. `intervalMs` is finite and > 0. */
export type Sync = 'always' | { readonly intervalMs: number };

/** A store that nobody has opened yet: what `store` takes. `lmdbStore()` and `memoryStore()` make one. */
export interface StoreDescription {
  /** For logs and errors: what it is and where. */
  readonly name: string;
  /**
   * What a publish waits for. `always`: its flush. `intervalMs`: its commit, and for the flush only when an earlier one is
   * owed for longer than that: at most so many milliseconds of answered publishes are lost with the machine's power, none
   * with the process. @default 'always'
   */
  readonly sync?: Sync;
  /**
   * @throws StoreLockedError, StoreCorruptedError, StoreVersionError, StoreError (as rejections)
   */
  open(context: VolumeContext): Promise<Volume>;
}
