import { Did, Envelope, EventMessage, EventType, Message, SimpleRoute } from '../src/index.js';
import { fullCommand, fullDocument, fullEnvelope, fullEvent, fullText } from './fixtures.js';

describe('the clone of an envelope', () => {
  test('has the same id and the same values', () => {
    const envelope = fullEnvelope();
    const copy = envelope.clone();
    expect(copy).toBeInstanceOf(Envelope);
    expect(copy).not.toBe(envelope);
    expect(copy.equals(envelope)).toBe(true);
    expect(copy.toJSON()).toEqual(envelope.toJSON());
  });

  test('has the same id even if nobody had read it yet', () => {
    const envelope = Envelope.document();
    const copy = envelope.clone();
    expect(copy.id).toBe(envelope.id);
  });

  test('changes nothing of the original, whatever is done to it', () => {
    const envelope = fullEnvelope();
    const before = envelope.toJSON();
    const copy = envelope.clone();
    copy.setHeader('new', 1);
    copy.removeHeader('Authorization');
    copy.mark('new');
    copy.addRoute('new', 'run');
    copy.ratchet();
    copy.ratchet();
    copy.addContent('other');
    copy.addException('new');
    copy.addErrorMessage('new');
    copy.message?.asDocument()?.data.push({});
    Object.assign(copy, { client: 'c2', sensitivity: 9, did: new Did() });
    expect(envelope.toJSON()).toEqual(before);
  });

  test('is not changed by what is done to the original', () => {
    const envelope = fullEnvelope();
    const copy = envelope.clone();
    const before = copy.toJSON();
    envelope.setHeader('new', 1);
    envelope.mark('new');
    envelope.ratchet();
    envelope.addNvp('new', 1);
    envelope.addErrorMessage('new');
    expect(copy.toJSON()).toEqual(before);
  });

  test('shares payload and header values, identity, multipart and routes', () => {
    const envelope = fullEnvelope();
    const payload = new Map([['not', 'json']]);
    envelope.addContent(payload);
    envelope.setHeader('token', payload);
    const copy = envelope.clone();
    expect(copy.content()).toBe(payload);
    expect(copy.header('token')).toBe(payload);
    expect(copy.did).toBe(envelope.did);
    expect(copy.multipart).toBe(envelope.multipart);
    expect(copy.route).toBe(envelope.route);
    expect(copy.dynamicRoutingSlip.peekAtNextRoute()).toBe(envelope.dynamicRoutingSlip.peekAtNextRoute());
  });

  test('keeps its exceptions to itself', () => {
    const envelope = Envelope.document();
    envelope.addException('shared');
    const copy = envelope.clone();
    copy.addException('mine');
    expect(envelope.exceptions()).toEqual(['shared']);
    expect(copy.exceptions()).toEqual(['shared', 'mine']);
  });

  test('follows the itinerary independently', () => {
    const envelope = new Envelope();
    envelope.addRoute('b', 'run');
    envelope.addRoute('a', 'run');
    const [one, two] = [envelope.clone(), envelope.clone()];
    expect([one.ratchet()?.service, one.ratchet()?.service]).toEqual(['a', 'b']);
    two.dynamicRoutingSlip.addRoute(SimpleRoute.of('detour'));
    expect(two.ratchet()?.service).toBe('detour');
    expect(envelope.remainingRoutes()).toBe(2);
  });

  test('of an untouched envelope is as good as any', () => {
    const copy = new Envelope('1').clone();
    copy.setHeader('a', 1);
    copy.mark('m');
    copy.addRoute('a', 'run');
    expect(copy.toJSON()).toMatchObject({ id: '1', headers: { a: 1 }, markers: ['m'] });
    expect(copy.getRoute()?.service).toBe('a');
  });
});

describe('the clone of a message', () => {
  test.each<[string, () => Message]>([
    ['document', fullDocument],
    ['command', fullCommand],
    ['event', fullEvent],
    ['text', fullText],
  ])('of kind %s is of the same class and independent', (kind, make) => {
    const message = make();
    const before = message.toJSON();
    const copy = message.clone();
    expect(copy.constructor).toBe(message.constructor);
    expect(copy).toMatchObject({ kind });
    expect(copy.toJSON()).toEqual(before);
    copy.addErrorMessage('new');
    copy.asDocument()?.put('CONTENT', 'new');
    copy.asDocument()?.data.pop();
    expect(message.toJSON()).toEqual(before);
  });

  test('of an event has the same id even if nobody had read it yet', () => {
    const event = EventMessage.of(EventType.Error);
    const copy = event.clone();
    expect(copy.id).toBe(event.id);
  });
});
