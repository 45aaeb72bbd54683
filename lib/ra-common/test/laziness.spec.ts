import { DynamicRoutingSlip, Envelope, EventMessage, EventType, SimpleRoute } from '../src/index.js';
import { catalogue } from './catalogue.js';

const held = (envelope: Envelope): object => JSON.parse(JSON.stringify(Object.entries(envelope)));

describe('what is made at the first reading', () => {
  test('is the same at every reading', () => {
    const envelope = new Envelope();
    expect(envelope.id).toBe(envelope.id);
    expect(envelope.did).toBe(envelope.did);
    expect(envelope.headers).toBe(envelope.headers);
    expect(envelope.markers).toBe(envelope.markers);
    expect(envelope.dynamicRoutingSlip).toBe(envelope.dynamicRoutingSlip);
    expect(envelope.dynamicRoutingSlip.routeId).toBe(envelope.dynamicRoutingSlip.routeId);
    const event = EventMessage.of(EventType.Error);
    expect(event.id).toBe(event.id);
    expect(event.errorMessages).toBe(event.errorMessages);
  });

  test('belongs to one envelope only', () => {
    const [a, b] = [new Envelope(), new Envelope()];
    a.headers['x'] = 1;
    a.markers.push('x');
    a.did.username = 'x';
    a.addRoute('x', 'run');
    expect(b).toMatchObject({ headers: {}, markers: [], did: { username: 'Anon' } });
    expect(b.remainingRoutes()).toBe(0);
  });

  test('is in the JSON of an untouched envelope', () => {
    const always = catalogue.find(({ name }) => name === 'Envelope')?.always ?? [];
    expect(Object.keys(new Envelope().toJSON()).toSorted()).toEqual([...always].toSorted());
    expect(new Envelope().toJSON()).toMatchObject({ headers: {}, markers: [], did: { public_key: {} } });
  });

  test('stays as it was first written', () => {
    const envelope = Envelope.event(EventType.Error);
    envelope.addRoute('a', 'run');
    const first = envelope.toJSON();
    expect(envelope.toJSON()).toEqual(first);
    expect(envelope.id).toBe(first['id']);
    expect(envelope.message?.asEvent()?.id).toBe((first['message'] as EventMessage).id);
  });

  test('can be replaced before and after it was read', () => {
    const envelope = new Envelope();
    envelope.id = 'mine';
    envelope.headers = { a: 1 };
    envelope.markers = ['m'];
    envelope.dynamicRoutingSlip = new DynamicRoutingSlip();
    envelope.dynamicRoutingSlip.addRoute(SimpleRoute.of('a'));
    expect(envelope.header('a')).toBe(1);
    expect(envelope.markerPresent('m')).toBe(true);
    expect(envelope.getRoute()?.service).toBe('a');
    expect(envelope.toJSON()).toMatchObject({ id: 'mine', headers: { a: 1 }, markers: ['m'] });
    envelope.headers = {};
    expect(envelope.headerExists('a')).toBe(false);
  });

  test('is not made by looking for what is not there', () => {
    const envelope = new Envelope();
    const before = held(envelope);
    envelope.getRoute();
    envelope.ratchet();
    envelope.remainingRoutes();
    envelope.header('a');
    envelope.headerExists('a');
    envelope.removeHeader('a');
    envelope.markerPresent('m');
    envelope.content();
    envelope.errorMessages();
    expect(held(envelope)).toEqual(before);
  });

  test('is not made by a clone, except the ids they share: their own and that of the slip', () => {
    const envelope = new Envelope('1');
    expect(envelope.dynamicRoutingSlip).toBeDefined();
    const before = held(envelope);
    expect(held(envelope.clone())).toEqual(before);
    expect(held(envelope)).toEqual(before);
  });

  test('has the same id in a clone, though nobody had drawn it', () => {
    const envelope = new Envelope();
    const copy = envelope.clone();
    expect(copy.id).toBe(envelope.id);
    expect(copy.dynamicRoutingSlip.routeId).toBe(envelope.dynamicRoutingSlip.routeId);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(envelope));
  });
});

describe('an envelope that is headed for a service', () => {
  test('has the route of that service, the same at every reading', () => {
    const envelope = new Envelope();
    envelope.headFor('orders');
    expect(envelope.heading()).toBe('orders');
    expect(envelope.getRoute()).toMatchObject({ service: 'orders', operation: 'RECEIVE', routed: false });
    expect(envelope.getRoute()).toBe(envelope.route);
    expect(envelope.heading()).toBeUndefined();
  });

  test('has it in its JSON, and in that of its clone', () => {
    const envelope = new Envelope();
    envelope.headFor('orders');
    const copy = envelope.clone();
    expect(JSON.stringify(copy)).toBe(JSON.stringify(envelope));
    expect(envelope.toJSON()).toMatchObject({
      route: { type: 'simple', meta: { service: 'orders', operation: 'RECEIVE' } },
    });
  });

  test('goes on to the next route of its slip', () => {
    const envelope = new Envelope();
    envelope.addRoute('next');
    envelope.headFor('orders');
    expect(envelope.ratchet()?.service).toBe('next');
    expect(envelope.heading()).toBeUndefined();
    expect(envelope.ratchet()).toBeUndefined();
  });
});
