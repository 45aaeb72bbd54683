import type { Envelope } from '#ra-common';
import type { Recovered, StoringBackend } from './backend/backend.js';
import type { DropReason } from './books.js';
import { InvalidOptionError } from './errors.js';
import type { Lease } from './queue/lease.js';

/** An envelope that an earlier process has left. */
export interface UnprocessedEnvelope {
  readonly id: string;
  /** How many attempts have begun. */
  readonly attempts: number;
  readonly envelope: Envelope;
}

/** One page of {@link Unprocessed.list}, oldest first. */
export interface UnprocessedPage {
  readonly items: readonly UnprocessedEnvelope[];
  /** Hand it to the next call; `undefined` after the last page. */
  readonly cursor: string | undefined;
}

const PAGE = 100;
const LARGEST_PAGE = 1_000;

/** The stage that they are at. */
interface Keeper {
  recover(take: () => Recovered): number;
  dropQueued(reason: DropReason, matches: (lease: Lease) => boolean): number;
  wake(): void;
}

/**
 * What an earlier process has left at a durable stage with `replay: 'manual'`: on disk, in no count of `stats()`, until it
 * is replayed or cleared. On a stage with `replay: 'auto'` there is never anything.
 */
export class Unprocessed {
  constructor(
    private readonly stage: Keeper,
    private readonly backend: StoringBackend,
  ) {}

  get count(): number {
    return this.backend.unprocessed;
  }

  /**
   * A page, oldest first. `limit` 1 to 1000, default 100.
   * @throws InvalidOptionError for a limit or a cursor that is none (as a rejection)
   */
  async list({ limit = PAGE, cursor }: { limit?: number; cursor?: string | undefined } = {}): Promise<UnprocessedPage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE)
      throw new InvalidOptionError('unprocessed.limit', `an integer from 1 to ${LARGEST_PAGE}`, limit);
    const after = cursor === undefined ? -1 : Number(cursor);
    if (cursor === '' || !Number.isInteger(after))
      throw new InvalidOptionError('unprocessed.cursor', 'a cursor of an earlier page', cursor);
    const found = this.backend.listUnprocessed(after, limit + 1);
    const last = found.length > limit ? found[limit - 1] : undefined;
    return {
      items: found.slice(0, limit).map(({ envelope, attempt }) => ({
        id: envelope.id,
        attempts: attempt,
        envelope: envelope as Envelope,
      })),
      cursor: last === undefined ? undefined : String(last.sequence),
    };
  }

  /** They wait their turn from now on, ahead of what came since; how many there were. Twice is once. */
  replay(): number {
    const replayed = this.backend.unprocessed === 0 ? 0 : this.stage.recover(() => this.backend.replay());
    this.stage.wake();
    return replayed;
  }

  /** Discards them, counted as dropped for the reason `purged`; how many. */
  clear(): number {
    if (this.backend.unprocessed === 0) return 0;
    this.stage.recover(() => this.backend.replay());
    return this.stage.dropQueued('purged', (lease) => this.backend.isOfEarlierProcess(lease));
  }
}
