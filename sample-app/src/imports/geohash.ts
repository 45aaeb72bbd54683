const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
const BITS_PER_CHARACTER = 5;

/**
 * The cell of a point as 1 to 10 characters (G. Niemeyer's geohash): the longer, the smaller; neighbours mostly begin
 * alike. The bits of longitude and latitude take turns, longitude first.
 */
export function geohash(latitude: number, longitude: number, length: number): string {
  const bits = length * BITS_PER_CHARACTER;
  const column = cellOf(longitude, 180, Math.ceil(bits / 2));
  const row = cellOf(latitude, 90, Math.floor(bits / 2));
  let hash = '';
  for (let left = bits; left > 0; left -= BITS_PER_CHARACTER) {
    let character = 0;
    for (let bit = left - 1; bit >= left - BITS_PER_CHARACTER; bit--) {
      // From the end, columns and rows alternate; the first bit of all is a column's.
      const source = (bits - 1 - bit) % 2 === 0 ? column : row;
      character = (character << 1) | ((source >> (bit >> 1)) & 1);
    }
    hash += ALPHABET.charAt(character);
  }
  return hash;
}

/** In which of 2^bits equal parts of [-limit, limit] a value lies; the upper limit belongs to the last. */
function cellOf(value: number, limit: number, bits: number): number {
  const parts = 2 ** bits;
  return Math.min(Math.floor(((value + limit) / (2 * limit)) * parts), parts - 1);
}
