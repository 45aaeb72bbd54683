import {
  Action,
  CommandMessage,
  Envelope,
  EventType,
  ServiceLevel,
  SimpleExternalRoute,
  SimpleRoute,
} from '../src/index.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the makers of an envelope', () => {
  test('give it the message they are named for', () => {
    expect(Envelope.document().message?.kind).toBe('document');
    expect(Envelope.documentWithId('7')).toMatchObject({ id: '7', message: { kind: 'document' } });
    expect(Envelope.command().message?.kind).toBe('command');
    expect(Envelope.event(EventType.BusStatus).message?.asEvent()?.eventType).toBe(EventType.BusStatus);
    expect(Envelope.text().message?.kind).toBe('text');
    expect(Envelope.headersOnly().message).toBeUndefined();
  });

  test('draw a random UUID for each', () => {
    const ids = Array.from({ length: 100 }, () => Envelope.document().id);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(UUID);
  });

  test('take id and message as they are given', () => {
    const message = new CommandMessage();
    const envelope = new Envelope('', message);
    expect(envelope.id).toBe('');
    expect(envelope.message).toBe(message);
  });
});

describe('an envelope', () => {
  test('starts with the defaults', () => {
    const envelope = new Envelope();
    const unset = [
      'route',
      'client',
      'clientReplyAction',
      'url',
      'multipart',
      'action',
      'commandPath',
      'message',
    ] as const;
    for (const name of unset) expect(envelope[name]).toBeUndefined();
    expect(envelope).toMatchObject({ replyToClient: false, sensitivity: 1, delayed: false, minDelay: 0, maxDelay: 0 });
    expect(envelope).toMatchObject({ copy: false, minCopies: 0, maxCopies: 0, serviceLevel: ServiceLevel.AtLeastOnce });
    expect(envelope).toMatchObject({ markers: [], headers: {}, did: { username: 'Anon' } });
    expect(envelope.dynamicRoutingSlip.numberRemainingRoutes()).toBe(0);
  });

  test('equals another of the same id, whatever else they hold', () => {
    expect(new Envelope('1').equals(Envelope.documentWithId('1'))).toBe(true);
    expect(new Envelope('1').equals(new Envelope('2'))).toBe(false);
    expect(new Envelope().equals(new Envelope())).toBe(false);
  });

  test('is written as text with an indent, and read from it', () => {
    const envelope = Envelope.documentWithId('1');
    envelope.action = Action.Get;
    expect(envelope.toJson()).toBe(JSON.stringify(envelope.toJSON(), null, 2));
    expect(envelope.toJson(0)).toBe(JSON.stringify(envelope));
    expect(Envelope.fromJson(envelope.toJson()).toJSON()).toEqual(envelope.toJSON());
  });

  test('shows a mark once however often it is made', () => {
    const envelope = new Envelope();
    expect(envelope.markerPresent('seen')).toBe(false);
    envelope.mark('seen');
    envelope.mark('seen');
    expect(envelope.markerPresent('seen')).toBe(true);
    expect(envelope.markerPresent('other')).toBe(false);
    expect(envelope.markers).toEqual(['seen']);
  });
});

describe('the route of an envelope', () => {
  test('is undefined without a route and without a slip', () => {
    expect(new Envelope().getRoute()).toBeUndefined();
    expect(new Envelope().ratchet()).toBeUndefined();
    expect(new Envelope().remainingRoutes()).toBe(0);
  });

  test('is the one that was set, and then the slip is left alone', () => {
    const envelope = new Envelope();
    envelope.route = SimpleRoute.of('set');
    envelope.addRoute('on the slip', 'run');
    expect(envelope.getRoute()?.service).toBe('set');
    expect(envelope.remainingRoutes()).toBe(1);
  });

  test('is taken from the slip when none was set, once', () => {
    const envelope = new Envelope();
    envelope.addRoute('second', 'run');
    envelope.addRoute('first', 'run');
    expect(envelope.getRoute()).toMatchObject({ service: 'first', operation: 'run' });
    expect(envelope.getRoute()?.service).toBe('first');
    expect(envelope.route?.service).toBe('first');
    expect(envelope.remainingRoutes()).toBe(1);
  });

  test('moves along the slip with every ratchet and ends undefined', () => {
    const envelope = new Envelope();
    envelope.route = SimpleRoute.of('start');
    envelope.addRoute('b', 'run');
    envelope.addRoute('a', 'run');
    expect(envelope.ratchet()?.service).toBe('a');
    expect(envelope.getRoute()?.service).toBe('a');
    expect(envelope.ratchet()?.service).toBe('b');
    expect(envelope.remainingRoutes()).toBe(0);
    expect(envelope.ratchet()).toBeUndefined();
    expect(envelope.getRoute()).toBeUndefined();
    expect(envelope.ratchet()).toBeUndefined();
  });

  test('is external when it was added so', () => {
    const envelope = new Envelope();
    envelope.addExternalRoute('remote', 'run');
    const route = envelope.getRoute();
    expect(route).toBeInstanceOf(SimpleExternalRoute);
    expect(route).toMatchObject({
      type: 'simple_external',
      service: 'remote',
      operation: 'run',
      sendContentOnly: true,
    });
  });

  test('has the id of the slip it was added to', () => {
    const envelope = new Envelope();
    envelope.addRoute('a', 'run');
    expect(envelope.getRoute()?.routeId).toBe(envelope.dynamicRoutingSlip.routeId);
  });

  test('is still there after a journey', () => {
    const envelope = new Envelope();
    envelope.addRoute('b', 'run');
    envelope.addRoute('a', 'run');
    envelope.getRoute();
    const read = Envelope.fromJson(envelope.toJson());
    expect(read.getRoute()?.service).toBe('a');
    expect(read.ratchet()?.service).toBe('b');
    expect(read.ratchet()).toBeUndefined();
  });
});
