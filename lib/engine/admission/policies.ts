import { Backpressure } from '../options.js';

/** What a full stage does: the publisher waits, is refused for a reason, or the oldest makes room. */
export type WhenFull = 'wait' | 'evict' | 'rejected' | 'drop-newest';

/** Every back-pressure policy in one table; a stage has one of its rows. */
export const WHEN_FULL: Readonly<Record<Backpressure, WhenFull>> = Object.freeze({
  [Backpressure.Block]: 'wait',
  [Backpressure.Reject]: 'rejected',
  [Backpressure.DropNewest]: 'drop-newest',
  [Backpressure.DropOldest]: 'evict',
});
