import { JsonFields, type JsonObject } from '../json.js';
import { readMetaOf, RouteMeta } from './route-meta.js';
import { Route } from './route.js';

/** A route to a service of this bus. */
export class SimpleRoute extends Route {
  get type(): 'simple' {
    return 'simple';
  }

  static of(service: string, operation?: string): SimpleRoute {
    return new SimpleRoute(new RouteMeta(service, operation));
  }

  toJSON(): JsonObject {
    return { type: this.type, meta: this.meta.toJSON() };
  }

  /** Throws `decode` for data that is no SimpleRoute. */
  static fromJSON(data: unknown): SimpleRoute {
    return readSimpleRoute(JsonFields.of(data, 'SimpleRoute'));
  }
}

export function readSimpleRoute(fields: JsonFields): SimpleRoute {
  fields.expectTag('type', 'simple');
  return new SimpleRoute(readMetaOf(fields));
}
