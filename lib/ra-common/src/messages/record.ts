import type { JsonObject } from '../json.js';
import { EXCEPTIONS } from './keys.js';

/** A copy of the record. An Error has no JSON of its own (`{}`), so those in the list of exceptions become their text. */
export function recordToJson(record: JsonObject): JsonObject {
  const exceptions = record[EXCEPTIONS];
  if (!Array.isArray(exceptions)) return { ...record };
  return { ...record, [EXCEPTIONS]: exceptions.map((item: unknown) => (isError(item) ? String(item) : item)) };
}

// `instanceof` is false for an error of another realm.
function isError(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Error]';
}
