import { JsonFields, setIfDefined, type JsonObject } from '../json.js';
import { NetworkPeer, readNetworkPeer } from '../network-peer.js';
import { Route } from './route.js';
import { readSimpleExternalRoute, SimpleExternalRoute } from './simple-external-route.js';

/** An external route that travels through relays, which may hold it back or copy it. Its meta is that of its base. */
export class RelayedExternalRoute extends Route {
  readonly base: SimpleExternalRoute;
  fromPeer: NetworkPeer | undefined = undefined;
  toPeer: NetworkPeer | undefined = undefined;
  delayed = false;
  minDelay = 0;
  maxDelay = 0;
  copy = false;
  minCopies = 0;
  maxCopies = 0;
  sensitivity = 0;

  constructor(base: SimpleExternalRoute = new SimpleExternalRoute()) {
    super(base.meta);
    this.base = base;
  }

  get type(): 'relayed_external' {
    return 'relayed_external';
  }

  toJSON(): JsonObject {
    const json: JsonObject = { type: this.type, base: this.base.toJSON() };
    setIfDefined(json, 'from_peer', this.fromPeer?.toJSON());
    setIfDefined(json, 'to_peer', this.toPeer?.toJSON());
    json['delayed'] = this.delayed;
    json['min_delay'] = this.minDelay;
    json['max_delay'] = this.maxDelay;
    json['copy'] = this.copy;
    json['min_copies'] = this.minCopies;
    json['max_copies'] = this.maxCopies;
    json['sensitivity'] = this.sensitivity;
    return json;
  }

  /** Throws `decode` for data that is no RelayedExternalRoute. */
  static fromJSON(data: unknown): RelayedExternalRoute {
    return readRelayedExternalRoute(JsonFields.of(data, 'RelayedExternalRoute'));
  }
}

export function readRelayedExternalRoute(fields: JsonFields): RelayedExternalRoute {
  fields.expectTag('type', 'relayed_external');
  const base = fields.object('base');
  const route = new RelayedExternalRoute(base && readSimpleExternalRoute(base));
  const fromPeer = fields.object('from_peer');
  const toPeer = fields.object('to_peer');
  route.fromPeer = fromPeer && readNetworkPeer(fromPeer);
  route.toPeer = toPeer && readNetworkPeer(toPeer);
  route.delayed = fields.boolean('delayed') ?? false;
  route.minDelay = fields.number('min_delay') ?? 0;
  route.maxDelay = fields.number('max_delay') ?? 0;
  route.copy = fields.boolean('copy') ?? false;
  route.minCopies = fields.number('min_copies') ?? 0;
  route.maxCopies = fields.number('max_copies') ?? 0;
  route.sensitivity = fields.number('sensitivity') ?? 0;
  return route;
}
