import type { Consumer } from '../delivery/consumer.js';
import type { Receipt } from '../intake/receipt.js';
import type { StoreError } from './errors.js';
import { seal } from './checksum.js';
import type { Change, Group } from './journal.js';
import { activeKey, delayedKey, parkedKey, queuedKey } from './keys.js';
import { writeHeader } from './record.js';

/** Where an envelope of a durable stage is. */
export const Place = Object.freeze({ Gone: 0, Queued: 1, Delayed: 2, Parked: 3, Active: 4 } as const);
export type Place = (typeof Place)[keyof typeof Place];

/** The stage that an entry belongs to, as the entry sees it. */
export interface EntryOwner {
  readonly number: number;
  /** Its record goes from one place to another in this group. */
  moving(entry: Entry, from: Place, to: Place, group: Group): void;
  /** The group was refused. */
  movedBack(from: Place, to: Place): void;
  stored(entry: Entry): void;
  /** Whether it is to be written again. */
  refused(entry: Entry, error: StoreError): boolean;
}

/**
 * An envelope of a durable stage, as far as memory has to know of it: where it is, and where its record is, which follows
 * with the next group.
 */
export class Entry implements Change {
  listed = false;
  place: Place = Place.Queued;
  attempts = 0;
  /** When it may start; 0 for at once. */
  dueAt = 0;
  /** An earlier process had it in flight: it goes first. */
  urgent = false;
  /** Its lease is committed and nobody has taken it yet. */
  leaseStored = false;
  /** Somebody has its lease, or has borrowed it. */
  out = false;
  /** It left because it was delivered. */
  delivered = false;
  /** Its record goes when an attempt begins. */
  atMostOnce = false;
  /** Its first record is stored. */
  known = false;
  /** What the history knows it by; `undefined` where nobody looks for duplicates. */
  digest: Uint8Array | undefined = undefined;
  /** The record with room for its header; `undefined` while it waits on disk only, and is not written. */
  bytes: Buffer | undefined;
  receipt: Receipt | undefined = undefined;
  remaining: readonly Consumer[] | undefined = undefined;
  error: Error | undefined = undefined;
  /** Told once whether it was stored, or why not: as long as nobody knows, it is not admitted. */
  arrival: ((refusal: Error | undefined) => void) | undefined = undefined;
  storedKey: Uint8Array | undefined = undefined;
  storedPlace: Place = Place.Gone;
  private writtenKey: Uint8Array | undefined = undefined;
  private writtenPlace: Place = Place.Gone;

  constructor(
    private readonly owner: EntryOwner,
    readonly sequence: number,
    readonly level: number,
    readonly admittedAt: number,
    bytes: Buffer | undefined,
  ) {
    this.bytes = bytes;
  }

  write(group: Group): void {
    const { owner, storedKey, storedPlace } = this;
    // Nobody shall find it any more once it may have reached its consumer.
    const place = this.atMostOnce && this.place === Place.Active ? Place.Gone : this.place;
    const key = this.keyOf(place);
    if (storedKey !== undefined && place !== storedPlace) group.remove(storedKey);
    if (key !== undefined) group.put(key, this.record(key));
    if (this.arrival !== undefined) group.reserved = false;
    owner.moving(this, storedPlace, place, group);
    this.writtenKey = key;
    this.writtenPlace = place;
  }

  stored(): void {
    this.storedKey = this.writtenKey;
    this.storedPlace = this.writtenPlace;
    this.owner.stored(this);
  }

  failed(error: StoreError): boolean {
    this.owner.movedBack(this.writtenPlace, this.storedPlace);
    return this.owner.refused(this, error);
  }

  private keyOf(place: Place): Uint8Array | undefined {
    const { owner, sequence, level, dueAt } = this;
    switch (place) {
      case Place.Queued:
        return queuedKey(owner.number, level, sequence);
      case Place.Active:
        return activeKey(owner.number, sequence);
      case Place.Delayed:
        return delayedKey(owner.number, dueAt, sequence);
      case Place.Parked:
        return parkedKey(owner.number, sequence);
      default:
        return undefined;
    }
  }

  private record(key: Uint8Array): Buffer {
    const bytes = this.bytes as Buffer;
    writeHeader(bytes, this.facts);
    return seal(key, bytes);
  }

  private get facts(): Parameters<typeof writeHeader>[1] {
    const { place, level, attempts, admittedAt, sequence, dueAt, digest, atMostOnce } = this;
    const leased = place === Place.Active;
    return { leased, atMostOnce, level, attempts, admittedAt, sequence, notBefore: dueAt, expiresAt: 0, digest };
  }
}

/** Those that an earlier process had in flight, then the most urgent level, then by admission. */
export function precedes(one: Entry, other: Entry): boolean {
  if (one.urgent !== other.urgent) return one.urgent;
  return one.level === other.level ? one.sequence < other.sequence : one.level > other.level;
}
