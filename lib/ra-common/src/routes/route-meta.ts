import { RaError } from '../errors.js';
import { isInt64, randomInt64 } from '../int64.js';
import { JsonFields, setIfDefined, type JsonObject } from '../json.js';

/** An id that is drawn at its first reading, by whichever of its holders reads it first. */
class LazyRouteId {
  private drawn: bigint | undefined;

  constructor(value?: bigint) {
    this.drawn = value;
  }

  get value(): bigint {
    return (this.drawn ??= randomInt64());
  }
}

/** Where a route leads, and whether it was taken. */
export class RouteMeta {
  service: string | undefined;
  operation: string | undefined;
  routed = false;
  private lazyId: LazyRouteId | undefined = undefined;

  constructor(service?: string, operation?: string) {
    this.service = service;
    this.operation = operation;
  }

  /**
   * A signed 64-bit integer, random unless it was set; equal on all routes of a slip.
   * Setting throws `invalid` for anything else.
   */
  get routeId(): bigint {
    return this.sharedId().value;
  }

  set routeId(value: bigint) {
    if (!isInt64(value)) throw RaError.invalid('Expected `routeId` to be a signed 64-bit bigint');
    this.lazyId = new LazyRouteId(value);
  }

  /** Takes over the other's route id as it is now, without drawing it. */
  takeRouteIdOf(other: RouteMeta): void {
    this.lazyId = other.sharedId();
  }

  /** A copy of the same values. */
  clone(): RouteMeta {
    const copy = new RouteMeta(this.service, this.operation);
    copy.routed = this.routed;
    copy.takeRouteIdOf(this);
    return copy;
  }

  toJSON(): JsonObject {
    const json: JsonObject = {};
    setIfDefined(json, 'service', this.service);
    setIfDefined(json, 'operation', this.operation);
    json['routed'] = this.routed;
    json['route_id'] = this.routeId.toString();
    return json;
  }

  /** Throws `decode` for data that is no RouteMeta; a missing route id is drawn at random. */
  static fromJSON(data: unknown): RouteMeta {
    return readRouteMeta(JsonFields.of(data, 'RouteMeta'));
  }

  // The value behind it never changes once drawn, and setting an id replaces the holder: sharing cannot be noticed.
  private sharedId(): LazyRouteId {
    return (this.lazyId ??= new LazyRouteId());
  }
}

export function readRouteMeta(fields: JsonFields): RouteMeta {
  const meta = new RouteMeta(fields.string('service'), fields.string('operation'));
  meta.routed = fields.boolean('routed') ?? false;
  const routeId = fields.int64('route_id');
  if (routeId !== undefined) meta.routeId = routeId;
  return meta;
}

/** The `meta` of a route being read; a new one when there is none. */
export function readMetaOf(fields: JsonFields): RouteMeta {
  const meta = fields.object('meta');
  return meta ? readRouteMeta(meta) : new RouteMeta();
}
