import { crc32 } from 'node:zlib';

/** What every value of a store begins with. */
export const CHECKSUM_BYTES = 4;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Writes the checksum of a value and its key into the value's first bytes, and returns the value. */
export function seal(key: Uint8Array, value: Buffer): Buffer {
  value.writeUInt32LE(checksum(key, value), 0);
  return value;
}

/** Whether key and value are what was written. */
export function isIntact(key: Uint8Array, value: Uint8Array): boolean {
  if (value.length < CHECKSUM_BYTES) return false;
  const held =
    ((value[0] as number) |
      ((value[1] as number) << 8) |
      ((value[2] as number) << 16) |
      ((value[3] as number) << 24)) >>>
    0;
  return held === checksum(key, value);
}

/** CRC-32 (ISO 3309) of the value, begun with the FNV-1a hash of the key: a record under another key is damaged, too. */
function checksum(key: Uint8Array, value: Uint8Array): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ (key[at] as number), FNV_PRIME);
  return crc32(value.subarray(CHECKSUM_BYTES), hash >>> 0);
}
