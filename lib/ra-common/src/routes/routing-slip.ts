import { describeTag, JsonFields, setIfDefined, type JsonObject } from '../json.js';
import { readRelayedExternalRoute } from './relayed-external-route.js';
import { readMetaOf } from './route-meta.js';
import { Route } from './route.js';
import { readSimpleExternalRoute } from './simple-external-route.js';
import { readSimpleRoute } from './simple-route.js';

/** One route of a stack and what lies below it. Never changed, so slips and checkpoints can share it. */
interface SlipCell {
  readonly route: Route;
  readonly below: SlipCell | undefined;
  readonly depth: number;
}

/** What `checkpoint()` captured, good for `rollback()` and nothing else: do not look inside. */
export interface SlipCheckpoint {
  readonly top: SlipCell | undefined;
  readonly current: Route | undefined;
}

/**
 * The stages still to visit, last in first out: what is added last is visited next.
 *
 *     top -> { route, below } -> { route, below } -> undefined
 *
 * Putting on top, taking, peeking and counting are O(1), and so are `checkpoint`, `rollback` and `clone`, which are
 * additions of this implementation.
 */
export class DynamicRoutingSlip extends Route {
  private top: SlipCell | undefined = undefined;
  private current: Route | undefined = undefined;

  get type(): 'routing_slip' {
    return 'routing_slip';
  }

  /** Puts the route on top, to be visited next, and stamps the slip's route id on it. */
  addRoute(route: Route): void {
    route.meta.takeRouteIdOf(this.meta);
    this.top = stack(route, this.top);
  }

  /** Takes the top and makes it current. When the slip is empty it answers undefined, and nothing is current any more. */
  nextRoute(): Route | undefined {
    const taken = this.top;
    this.top = taken?.below;
    this.current = taken?.route;
    return this.current;
  }

  /** The route taken last; with none, takes the next one. */
  currentRoute(): Route | undefined {
    return this.current ?? this.nextRoute();
  }

  /** What `nextRoute()` would take. */
  peekAtNextRoute(): Route | undefined {
    return this.top?.route;
  }

  numberRemainingRoutes(): number {
    return this.top === undefined ? 0 : this.top.depth;
  }

  /** Captures the remaining routes and the current one. */
  checkpoint(): SlipCheckpoint {
    return { top: this.top, current: this.current };
  }

  /** Restores exactly what the checkpoint captured, as often as asked; what was added or taken since is forgotten. */
  rollback(checkpoint: SlipCheckpoint): void {
    this.top = checkpoint.top;
    this.current = checkpoint.current;
  }

  /** An independent slip of the same id with the same routes to visit; the routes themselves are shared. */
  clone(): DynamicRoutingSlip {
    const copy = new DynamicRoutingSlip(this.meta.clone());
    copy.top = this.top;
    copy.current = this.current;
    return copy;
  }

  toJSON(): JsonObject {
    const routes: JsonObject[] = [];
    for (let cell = this.top; cell !== undefined; cell = cell.below) routes.push(cell.route.toJSON());
    const json: JsonObject = { type: this.type, meta: this.meta.toJSON(), routes };
    setIfDefined(json, 'current_route', this.current?.toJSON());
    return json;
  }

  /** Throws `decode` for data that is no DynamicRoutingSlip; the routes keep the ids they were written with. */
  static fromJSON(data: unknown): DynamicRoutingSlip {
    return readRoutingSlip(JsonFields.of(data, 'DynamicRoutingSlip'));
  }
}

function stack(route: Route, below: SlipCell | undefined): SlipCell {
  return { route, below, depth: below === undefined ? 1 : below.depth + 1 };
}

export function readRoutingSlip(fields: JsonFields): DynamicRoutingSlip {
  fields.expectTag('type', 'routing_slip');
  const slip = new DynamicRoutingSlip(readMetaOf(fields));
  const current = fields.object('current_route');
  const topFirst = fields.objects('routes')?.map(readRoute) ?? [];
  const top = topFirst.reduceRight<SlipCell | undefined>((below, route) => stack(route, below), undefined);
  slip.rollback({ top, current: current && readRoute(current) });
  return slip;
}

/**
 * Reads a route of any type. Throws `Error("unknown route type: …")`, and `decode` for data that is no route.
 * It lives here because a slip is a route that holds routes: the two readers call each other.
 */
export function routeFromJSON(data: unknown): Route {
  return readRoute(JsonFields.of(data, 'Route'));
}

export function readRoute(fields: JsonFields): Route {
  const type = fields.any('type');
  switch (type) {
    case 'simple':
      return readSimpleRoute(fields);
    case 'simple_external':
      return readSimpleExternalRoute(fields);
    case 'relayed_external':
      return readRelayedExternalRoute(fields);
    case 'routing_slip':
      return readRoutingSlip(fields);
    default:
      throw new Error(`unknown route type: ${describeTag(type)}`);
  }
}
