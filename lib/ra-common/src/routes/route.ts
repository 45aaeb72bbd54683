import type { JsonObject } from '../json.js';
import { RouteMeta } from './route-meta.js';

export type RouteType = 'simple' | 'simple_external' | 'relayed_external' | 'routing_slip';

/** Where an envelope goes: a service of this bus or, for an external route, a peer. */
export abstract class Route {
  readonly meta: RouteMeta;

  constructor(meta: RouteMeta = new RouteMeta()) {
    this.meta = meta;
  }

  abstract get type(): RouteType;

  get service(): string | undefined {
    return this.meta.service;
  }

  get operation(): string | undefined {
    return this.meta.operation;
  }

  get routed(): boolean {
    return this.meta.routed;
  }

  set routed(value: boolean) {
    this.meta.routed = value;
  }

  get routeId(): bigint {
    return this.meta.routeId;
  }

  /** Throws `invalid` for anything but a signed 64-bit bigint. */
  set routeId(value: bigint) {
    this.meta.routeId = value;
  }

  abstract toJSON(): JsonObject;
}
