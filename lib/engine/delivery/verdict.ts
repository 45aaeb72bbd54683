/** Frozen, compared by `kind`: what an attempt came to. */
export type Verdict =
  | { readonly kind: 'ack' }
  | { readonly kind: 'nack'; readonly error: Error }
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'dead-letter'; readonly reason: string };

export const ACK: Verdict = Object.freeze({ kind: 'ack' });

export const nack = (error: Error): Verdict => ({ kind: 'nack', error });

/** Of the verdicts of a pub/sub attempt the worst counts: dead letter, then the longest retry, then nack, then ack. */
export function worst(one: Verdict, other: Verdict): Verdict {
  if (one.kind === 'retry' && other.kind === 'retry') return other.delayMs > one.delayMs ? other : one;
  return SEVERITY[other.kind] > SEVERITY[one.kind] ? other : one;
}

const SEVERITY: Readonly<Record<Verdict['kind'], number>> = { ack: 0, nack: 1, retry: 2, 'dead-letter': 3 };
