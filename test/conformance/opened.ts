import { Envelope } from '#engine';
import type { Backend } from '../../lib/engine/backend/backend.js';
import type { Lease } from '../../lib/engine/queue/lease.js';
import type { ManualClock } from '../support/manual-clock.js';

/** A backend under test, not opened yet, and the clock that it reads. */
export interface Made {
  readonly backend: Backend;
  readonly clock: ManualClock;
}

/** A backend that was opened, and how often it has woken its stage. */
export class Opened {
  wakes = 0;
  readonly backend: Backend;
  readonly clock: ManualClock;

  constructor({ backend, clock }: Made) {
    this.backend = backend;
    this.clock = clock;
    backend.open({ wake: () => this.wakes++, demand: () => 0, lost: () => undefined });
  }

  /** Adds one envelope for each id. */
  offer(ids: string, delayMs = 0): this {
    const dueAt = delayMs === 0 ? 0 : this.clock.now() + delayMs;
    for (const id of ids) this.backend.offer(Envelope.documentWithId(id), undefined, dueAt);
    return this;
  }

  take(): Lease {
    const lease = this.backend.take();
    if (lease === undefined) throw new Error('there was nothing to take');
    return lease;
  }

  /** The ids of all that can be taken, in the order in which they are handed out. */
  takeAll(): string {
    let ids = '';
    for (let lease = this.backend.take(); lease !== undefined; lease = this.backend.take()) ids += lease.envelope.id;
    return ids;
  }

  retryIn(lease: Lease, delayMs: number): void {
    this.backend.settle(lease, 'return', this.clock.now() + delayMs);
  }

  list(after = Number.NEGATIVE_INFINITY, limit = 100): readonly Lease[] {
    return this.backend.list(after, () => true, limit);
  }

  get counts(): Pick<Backend, 'depth' | 'retrying' | 'parked' | 'ready'> {
    const { depth, retrying, parked, ready } = this.backend;
    return { depth, retrying, parked, ready };
  }
}

export const idsOf = (leases: readonly Lease[]): string => leases.map(({ envelope }) => envelope.id).join('');

/** The counts of a backend where nothing is. */
export const EMPTY = Object.freeze({ depth: 0, retrying: 0, parked: 0, ready: false });
