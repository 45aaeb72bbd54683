import { isIntact } from './checksum.js';
import { PREFIX_BYTES, Space, following } from './keys.js';
import type { Verification, Volume } from './volume.js';

/** Records read at once. */
const STRIDE = 512;

/** Reads every record there is and checks it: what a store that was not closed in order is asked before it is trusted. */
export function verify(volume: Pick<Volume, 'scan'>): Verification {
  const damaged: Uint8Array[] = [];
  const counts: Record<string, number> = {};
  const end = Buffer.of(Space.Damaged);
  let from: Uint8Array = Buffer.of(0);
  for (;;) {
    const found = volume.scan(from, end, STRIDE);
    for (const { key, value } of found) {
      if (isIntact(key, value)) count(counts, key);
      else damaged.push(key);
    }
    const last = found.at(-1);
    if (last === undefined || found.length < STRIDE) return { damaged, counts };
    from = following(last.key);
  }
}

function count(counts: Record<string, number>, key: Uint8Array): void {
  const prefix = Buffer.from(key.subarray(0, PREFIX_BYTES)).toString('hex');
  counts[prefix] = (counts[prefix] ?? 0) + 1;
}
