import type { EnvelopeShape } from '../envelope.js';
import { Lease } from '../queue/lease.js';
import { type Entry, Place } from './entry.js';

/** A lease of a durable stage: its envelope is made anew from the record. */
export class StoredLease extends Lease {
  constructor(
    readonly entry: Entry,
    envelope: EnvelopeShape,
  ) {
    super(envelope, entry.sequence, entry.admittedAt, entry.receipt);
    this.attempt = entry.attempts;
    if (entry.place === Place.Parked) this.parked = true;
    if (entry.dueAt !== 0) this.dueAt = entry.dueAt;
    if (entry.remaining !== undefined) this.remaining = entry.remaining;
    if (entry.error !== undefined) this.error = entry.error;
  }
}
