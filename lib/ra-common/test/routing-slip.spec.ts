import { DynamicRoutingSlip, RelayedExternalRoute, RouteMeta, SimpleExternalRoute, SimpleRoute } from '../src/index.js';
import { overTheWire } from './fixtures.js';

function slipOf(...services: string[]): DynamicRoutingSlip {
  const slip = new DynamicRoutingSlip();
  for (const service of services) slip.addRoute(SimpleRoute.of(service));
  return slip;
}

function drain(slip: DynamicRoutingSlip): Array<string | undefined> {
  const services = [];
  for (let route = slip.nextRoute(); route !== undefined; route = slip.nextRoute()) services.push(route.service);
  return services;
}

describe('a routing slip', () => {
  test('visits last what was added first', () => {
    expect(drain(slipOf('a', 'b', 'c'))).toEqual(['c', 'b', 'a']);
  });

  test('visits a route that is added under way before the others', () => {
    const slip = slipOf('a', 'b');
    expect(slip.nextRoute()?.service).toBe('b');
    slip.addRoute(SimpleRoute.of('detour'));
    expect(drain(slip)).toEqual(['detour', 'a']);
  });

  test('counts the routes that remain', () => {
    const slip = slipOf('a', 'b');
    expect(slip.numberRemainingRoutes()).toBe(2);
    slip.nextRoute();
    expect(slip.numberRemainingRoutes()).toBe(1);
    slip.nextRoute();
    slip.nextRoute();
    expect(slip.numberRemainingRoutes()).toBe(0);
  });

  test('lets peek at the top without taking it', () => {
    const slip = slipOf('a', 'b');
    expect(slip.peekAtNextRoute()?.service).toBe('b');
    expect(slip.peekAtNextRoute()).toBe(slip.nextRoute());
    expect(new DynamicRoutingSlip().peekAtNextRoute()).toBeUndefined();
  });

  test('takes the first route when asked for the current one, and only once', () => {
    const slip = slipOf('a', 'b');
    const current = slip.currentRoute();
    expect(current?.service).toBe('b');
    expect(slip.currentRoute()).toBe(current);
    expect(slip.numberRemainingRoutes()).toBe(1);
  });

  test('has no current route after its end', () => {
    const slip = slipOf('a');
    slip.nextRoute();
    expect(slip.nextRoute()).toBeUndefined();
    expect(slip.currentRoute()).toBeUndefined();
    expect(slip.toJSON()).not.toHaveProperty('current_route');
  });

  test('stamps its id on what is added', () => {
    const slip = slipOf('a');
    const relayed = new RelayedExternalRoute();
    slip.addRoute(relayed);
    expect(relayed.routeId).toBe(slip.routeId);
    expect(relayed.base.routeId).toBe(slip.routeId);
    expect(slip.currentRoute()?.routeId).toBe(slip.routeId);
  });

  test('does not pass on an id it is given after a route was added', () => {
    const slip = slipOf('a');
    slip.routeId = 5n;
    expect(slip.peekAtNextRoute()?.routeId).not.toBe(5n);
    slip.addRoute(SimpleRoute.of('b'));
    expect(slip.peekAtNextRoute()?.routeId).toBe(5n);
  });

  test('does not take on an id that is given to one of its routes', () => {
    const slip = slipOf('a', 'b');
    const top = slip.nextRoute();
    if (top) top.routeId = 7n;
    expect(slip.routeId).not.toBe(7n);
    expect(slip.peekAtNextRoute()?.routeId).toBe(slip.routeId);
  });

  test('is written top first', () => {
    const slip = slipOf('a', 'b', 'c');
    slip.nextRoute();
    expect(slip.toJSON()).toMatchObject({
      type: 'routing_slip',
      routes: [{ meta: { service: 'b' } }, { meta: { service: 'a' } }],
      current_route: { meta: { service: 'c' } },
    });
  });

  test('goes on after a journey where it stood, with the ids the routes had', () => {
    const slip = slipOf('a', 'b', 'c');
    slip.nextRoute();
    const other = slip.peekAtNextRoute();
    if (other) other.routeId = 9n;
    const read = DynamicRoutingSlip.fromJSON(overTheWire(slip));
    expect(read.currentRoute()?.service).toBe('c');
    expect(read.peekAtNextRoute()?.routeId).toBe(9n);
    expect(drain(read)).toEqual(['b', 'a']);
  });

  test('holds a hundred thousand routes', () => {
    const slip = new DynamicRoutingSlip();
    for (let i = 0; i < 100_000; i++) slip.addRoute(SimpleRoute.of(`s${i}`));
    const read = DynamicRoutingSlip.fromJSON(slip.toJSON());
    expect(read.numberRemainingRoutes()).toBe(100_000);
    expect(read.nextRoute()?.service).toBe('s99999');
  });
});

