import fc from 'fast-check';
import { type EnvelopeShape, type RouteShape, envelopePayload, makeEnvelope } from '#engine';
import { copyEnvelope } from '../../../lib/engine/envelope.js';

/** An envelope of another implementation, whose state is in plain fields. */
class PlainEnvelope implements EnvelopeShape {
  route: RouteShape | undefined = undefined;

  constructor(
    readonly id: string,
    public headers: Record<string, unknown>,
    readonly dynamicRoutingSlip: PlainSlip,
    readonly message: { readonly data: Record<string, unknown>[] },
  ) {}

  content(): unknown {
    return this.message.data[0]?.['CONTENT'];
  }

  getRoute(): RouteShape | undefined {
    return this.route;
  }

  ratchet(): void {
    this.route = this.dynamicRoutingSlip.nextRoute();
  }

  addRoute(service: string): void {
    this.dynamicRoutingSlip.routes.push({ type: 'simple', service });
  }
}

class PlainSlip {
  constructor(readonly routes: RouteShape[]) {}

  peekAtNextRoute(): RouteShape | undefined {
    return this.routes.at(-1);
  }

  nextRoute(): RouteShape | undefined {
    return this.routes.pop();
  }

  numberRemainingRoutes(): number {
    return this.routes.length;
  }
}

const parts = fc.record({
  headers: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 4 }),
  slip: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }),
  payload: fc.jsonValue().map((value) => ({ value })),
});

const ours = parts.map(({ payload, ...init }) => makeEnvelope('s', payload, init));
const plain = parts.map(({ headers, slip, payload }) => {
  const routes = slip.map((service) => ({ type: 'simple', service }));
  return new PlainEnvelope('p', headers, new PlainSlip(routes), { data: [{ CONTENT: payload }] });
});

type Copied = typeof ours extends fc.Arbitrary<infer One> ? One | PlainEnvelope : never;

const text = (envelope: Copied): string => JSON.stringify(envelope);
const copyOf = (envelope: Copied, copyPayload: boolean): Copied => copyEnvelope(envelope, copyPayload) as Copied;

/** All that a consumer may do to its copy. */
function spoil(envelope: Copied): void {
  envelope.headers['spoilt'] = true;
  envelope.addRoute('elsewhere');
  envelope.ratchet();
  const message = envelope.message as unknown as { data: Record<string, unknown>[] };
  Object.assign(message.data[0] ?? {}, { CONTENT: 'spoilt', spoilt: true });
  message.data.push({});
}

describe.each<[string, fc.Arbitrary<Copied>]>([
  ['of ra-common', ours],
  ['of another implementation', plain],
])('The copy of an envelope %s', (_, envelopes) => {
  it('is its equal', () => {
    fc.assert(
      fc.property(envelopes, fc.boolean(), (envelope, deep) => text(copyOf(envelope, deep)) === text(envelope)),
    );
  });

  it('and the envelope do not see what is done to the other', () => {
    fc.assert(
      fc.property(envelopes, fc.boolean(), (envelope, deep) => {
        const [first, second, before] = [copyOf(envelope, deep), copyOf(envelope, deep), text(envelope)];
        spoil(first);
        expect(text(envelope)).toBe(before);
        spoil(envelope);
        expect(text(second)).toBe(before);
      }),
    );
  });

  it('shares the payload, or has one of its own', () => {
    const shares = (envelope: Copied, deep: boolean): boolean =>
      envelopePayload(copyOf(envelope, deep)) === envelopePayload(envelope);
    fc.assert(fc.property(envelopes, fc.boolean(), (envelope, deep) => shares(envelope, deep) === !deep));
  });
});
