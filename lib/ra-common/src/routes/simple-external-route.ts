import { JsonFields, setIfDefined, type JsonObject } from '../json.js';
import { NetworkPeer, readNetworkPeer } from '../network-peer.js';
import { readMetaOf, RouteMeta } from './route-meta.js';
import { Route } from './route.js';

/** A route to a service of another peer. */
export class SimpleExternalRoute extends Route {
  origination: NetworkPeer | undefined = undefined;
  destination: NetworkPeer | undefined = undefined;
  sendContentOnly = false;
  statusCode = 0;

  get type(): 'simple_external' {
    return 'simple_external';
  }

  /** A route that sends the content only, not the envelope around it. */
  static of(service: string, operation?: string): SimpleExternalRoute {
    const route = new SimpleExternalRoute(new RouteMeta(service, operation));
    route.sendContentOnly = true;
    return route;
  }

  toJSON(): JsonObject {
    const json: JsonObject = { type: this.type, meta: this.meta.toJSON() };
    setIfDefined(json, 'origination', this.origination?.toJSON());
    setIfDefined(json, 'destination', this.destination?.toJSON());
    json['send_content_only'] = this.sendContentOnly;
    json['status_code'] = this.statusCode;
    return json;
  }

  /** Throws `decode` for data that is no SimpleExternalRoute. */
  static fromJSON(data: unknown): SimpleExternalRoute {
    return readSimpleExternalRoute(JsonFields.of(data, 'SimpleExternalRoute'));
  }
}

export function readSimpleExternalRoute(fields: JsonFields): SimpleExternalRoute {
  fields.expectTag('type', 'simple_external');
  const route = new SimpleExternalRoute(readMetaOf(fields));
  const origination = fields.object('origination');
  const destination = fields.object('destination');
  route.origination = origination && readNetworkPeer(origination);
  route.destination = destination && readNetworkPeer(destination);
  route.sendContentOnly = fields.boolean('send_content_only') ?? false;
  route.statusCode = fields.number('status_code') ?? 0;
  return route;
}