describe('a checkpoint', () => {
  test('restores the remaining routes and the current one', () => {
    const slip = slipOf('a', 'b', 'c');
    slip.nextRoute();
    const before = slip.toJSON();
    const checkpoint = slip.checkpoint();
    slip.nextRoute();
    slip.addRoute(SimpleRoute.of('d'));
    slip.nextRoute();
    slip.rollback(checkpoint);
    expect(slip.toJSON()).toEqual(before);
  });

  test('restores an untouched slip to one without a current route', () => {
    const slip = slipOf('a');
    const checkpoint = slip.checkpoint();
    slip.currentRoute();
    slip.rollback(checkpoint);
    expect(slip.numberRemainingRoutes()).toBe(1);
    expect(slip.toJSON()).not.toHaveProperty('current_route');
  });

  test('is good for any number of rollbacks', () => {
    const slip = slipOf('a', 'b');
    const checkpoint = slip.checkpoint();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(drain(slip)).toEqual(['b', 'a']);
      slip.rollback(checkpoint);
    }
  });
});

describe('the clone of a slip', () => {
  test('has the same id, values and routes', () => {
    const slip = slipOf('a', 'b');
    slip.routed = true;
    slip.nextRoute();
    const copy = slip.clone();
    expect(copy).toBeInstanceOf(DynamicRoutingSlip);
    expect(copy.toJSON()).toEqual(slip.toJSON());
    expect(copy.peekAtNextRoute()).toBe(slip.peekAtNextRoute());
  });

  test('goes its own way', () => {
    const slip = slipOf('a', 'b');
    const copy = slip.clone();
    copy.addRoute(SimpleRoute.of('c'));
    copy.routed = true;
    expect(drain(copy)).toEqual(['c', 'b', 'a']);
    expect(slip.routed).toBe(false);
    expect(drain(slip)).toEqual(['b', 'a']);
  });

  test('has the id of the original even if nobody had read it yet, until one of them is given another', () => {
    const slip = new DynamicRoutingSlip();
    const copy = slip.clone();
    expect(copy.routeId).toBe(slip.routeId);
    slip.routeId = 1n;
    expect(copy.routeId).not.toBe(1n);
  });
});

describe('a route', () => {
  test('answers for its meta', () => {
    const route = SimpleRoute.of('orders', 'price');
    expect(route).toMatchObject({ type: 'simple', service: 'orders', operation: 'price', routed: false });
    route.routed = true;
    route.routeId = -1n;
    expect(route.meta.toJSON()).toEqual({ service: 'orders', operation: 'price', routed: true, route_id: '-1' });
  });

  test('sends the content only when it is made external by `of`', () => {
    expect(SimpleExternalRoute.of('s', 'o')).toMatchObject({ service: 's', operation: 'o', sendContentOnly: true });
    expect(new SimpleExternalRoute()).toMatchObject({ sendContentOnly: false, statusCode: 0 });
  });

  test('that is relayed shares the meta of its base', () => {
    const route = new RelayedExternalRoute(SimpleExternalRoute.of('s', 'o'));
    expect(route.meta).toBe(route.base.meta);
    expect(RelayedExternalRoute.fromJSON(overTheWire(route)).service).toBe('s');
  });

  test('draws an id of signed 64 bits once, and another for each route', () => {
    const ids = Array.from({ length: 200 }, () => new SimpleRoute());
    for (const route of ids) {
      expect(route.routeId).toBe(route.routeId);
      expect(BigInt.asIntN(64, route.routeId)).toBe(route.routeId);
    }
    expect(new Set(ids.map((route) => route.routeId)).size).toBe(200);
    expect(ids.some((route) => route.routeId < 0n) && ids.some((route) => route.routeId > 0n)).toBe(true);
  });

  test.each([2n ** 63n, -(2n ** 63n) - 1n, 5 as unknown as bigint])('refuses %p as its id', (id) => {
    expect(() => (new SimpleRoute().routeId = id)).toThrow('invalid: Expected `routeId` to be a signed 64-bit bigint');
  });

  test.each([
    [42, 42n],
    [-1, -1n],
    ['42', 42n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9223372036854775807', 2n ** 63n - 1n],
  ])('reads %p as its id', (written, id) => {
    expect(RouteMeta.fromJSON({ route_id: written }).routeId).toBe(id);
  });
});
