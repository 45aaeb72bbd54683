import type { Envelope } from '#ra-common';
import { type DeadLetterFacts, factsOf, unstamp, stamp } from './dead-letter-headers.js';
import { InvalidOptionError } from '../errors.js';
import type { Receipt } from '../intake/receipt.js';
import type { Lease } from '../queue/lease.js';
import type { Stage } from '../stage.js';

/** An envelope whose attempts ended. */
export interface DeadLetter extends DeadLetterFacts {
  readonly id: string;
  /** The channel that keeps it. */
  readonly channel: string;
  readonly envelope: Envelope;
}

/** One page of {@link DeadLetters.list}, oldest first. */
export interface DeadLetterPage {
  readonly items: readonly DeadLetter[];
  /** Hand it to the next call; `undefined` after the last page. */
  readonly cursor: string | undefined;
}

/** Which ones: envelope ids, or all. */
export type Which = readonly string[] | 'all';

const PAGE = 100;
const LARGEST_PAGE = 1_000;

/** The dead letters of a source stage, or all that a dead-letter channel keeps. Those being handled are not among them. */
export class DeadLetters {
  constructor(
    private readonly channel: Stage | undefined,
    private readonly belongs: (facts: DeadLetterFacts) => boolean,
    private readonly offerToSource: (
      source: string,
      envelope: Envelope,
      receipt: Receipt | undefined,
      taken: () => void,
    ) => Promise<boolean>,
  ) {}

  /**
   * A page, oldest first. `limit` 1 to 1000, default 100. A letter that arrives between two pages is on a later one.
   * @throws InvalidOptionError for a limit or a cursor that is none (as a rejection)
   */
  async list({ limit = PAGE, cursor }: { limit?: number; cursor?: string | undefined } = {}): Promise<DeadLetterPage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE) {
      throw new InvalidOptionError('deadLetters.limit', `an integer from 1 to ${LARGEST_PAGE}`, limit);
    }
    const { channel } = this;
    if (channel === undefined) return { items: [], cursor: undefined };
    channel.dropExpired();
    const found = channel.backend.list(parseCursor(cursor), this.matching('all'), limit + 1);
    const last = found.length > limit ? found[limit - 1] : undefined;
    return {
      items: found.slice(0, limit).map(({ envelope }) => letter(channel, envelope as Envelope)),
      cursor: last === undefined ? undefined : String(last.sequence),
    };
  }

  /**
   * Offers letters to their source stages again, oldest first: without their `seda-dead-letter-*` headers, with no
   * attempts counted, slip as it was. A source that waits when full is waited for; a letter that its source refuses, or
   * whose source is gone, stays. Resolves with the number that were taken. Unknown ids are ignored.
   * @throws InvalidOptionError for anything but ids in an array and `'all'` (as a rejection)
   */
  async redrive(which: Which): Promise<number> {
    const { channel } = this;
    if (channel === undefined) return 0;
    channel.dropExpired();
    let redriven = 0;
    for (const lease of channel.borrow(this.matching(which))) {
      if (await this.redriveOne(channel, lease)) redriven++;
    }
    return redriven;
  }

  /**
   * Discards letters, counted as dropped for the reason `purged`. Resolves with their number. Unknown ids are ignored.
   * @throws InvalidOptionError for anything but ids in an array and `'all'` (as a rejection)
   */
  async purge(which: Which): Promise<number> {
    return this.channel?.dropQueued('purged', this.matching(which)) ?? 0;
  }

  private async redriveOne(channel: Stage, lease: Lease): Promise<boolean> {
    const { envelope } = lease;
    const facts = factsOf(envelope) as DeadLetterFacts;
    unstamp(envelope);
    // Given back at that very moment: should it fail again at once, its place in the channel is free.
    const giveBack = (): void => channel.giveBack(lease, true);
    const receipt = channel.storing && entrusted(channel, lease);
    const taken = await this.offerToSource(facts.source, envelope as Envelope, receipt, giveBack).catch(() => false);
    if (!taken) {
      receipt?.handOver();
      stamp(envelope, facts);
      channel.giveBack(lease, false);
    }
    return taken;
  }

  private matching(which: Which): (lease: Lease) => boolean {
    if (which !== 'all' && !Array.isArray(which))
      throw new InvalidOptionError('deadLetters.which', "'all' or an array of envelope ids", which);
    const ids = which === 'all' ? undefined : new Set(which);
    return ({ envelope }) => {
      const facts = factsOf(envelope);
      return facts !== undefined && this.belongs(facts) && (ids === undefined || ids.has(envelope.id));
    };
  }
}

/** Should its source forget, the letter is still somewhere. */
function entrusted(channel: Stage, lease: Lease): Receipt {
  const receipt = channel.blankReceipt();
  receipt.custody = channel.entrust(lease);
  return receipt;
}

function letter(channel: Stage, envelope: Envelope): DeadLetter {
  return { id: envelope.id, channel: channel.name, envelope, ...(factsOf(envelope) as DeadLetterFacts) };
}

function parseCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.NEGATIVE_INFINITY;
  const sequence = Number(cursor);
  if (cursor === '' || !Number.isInteger(sequence)) {
    throw new InvalidOptionError('deadLetters.cursor', 'a cursor of an earlier page', cursor);
  }
  return sequence;
}
