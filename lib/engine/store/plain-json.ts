import { types } from 'node:util';

/** What JSON would not give back, and where it is. */
export interface Unstorable {
  /** Such as `payload.items[2].price`. */
  readonly path: string;
  /** What is there, in words: `NaN`, `a Map`. */
  readonly found: string;
}

/** Deeper values are looked at for cycles, too: nobody nests that deep on purpose. */
const CYCLES_FROM = 32;
/** As deep as `JSON.stringify` is sure to go. */
const DEEPEST = 500;

/**
 * The first thing in `value` that JSON would change or refuse; `undefined` when there is none.
 *
 * Storable are texts, finite numbers, booleans, `null`, arrays of these without holes, and plain objects of them. Dates are
 * taken for the texts that JSON makes of them, −0 for 0, and a property that is `undefined` for one that is not there. An
 * object is plain by its shape and not by its class, which would be another one in another realm: it has no prototype, or
 * one that has none.
 * @param path what to call `value`
 */
export function findUnstorable(value: unknown, path: string): Unstorable | undefined {
  return find(value, path, 0, undefined);
}

function find(
  value: unknown,
  path: string,
  depth: number,
  above: readonly object[] | undefined,
): Unstorable | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { path, found: String(value) };
    case 'object':
      return value === null ? undefined : findInObject(value, path, depth, above);
    default:
      return { path, found: nameOf(value) };
  }
}

function findInObject(
  value: object,
  path: string,
  depth: number,
  above: readonly object[] | undefined,
): Unstorable | undefined {
  if (depth >= DEEPEST) return { path, found: `nested more than ${DEEPEST} deep` };
  if (above?.includes(value) === true) return { path, found: 'a part of itself' };
  const chain = depth >= CYCLES_FROM ? [...(above ?? []), value] : undefined;
  if (Array.isArray(value)) return findInArray(value, path, depth, chain);
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? { path, found: 'an invalid Date' } : undefined;
  if (!isPlain(value)) return { path, found: nameOf(value) };
  return findInRecord(value, path, depth, chain);
}

function findInArray(
  list: readonly unknown[],
  path: string,
  depth: number,
  chain: readonly object[] | undefined,
): Unstorable | undefined {
  for (let at = 0; at < list.length; at++) {
    const found = find(list[at], '', depth + 1, chain);
    if (found !== undefined) return { path: `${path}[${at}]${found.path}`, found: found.found };
  }
  return undefined;
}

function findInRecord(
  record: object,
  path: string,
  depth: number,
  chain: readonly object[] | undefined,
): Unstorable | undefined {
  for (const name of Object.keys(record)) {
    if (name === '__proto__') return { path: `${path}["__proto__"]`, found: 'a property of that name' };
    let value: unknown;
    try {
      value = (record as Record<string, unknown>)[name];
    } catch {
      return { path: pathTo(path, name), found: 'a property that throws when it is read' };
    }
    if (value === undefined) continue;
    const found = find(value, '', depth + 1, chain);
    if (found !== undefined) return { path: pathTo(path, name) + found.path, found: found.found };
  }
  return undefined;
}

function isPlain(value: object): boolean {
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function pathTo(path: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

/** `undefined`, `a bigint`, `a Map`. */
function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const { constructor } = value as { constructor?: { name?: unknown } };
  const name = typeof constructor?.name === 'string' && constructor.name !== '' ? constructor.name : 'object';
  return `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} ${name}${name === 'Object' ? ' with a toJSON of its own' : ''}`;
}
