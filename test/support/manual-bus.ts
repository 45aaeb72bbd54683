import { type PublishOptions, SedaBus, type SedaBusOptions, envelopePayload, makeEnvelope } from '#engine';
import type { Envelope } from '#engine';
import { ManualClock } from './manual-clock.js';

/** A bus whose time passes when the test says so. */
export function manualBus(options: SedaBusOptions = {}): { bus: SedaBus; clock: ManualClock } {
  const clock = new ManualClock();
  return { bus: new SedaBus({ clock, ...options }), clock };
}

/** 0, 1, 2, … */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Offers an envelope for each payload, in order; what each was answered. */
export function offerEach(bus: SedaBus, to: string, payloads: readonly unknown[], options?: PublishOptions): boolean[] {
  return payloads.map((payload) => bus.offer(makeEnvelope(to, payload), options));
}

/** A consumer that acks, and the payloads it has seen. */
export class Recorder {
  readonly seen: unknown[] = [];

  readonly consumer = (envelope: Envelope): void => {
    this.seen.push(envelopePayload(envelope));
  };
}
