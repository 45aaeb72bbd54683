import { randomUUID } from 'node:crypto';

const DECIMAL = /^-?\d{1,19}$/;

/** Whether a value is a bigint that fits a signed 64-bit integer. */
export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
}

/** A random signed 64-bit integer. */
export function randomInt64(): bigint {
  // Node keeps a pool of entropy for UUIDs, which makes this several times cheaper than `randomBytes(8)`. The sixteen
  // digits taken leave out the version and variant bits, the only ones of a UUID that are not random.
  const uuid = randomUUID();
  return BigInt.asIntN(64, BigInt(`0x${uuid.slice(0, 8)}${uuid.slice(28)}`));
}

/** Reads a signed 64-bit integer from a JSON number or a decimal string; undefined when it is neither. */
export function parseInt64(value: unknown): bigint | undefined {
  const readable =
    typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && DECIMAL.test(value);
  if (!readable) return undefined;
  const parsed = BigInt(value as number | string);
  return isInt64(parsed) ? parsed : undefined;
}
