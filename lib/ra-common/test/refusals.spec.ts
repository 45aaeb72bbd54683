import {
  CommandMessage,
  Did,
  DocumentMessage,
  DynamicRoutingSlip,
  Envelope,
  EventMessage,
  Hash,
  messageFromJSON,
  Multipart,
  NetworkPeer,
  PublicKey,
  RaError,
  routeFromJSON,
  RouteMeta,
  Signature,
  SimpleRoute,
} from '../src/index.js';
import { catalogue } from './catalogue.js';
import { fullEnvelope, overTheWire } from './fixtures.js';

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

function expectDecodeError(run: () => unknown, ...texts: string[]): void {
  const error = thrownBy(run);
  expect(error).toBeInstanceOf(RaError);
  expect(error).toMatchObject({ name: 'RaError', kind: 'decode' });
  expect(error.message).toMatch(/^decode: /);
  for (const text of texts) expect(error.message).toContain(text);
}

const NON_OBJECTS: ReadonlyArray<[unknown, string]> = [
  [null, '`null`'],
  [undefined, '`undefined`'],
  [[], 'an array'],
  [[{}], 'an array'],
  ['text', '"text"'],
  [42, '42'],
  [true, 'true'],
  [() => 1, 'function'],
];

describe.each(catalogue)('$name', ({ name, minimal, fromJSON }) => {
  test.each(NON_OBJECTS)('refuses %p and names itself', (data, shown) => {
    expectDecodeError(() => fromJSON(data), `\`${name}\``, 'an object', shown);
  });

  test.each([
    ['at the top', '{"__proto__":{"polluted":true}}'],
    ['in an unknown key', '{"other":{"__proto__":{"polluted":true}}}'],
    ['in a list of lists', '{"other":[[{"deep":{"__proto__":1}}]]}'],
    ...['headers', 'attributes', 'signed_attributes', 'meta', 'did'].map((key) => [
      `in ${key}`,
      `{"${key}":{"__proto__":{"polluted":true}}}`,
    ]),
    ['in a document record', '{"data":[{"__proto__":{"polluted":true}}]}'],
    ['in a document of an envelope', '{"message":{"kind":"document","data":[{"CONTENT":{"__proto__":1}}]}}'],
  ])('refuses a __proto__ key %s', (_, text) => {
    const { type, kind } = minimal().toJSON();
    const data = JSON.parse(text.replace('{', `{${type ? `"type":"${type}",` : ''}${kind ? `"kind":"${kind}",` : ''}`));
    expectDecodeError(() => fromJSON(data), `\`${name}\``, '__proto__');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a field of the wrong type is refused by its path', () => {
  test.each<[string, (data: unknown) => unknown, unknown, string]>([
    ['a number for a string', Envelope.fromJSON, { id: 5 }, 'Envelope.id` to be a string, got `5` (number)'],
    ['null for a string', Envelope.fromJSON, { client: null }, 'Envelope.client` to be a string, got `null`'],
    [
      'a string for a number',
      Envelope.fromJSON,
      { sensitivity: 'high' },
      'Envelope.sensitivity` to be a finite number',
    ],
    ['NaN for a number', Envelope.fromJSON, { min_delay: Number.NaN }, 'Envelope.min_delay`'],
    ['a string for a boolean', Envelope.fromJSON, { copy: 'yes' }, 'Envelope.copy` to be a boolean, got `"yes"`'],
    ['an array for headers', Envelope.fromJSON, { headers: [] }, 'Envelope.headers` to be an object, got an array'],
    ['null for an object', Envelope.fromJSON, { did: null }, 'Envelope.did` to be an object, got `null`'],
    ['an object for a list', Envelope.fromJSON, { markers: {} }, 'Envelope.markers` to be an array, got an object'],
    ['a number in a list', Envelope.fromJSON, { markers: ['a', 1] }, 'Envelope.markers[1]` to be a string'],
    [
      'an unknown action',
      Envelope.fromJSON,
      { action: 'Patch' },
      'Envelope.action` to be one of Post, Put, Delete, Get',
    ],
    ['an inherited action', Envelope.fromJSON, { action: 'toString' }, 'Envelope.action`'],
    ['an unknown service level', Envelope.fromJSON, { service_level: 'Maybe' }, 'Envelope.service_level`'],
    ['a deep field', Envelope.fromJSON, { did: { public_key: { address: 1 } } }, 'Envelope.did.public_key.address`'],
    ['a text for a route', Envelope.fromJSON, { route: 'orders' }, 'Envelope.route` to be an object'],
    ['a text for a message', Envelope.fromJSON, { message: 'hello' }, 'Envelope.message` to be an object'],
    ['an unknown algorithm', Hash.fromJSON, { algorithm: 'Md5' }, 'Hash.algorithm`'],
    ['an unknown status', Did.fromJSON, { status: 'Gone' }, 'Did.status`'],
    ['an unknown type', Did.fromJSON, { did_type: 'Robot' }, 'Did.did_type`'],
    ['an unknown network', NetworkPeer.fromJSON, { network: 'Pigeon' }, 'NetworkPeer.network`'],
    ['a number for services', NetworkPeer.fromJSON, { services: 1 }, 'NetworkPeer.services` to be an array'],
    ['a list for attributes', PublicKey.fromJSON, { attributes: [] }, 'PublicKey.attributes`'],
    ['no list of signatures', PublicKey.fromJSON, { signed_attributes: { a: {} } }, 'PublicKey.signed_attributes.a`'],
    ['no signature', PublicKey.fromJSON, { signed_attributes: { a: [1] } }, 'PublicKey.signed_attributes.a[0]`'],
    [
      'a date that is none',
      Signature.fromJSON,
      { signed_date: '2024-13-45' },
      'Signature.signed_date` to be an ISO date',
    ],
    ['a date of another form', Signature.fromJSON, { signed_date: '1' }, 'Signature.signed_date`'],
    ['a record that is none', DocumentMessage.fromJSON, { data: [1] }, 'DocumentMessage.data[0]` to be an object'],
    ['an unknown command', CommandMessage.fromJSON, { command: 'Explode' }, 'CommandMessage.command`'],
    ['an unknown event type', EventMessage.fromJSON, { event_type: 'Error' }, 'EventMessage.event_type`'],
    ['errors that are no list', messageFromJSON, { kind: 'text', error_messages: 'x' }, 'Message.error_messages`'],
    ['a bad boundary', Multipart.fromJSON, { boundary: 'a\r\nb' }, 'Multipart'],
    ['a route in a slip', DynamicRoutingSlip.fromJSON, { routes: [null] }, 'DynamicRoutingSlip.routes[0]`'],
    ['another type of route', SimpleRoute.fromJSON, { type: 'routing_slip' }, 'SimpleRoute.type` to be `simple`'],
    ['another kind of message', DocumentMessage.fromJSON, { kind: 'text' }, 'DocumentMessage.kind` to be `document`'],
  ])('%s', (_, fromJSON, data, text) => {
    expectDecodeError(() => fromJSON(data), text);
  });

  test.each([
    1.5,
    Number.NaN,
    '',
    '1.5',
    '0x10',
    ' 1',
    '9223372036854775808',
    2 ** 63,
    '-9223372036854775809',
    true,
    {},
  ])('a route id of %p', (routeId) => {
    expectDecodeError(() => RouteMeta.fromJSON({ route_id: routeId }), 'RouteMeta.route_id` to be a signed 64-bit');
  });
});

describe('what nobody knows is refused by name', () => {
  test.each([
    ['pigeon', 'pigeon'],
    [undefined, '`undefined`'],
    [null, '`null`'],
    [7, '`7` (number)'],
    [{}, 'an object'],
    ['constructor', 'constructor'],
  ])('a route of type %p and a message of kind %p', (tag, shown) => {
    expect(() => routeFromJSON({ type: tag })).toThrow(new Error(`unknown route type: ${shown}`));
    expect(() => messageFromJSON({ kind: tag })).toThrow(new Error(`unknown message kind: ${shown}`));
    expect(() => Envelope.fromJSON({ route: { type: tag } })).toThrow(new Error(`unknown route type: ${shown}`));
    expect(() => Envelope.fromJSON({ message: { kind: tag } })).toThrow(new Error(`unknown message kind: ${shown}`));
  });

  test('a route of unknown type within a slip', () => {
    const slip = { type: 'routing_slip', routes: [{ type: 'simple' }, { type: 'pigeon' }] };
    expect(() => Envelope.fromJSON({ dynamic_routing_slip: slip })).toThrow(new Error('unknown route type: pigeon'));
  });
});

describe('hostile data ends in a clear error', () => {
  test('text that is no JSON', () => {
    for (const text of ['', '{', 'undefined', '{"id":}'])
      expectDecodeError(() => Envelope.fromJson(text), '`Envelope`');
    expect(thrownBy(() => Envelope.fromJson('{')).cause).toMatchObject({ name: 'SyntaxError' });
    expectDecodeError(() => Envelope.fromJson('[]'), '`Envelope`', 'an array');
  });

  test('a slip within a slip ten thousand times over', () => {
    const text = '{"type":"routing_slip","routes":['.repeat(10_000) + ']}'.repeat(10_000);
    expectDecodeError(() => routeFromJSON(JSON.parse(text)), 'levels');
  });

  test('an error message shows no more than the beginning of a long value', () => {
    expect(thrownBy(() => routeFromJSON({ type: 'x'.repeat(1e6) })).message.length).toBeLessThan(200);
    expect(thrownBy(() => Envelope.fromJSON('x'.repeat(1e6))).message.length).toBeLessThan(200);
  });

  test('a payload of any depth is read, and so is one with a cycle', () => {
    const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    for (const content of [deep, cyclic, Buffer.from('bytes')]) {
      const data = { message: { kind: 'document', data: [{ CONTENT: content }] } };
      expect(Envelope.fromJSON(data).content()).toBe(content);
    }
  });

  test('reading does not change the data', () => {
    const data = overTheWire(fullEnvelope());
    const before = structuredClone(data);
    const envelope = Envelope.fromJSON(data);
    envelope.setHeader('new', 1);
    envelope.mark('new');
    envelope.addNvp('new', 1);
    envelope.addErrorMessage('new');
    envelope.did.publicKey.addAttribute('new', 1);
    expect(JSON.stringify(data)).toBe(JSON.stringify(before));
  });
});
