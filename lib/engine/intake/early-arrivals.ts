import type { EnvelopeShape } from '../envelope.js';
import type { PublishOptions } from './publish-options.js';
import type { Receipt } from './receipt.js';

const MOST = 1_024;

interface EarlyArrival {
  readonly envelope: EnvelopeShape;
  readonly options: PublishOptions | undefined;
  readonly receipt: Receipt | undefined;
}

/**
 * Envelopes for names that no stage has yet, published before the bus started: stages may still be registered. They are
 * judged at the start.
 */
export class EarlyArrivals {
  private held: EarlyArrival[] = [];

  get count(): number {
    return this.held.length;
  }

  /** `false` when too many are held already. */
  hold(arrival: EarlyArrival): boolean {
    if (this.held.length >= MOST) return false;
    this.held.push(arrival);
    return true;
  }

  /** Hands them over in the order they came; afterwards there are none. */
  release(judge: (arrival: EarlyArrival) => void): void {
    const { held } = this;
    this.held = [];
    for (const arrival of held) judge(arrival);
  }
}
