import type { VolumeEntry } from '../store/volume.js';
import type { Database } from './peer.js';

/** At most `limit` records with `from <= key < to`, read at once: no cursor is left open. */
export function scanDatabase(
  database: Database,
  from: Uint8Array,
  to: Uint8Array,
  limit: number,
  reverse: boolean,
): VolumeEntry[] {
  const [low, high] = [bufferOf(from), bufferOf(to)];
  const range = reverse
    ? { start: high, end: low, reverse, limit, exclusiveStart: true, inclusiveEnd: true }
    : { start: low, end: high, limit };
  const found: VolumeEntry[] = [];
  for (const { key, value } of database.getRange(range)) found.push({ key: key as Buffer, value });
  return found;
}

export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
