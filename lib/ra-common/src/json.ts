import { RaError } from './errors.js';
import { parseInt64 } from './int64.js';

/** A plain object of JSON values, as `toJSON()` writes it. */
export type JsonObject = Record<string, unknown>;

// Only a slip within a slip nests without a bound of its own; this keeps hostile data from overflowing the stack.
const MAX_DEPTH = 500;
const ISO_DATE = /^(\d{4}|[+-]\d{6})-\d\d-\d\d(T|$)/;

/** Writes a key unless its value is undefined. */
export function setIfDefined(json: JsonObject, key: string, value: unknown): void {
  if (value !== undefined) json[key] = value;
}

/** The value of an own key: what a plain object inherits (`constructor`, `toString`) is no entry of it. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Sets an entry of a record.
 * Throws `invalid` for the key `__proto__`, which would replace the record's prototype instead.
 */
export function setOwnValue<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') throw RaError.invalid('Expected a key other than `__proto__`');
  record[key] = value;
}

/** A short text for a value in an error message; it never throws, whatever the value is. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `\`${JSON.stringify(shorten(value))}\` (string)`;
  if (Array.isArray(value)) return 'an array';
  if (value === null || value === undefined) return `\`${String(value)}\``;
  return typeof value === 'object' ? 'an object' : `\`${shorten(String(value))}\` (${typeof value})`;
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The `type` or `kind` of data nobody knows, for an error message. */
export function describeTag(tag: unknown): string {
  return typeof tag === 'string' ? shorten(tag) : describe(tag);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function holdsProtoKey(root: object): boolean {
  // A set visits what is added while it is walked: no recursion to overflow, and cycles end.
  const seen = new Set<object>([root]);
  for (const value of seen) {
    if (Object.hasOwn(value, '__proto__')) return true;
    if (ArrayBuffer.isView(value)) continue;
    for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) seen.add(child);
  }
  return false;
}

/**
 * A typed view of an object being read. A missing key, or one that is undefined, reads as undefined; a value of another
 * type (null included) throws a `decode` error that names the field by its path.
 */
export class JsonFields {
  private constructor(
    private readonly data: JsonObject,
    private readonly path: string,
    private readonly depth: number,
  ) {}

  /**
   * The door for data from outside: throws `decode` when it is no object, or when an own `__proto__` key hides anywhere in
   * it. What is nested is read through this view and not searched again.
   */
  static of(data: unknown, type: string): JsonFields {
    const fields = JsonFields.view(data, type, 0);
    if (holdsProtoKey(fields.data)) throw RaError.decode(`Refused \`${type}\`: its data holds a \`__proto__\` key`);
    return fields;
  }

  private static view(data: unknown, path: string, depth: number): JsonFields {
    if (!isObject(data)) throw mismatch(path, 'an object', data);
    if (depth > MAX_DEPTH)
      throw RaError.decode(`Expected \`${path.slice(0, 80)}…\` to nest less than ${MAX_DEPTH} levels`);
    return new JsonFields(data, path, depth);
  }

  /** The value as it is. */
  any(key: string): unknown {
    return ownValue(this.data, key);
  }

  string(key: string): string | undefined {
    return this.read(key, 'a string', (value) => (typeof value === 'string' ? value : undefined));
  }

  boolean(key: string): boolean | undefined {
    return this.read(key, 'a boolean', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  number(key: string): number | undefined {
    return this.read(key, 'a finite number', (value) => (Number.isFinite(value) ? (value as number) : undefined));
  }

  int64(key: string): bigint | undefined {
    return this.read(key, 'a signed 64-bit integer', parseInt64);
  }

  date(key: string): Date | undefined {
    return this.read(key, 'an ISO date', parseDate);
  }

  /** A member of a string enum. */
  choice<E extends string>(key: string, choices: Readonly<Record<string, E>>): E | undefined {
    const value = this.any(key);
    if (value === undefined) return undefined;
    const known = Object.values(choices);
    const chosen = known.find((choice) => choice === value);
    if (chosen === undefined) throw mismatch(`${this.path}.${key}`, `one of ${known.join(', ')}`, value);
    return chosen;
  }

  strings(key: string): string[] | undefined {
    return this.list(key)?.map((item, index) => {
      if (typeof item !== 'string') throw mismatch(`${this.path}.${key}[${index}]`, 'a string', item);
      return item;
    });
  }

  object(key: string): JsonFields | undefined {
    const value = this.any(key);
    return value === undefined ? undefined : JsonFields.view(value, `${this.path}.${key}`, this.depth + 1);
  }

  objects(key: string): JsonFields[] | undefined {
    return this.list(key)?.map((item, index) => JsonFields.view(item, `${this.path}.${key}[${index}]`, this.depth + 1));
  }

  /** A copy of the object; its values are shared with the data. */
  record(key: string): JsonObject | undefined {
    return this.object(key)?.copy();
  }

  /** The names of the object's entries, for an object that is a map. */
  keys(): string[] {
    return Object.keys(this.data);
  }

  copy(): JsonObject {
    return { ...this.data };
  }

  /** Throws `decode` when the tag is present and says that the data is of another class. */
  expectTag(key: 'type' | 'kind', tag: string): void {
    this.read(key, `\`${tag}\``, (value) => (value === tag ? value : undefined));
  }

  private list(key: string): unknown[] | undefined {
    return this.read(key, 'an array', (value) => (Array.isArray(value) ? value : undefined));
  }

  private read<T>(key: string, expected: string, convert: (value: unknown) => T | undefined): T | undefined {
    const value = this.any(key);
    if (value === undefined) return undefined;
    const converted = convert(value);
    if (converted === undefined) throw mismatch(`${this.path}.${key}`, expected, value);
    return converted;
  }
}

function parseDate(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !ISO_DATE.test(value)) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function mismatch(path: string, expected: string, value: unknown): RaError {
  return RaError.decode(`Expected \`${path}\` to be ${expected}, got ${describe(value)}`);
}
