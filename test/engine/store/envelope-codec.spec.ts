import { deserialize, serialize } from 'node:v8';
import { Envelope, type EnvelopeShape, envelopePayload, makeEnvelope, targetService } from '#engine';
import { EnvelopeCodec, type PayloadCodec } from '../../../lib/engine/store/envelope-codec.js';
import { PayloadError } from '../../../lib/engine/errors.js';
import { StoreError } from '../../../lib/engine/store/errors.js';

const HEADROOM = 7;
const json = new EnvelopeCodec('orders', undefined);
const structured: PayloadCodec = {
  name: 'v8',
  encode: (payload) => serialize(payload),
  decode: (bytes) => deserialize(bytes),
};
const binary = new EnvelopeCodec('orders', structured);

const through = (codec: EnvelopeCodec, envelope: EnvelopeShape): Envelope =>
  codec.decode(codec.encode(envelope, HEADROOM), HEADROOM);

const everything = (): Envelope => {
  const envelope = makeEnvelope(
    'orders',
    { total: 3, lines: ['ä', '𝄞'] },
    { headers: { tenant: 'a' }, slip: ['b', 'c'] },
  );
  envelope.mark('seen');
  return envelope;
};

const fullOnly: readonly [string, () => Envelope][] = [
  ['settings', () => Object.assign(everything(), { sensitivity: 7, client: 'web' })],
  [
    'an identity',
    () => {
      const envelope = everything();
      envelope.did.username = 'ann';
      return envelope;
    },
  ],
  [
    'a text',
    () => {
      const envelope = Envelope.text();
      envelope.addRoute('orders');
      return envelope;
    },
  ],
  ['no message', () => Envelope.headersOnly()],
  [
    'error messages',
    () => {
      const envelope = everything();
      envelope.addErrorMessage('broken');
      return envelope;
    },
  ],
  [
    'exceptions',
    () => {
      const envelope = everything();
      envelope.addException(new Error('x'));
      return envelope;
    },
  ],
  [
    'exceptions in another record than the first',
    () => {
      const envelope = everything();
      envelope.message?.asDocument()?.data.push({ EXCEPTIONS: [new Error('x')] });
      return envelope;
    },
  ],
  [
    'an external route',
    () => {
      const envelope = everything();
      envelope.addExternalRoute('there');
      return envelope;
    },
  ],
];

describe('An envelope comes back from its bytes as it went in', () => {
  test.each<[string, () => Envelope]>([
    ['a payload and an address', () => makeEnvelope('orders', 42)],
    ['no payload', () => makeEnvelope('orders')],
    ['headers, slip and markers', everything],
    [
      'a route that was read',
      () => {
        const envelope = everything();
        envelope.getRoute();
        return envelope;
      },
    ],
    ...fullOnly,
  ])('with %s', (_, make) => {
    // Encoded before anybody asks for its JSON, which makes all that is lazy.
    for (const codec of [json, binary]) {
      const envelope = make();
      const back = through(codec, envelope);
      expect(described(back)).toEqual(described(envelope));
    }
  });

  it('with the route ids that somebody has read', () => {
    const envelope = everything();
    const read = [envelope.getRoute()?.routeId, envelope.dynamicRoutingSlip.routeId];
    const back = through(json, envelope);
    expect([back.getRoute()?.routeId, back.dynamicRoutingSlip.routeId]).toEqual(read);
  });

  it('headed for the stage it was headed for, ready to move on', () => {
    const envelope = through(json, everything());
    expect(targetService(envelope)).toBe('orders');
    expect(envelope.ratchet()?.service).toBe('b');
    expect(envelope.remainingRoutes()).toBe(1);
  });

  it('a new one at each time', () => {
    const bytes = json.encode(makeEnvelope('orders', { n: 1 }), 0);
    const first = json.decode(bytes, 0);
    (envelopePayload(first) as { n: number }).n = 2;
    expect(envelopePayload(json.decode(bytes, 0))).toEqual({ n: 1 });
  });

  it('with what its codec can do, and no bytes of the store', () => {
    const payload = new Map([['a', 1n]]);
    const bytes = binary.encode(makeEnvelope('orders', payload, { headers: { a: 1 } }), HEADROOM);
    const { buffer } = bytes;
    const raw = new EnvelopeCodec('orders', { name: 'raw', encode: () => Buffer.from('x'), decode: (given) => given });
    const given = envelopePayload(through(raw, makeEnvelope('orders', 1))) as Uint8Array;
    expect(envelopePayload(binary.decode(bytes, HEADROOM))).toEqual(payload);
    expect([given.byteOffset, given.buffer === buffer, Buffer.from(given).toString()]).toEqual([0, false, 'x']);
  });
});

describe('What would come back as something else is refused, and its place named', () => {
  test.each<[string, EnvelopeShape, string]>([
    ['a Map in the payload', makeEnvelope('orders', { lines: [{ by: new Map() }] }), 'payload.lines[0].by'],
    ['NaN as payload', makeEnvelope('orders', Number.NaN), 'payload'],
    ['a bigint in a header', makeEnvelope('orders', 1, { headers: { n: 1n } }), 'headers.n'],
    ['a function beside the payload', nvp('run', () => 1), 'message.data[0].run'],
    [
      'a Map in an envelope with settings',
      Object.assign(makeEnvelope('orders', new Map()), { client: 'x' }),
      'payload',
    ],
  ])('%s', (_, envelope, path) => {
    expect(() => json.encode(envelope, 0)).toThrow(expect.objectContaining({ code: 'SEDA_PAYLOAD', path }) as Error);
  });

  it('an envelope of another kind that has no JSON', () => {
    const { id, headers, dynamicRoutingSlip } = makeEnvelope('orders', 1);
    const foreign = { id, headers, dynamicRoutingSlip, getRoute: () => undefined, ratchet: () => undefined };
    expect(() => json.encode(foreign, 0)).toThrow(PayloadError);
  });

  it('what a codec refuses', () => {
    expect(() =>
      binary.encode(
        makeEnvelope('orders', () => 1),
        0,
      ),
    ).toThrow(PayloadError);
  });

  it('a header, whatever the payload’s codec can do', () => {
    expect(() => binary.encode(makeEnvelope('orders', 1, { headers: { n: 1n } }), 0)).toThrow(PayloadError);
    const settings = Object.assign(makeEnvelope('orders', 1, { headers: { n: 1n } }), { client: 'x' });
    expect(() => binary.encode(settings, 0)).toThrow(PayloadError);
  });
});

test('bytes that are no envelope are a typed error', () => {
  for (const bytes of [Buffer.from([9, 1]), Buffer.from([1, 0x7b]), Buffer.of(), Buffer.from('\u0002[]')])
    expect(() => json.decode(bytes, 0)).toThrow(StoreError);
});

function nvp(name: string, value: unknown): Envelope {
  const envelope = makeEnvelope('orders', 1);
  envelope.addNvp(name, value);
  return envelope;
}

/** Its JSON, without the route ids: one that nobody has read is drawn when it is. */
function described(envelope: Envelope): unknown {
  return JSON.parse(envelope.toJson(), (name, value: unknown) => (name === 'route_id' ? undefined : value));
}
