import { type EnvelopeShape, type SlipShape, serviceOf } from '../envelope.js';

/** What a slip was; `undefined` for one without routes. */
export type SlipMark = { readonly remaining: number; readonly checkpoint: unknown } | undefined;

/** What `ra-common`'s slip offers beyond the shape: its state, taken and put back in O(1). */
interface Rewindable extends SlipShape {
  checkpoint(): unknown;
  rollback(checkpoint: unknown): void;
}

/** How many routes are left to visit. Does not make an envelope build a slip that it does not have yet. */
export function remainingRoutes(envelope: EnvelopeShape & { remainingRoutes?: () => number }): number {
  return envelope.remainingRoutes?.() ?? envelope.dynamicRoutingSlip.numberRemainingRoutes();
}

/** The next stage's name: `undefined` at the end of the way and for a route that leads out of the process. */
export function nextStage(envelope: EnvelopeShape): string | undefined {
  return serviceOf(envelope.dynamicRoutingSlip.peekAtNextRoute());
}

export function markSlip(envelope: EnvelopeShape): SlipMark {
  const remaining = remainingRoutes(envelope);
  if (remaining === 0) return undefined;
  const slip = envelope.dynamicRoutingSlip;
  return { remaining, checkpoint: isRewindable(slip) ? slip.checkpoint() : undefined };
}

/** Undoes what a handler did to the slip. On a slip that cannot be rewound, routes pushed are taken off again. */
export function cutBack(envelope: EnvelopeShape, mark: SlipMark): void {
  const slip = envelope.dynamicRoutingSlip;
  if (mark?.checkpoint !== undefined) (slip as Rewindable).rollback(mark.checkpoint);
  else for (let extra = slip.numberRemainingRoutes() - (mark?.remaining ?? 0); extra > 0; extra--) slip.nextRoute();
}

function isRewindable(slip: SlipShape): slip is Rewindable {
  return typeof (slip as Partial<Rewindable>).checkpoint === 'function';
}
