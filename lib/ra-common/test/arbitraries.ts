import * as fc from 'fast-check';
import {
  Action,
  Command,
  CommandMessage,
  Did,
  DidStatus,
  DidType,
  DocumentMessage,
  DynamicRoutingSlip,
  Envelope,
  EventMessage,
  EventType,
  Hash,
  HashAlgorithm,
  Message,
  Multipart,
  Network,
  NetworkPeer,
  PublicKey,
  RelayedExternalRoute,
  Route,
  RouteMeta,
  ServiceLevel,
  Signature,
  SimpleExternalRoute,
  SimpleRoute,
  TextMessage,
} from '../src/index.js';

// JSON has neither of them: `-0` is written as `0`, and a `__proto__` key is refused when read.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0);
const key = fc.string().filter((name) => name !== '__proto__');
const text = fc.string({ unit: 'grapheme' });

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, fc.constant(null), fc.boolean(), number, text, tie('list'), tie('record')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  record: fc.dictionary(key, tie('any'), { maxKeys: 4, noNullPrototype: true }),
})).any;

const record = fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true });

const oneOf = <E extends string>(choices: Record<string, E>): fc.Arbitrary<E> =>
  fc.constantFrom(...Object.values(choices));

/** Instances of a class, any subset of whose fields was set. */
function withFields<T extends object>(
  made: fc.Arbitrary<T>,
  fields: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<T> {
  return fc.tuple(made, fc.record(fields, { requiredKeys: [] })).map(([object, set]) => Object.assign(object, set));
}

const make = <T>(create: () => T): fc.Arbitrary<T> => fc.constant(null).map(create);

const hash = fc.tuple(text, oneOf(HashAlgorithm)).map(([digest, algorithm]) => new Hash(digest, algorithm));

const signature = withFields(
  make(() => new Signature()),
  {
    valueSigned: text,
    algorithm: text,
    signedDate: fc.date({ noInvalidDate: true }),
    signedByUsername: text,
    signedByFingerprint: text,
    signedByAddress: text,
  },
);

const flags = ['isIdentityKey', 'isEncryptionKey', 'isBase64Encoded', 'isBase58Encoded', 'isPem', 'isHex'];

const publicKey = withFields(
  make(() => new PublicKey()),
  {
    alias: text,
    fingerprint: text,
    address: text,
    keyType: text,
    ...Object.fromEntries(flags.map((flag) => [flag, fc.boolean()])),
    attributes: record,
    signedAttributes: fc.dictionary(key, fc.array(signature, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
  },
);

const did = withFields(
  make(() => new Did()),
  {
    username: text,
    passphrase: text,
    passphrase2: text,
    passphraseHash: hash,
    description: text,
    passphraseHashAlgorithm: oneOf(HashAlgorithm),
    status: oneOf(DidStatus),
    didType: oneOf(DidType),
    verified: fc.boolean(),
    authenticated: fc.boolean(),
    publicKey,
  },
);

const peer = withFields(
  oneOf(Network).map((network) => new NetworkPeer(network)),
  {
    did,
    id: text,
    port: fc.nat(65535),
    services: fc.array(text, { maxLength: 3 }),
  },
);

const meta = withFields(
  fc
    .tuple(fc.option(text, { nil: undefined }), fc.option(text, { nil: undefined }))
    .map(([service, operation]) => new RouteMeta(service, operation)),
  { routed: fc.boolean(), routeId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) },
);

const simple = meta.map((of) => new SimpleRoute(of));

const external = withFields(
  meta.map((of) => new SimpleExternalRoute(of)),
  {
    origination: peer,
    destination: peer,
    sendContentOnly: fc.boolean(),
    statusCode: fc.integer(),
  },
);

const relayed = withFields(
  external.map((base) => new RelayedExternalRoute(base)),
  {
    fromPeer: peer,
    toPeer: peer,
    delayed: fc.boolean(),
    minDelay: fc.nat(),
    maxDelay: fc.nat(),
    copy: fc.boolean(),
    minCopies: fc.nat(),
    maxCopies: fc.nat(),
    sensitivity: number,
  },
);

function slipOf(of: RouteMeta, routes: Route[], taken: number): DynamicRoutingSlip {
  const slip = new DynamicRoutingSlip(of);
  for (const route of routes) slip.addRoute(route);
  for (let i = 0; i < taken; i++) slip.nextRoute();
  return slip;
}

const routes = fc.letrec<{ slip: DynamicRoutingSlip; route: Route }>((tie) => ({
  route: fc.oneof({ maxDepth: 2 }, simple, external, relayed, tie('slip')),
  slip: fc.tuple(meta, fc.array(tie('route'), { maxLength: 4 }), fc.nat(3)).map((parts) => slipOf(...parts)),
}));

const errorMessages = fc.array(text, { maxLength: 2 });

export const message: fc.Arbitrary<Message> = fc.oneof(
  withFields(
    fc.array(record, { maxLength: 3 }).map((data) => new DocumentMessage(data)),
    { errorMessages },
  ),
  withFields(
    make(() => new CommandMessage()),
    { errorMessages, command: oneOf(Command) },
  ),
  withFields(
    make(() => new EventMessage()),
    {
      errorMessages,
      id: text,
      eventType: oneOf(EventType),
      name: text,
      message: value,
    },
  ),
  withFields(
    make(() => new TextMessage()),
    { errorMessages, to: did, from: did, text },
  ),
);

export const route = routes.route;

const boundary = fc.stringMatching(/^[0-9A-Za-z]{1,70}$/);

export const envelope: fc.Arbitrary<Envelope> = withFields(
  make(() => new Envelope()),
  {
    id: text,
    message,
    route,
    dynamicRoutingSlip: routes.slip,
    did,
    headers: record,
    markers: fc.array(text, { maxLength: 3 }),
    client: text,
    replyToClient: fc.boolean(),
    clientReplyAction: text,
    url: text,
    multipart: boundary.map((b) => new Multipart(b, 'utf-8')),
    action: oneOf(Action),
    commandPath: text,
    sensitivity: number,
    delayed: fc.boolean(),
    minDelay: fc.nat(),
    maxDelay: fc.nat(),
    copy: fc.boolean(),
    maxCopies: fc.nat(),
    minCopies: fc.nat(),
    serviceLevel: oneOf(ServiceLevel),
  },
);
