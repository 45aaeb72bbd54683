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
  Multipart,
  Network,
  NetworkPeer,
  PublicKey,
  RelayedExternalRoute,
  RouteMeta,
  ServiceLevel,
  Signature,
  SimpleExternalRoute,
  SimpleRoute,
  TextMessage,
} from '../src/index.js';

/** One of each class, with every field set to something other than its default. */

export function fullSignature(): Signature {
  return Object.assign(new Signature(), {
    valueSigned: 'blue',
    algorithm: 'Sha512',
    signedDate: new Date('2024-05-06T07:08:09.123Z'),
    signedByUsername: 'Bob',
    signedByFingerprint: 'f2',
    signedByAddress: 'a2',
  });
}

export function fullPublicKey(): PublicKey {
  const key = PublicKey.fromAddress('a1');
  Object.assign(key, { alias: 'main', fingerprint: 'f1', keyType: 'RSA' });
  Object.assign(key, { isIdentityKey: true, isEncryptionKey: true, isBase64Encoded: true });
  Object.assign(key, { isBase58Encoded: true, isPem: true, isHex: true });
  key.addAttribute('colour', 'blue');
  key.addSignedAttribute('colour', fullSignature());
  return key;
}

export function fullDid(): Did {
  return Object.assign(Did.withUsername('Alice'), {
    passphrase: 'p1',
    passphrase2: 'p2',
    passphraseHash: new Hash('abc', HashAlgorithm.Sha1),
    passphraseHashAlgorithm: HashAlgorithm.Sha512,
    description: 'somebody',
    status: DidStatus.Active,
    didType: DidType.Node,
    verified: true,
    authenticated: true,
    publicKey: fullPublicKey(),
  });
}

export function fullPeer(): NetworkPeer {
  const peer = new NetworkPeer(Network.Tor);
  return Object.assign(peer, { did: fullDid(), id: 'peer-1', port: 8080, services: ['mail', 'chat'] });
}

export function fullMeta(): RouteMeta {
  const meta = new RouteMeta('orders', 'price');
  meta.routed = true;
  meta.routeId = -9223372036854775808n;
  return meta;
}

export function fullSimpleRoute(): SimpleRoute {
  return new SimpleRoute(fullMeta());
}

export function fullExternalRoute(): SimpleExternalRoute {
  const route = new SimpleExternalRoute(fullMeta());
  return Object.assign(route, {
    origination: fullPeer(),
    destination: new NetworkPeer(),
    sendContentOnly: true,
    statusCode: 200,
  });
}

export function fullRelayedRoute(): RelayedExternalRoute {
  const route = new RelayedExternalRoute(fullExternalRoute());
  Object.assign(route, { fromPeer: fullPeer(), toPeer: new NetworkPeer(Network.I2p), delayed: true, copy: true });
  return Object.assign(route, { minDelay: 1, maxDelay: 2, minCopies: 3, maxCopies: 4, sensitivity: 5 });
}

export function fullSlip(): DynamicRoutingSlip {
  const slip = new DynamicRoutingSlip(fullMeta());
  slip.addRoute(SimpleRoute.of('bottom'));
  slip.addRoute(new DynamicRoutingSlip());
  slip.addRoute(fullRelayedRoute());
  slip.addRoute(fullExternalRoute());
  slip.addRoute(SimpleRoute.of('current', 'run'));
  slip.nextRoute();
  return slip;
}

export function fullDocument(): DocumentMessage {
  const message = new DocumentMessage([{ CONTENT: { total: 12 }, ENTITY: 'order' }, { more: [1, null, 'x'] }]);
  message.addErrorMessage('first');
  return message;
}

export function fullCommand(): CommandMessage {
  const message = new CommandMessage(Command.Restart);
  message.addErrorMessage('first');
  return message;
}

export function fullEvent(): EventMessage {
  const message = Object.assign(EventMessage.of(EventType.PriceChange), { id: 'e1', name: 'price', message: 'up' });
  message.addErrorMessage('first');
  return message;
}

export function fullText(): TextMessage {
  const message = Object.assign(new TextMessage('hello'), { to: fullDid(), from: Did.withUsername('Bob') });
  message.addErrorMessage('first');
  return message;
}

export function fullMultipart(): Multipart {
  return new Multipart('boundary1', 'utf-8');
}

export function fullEnvelope(): Envelope {
  const envelope = new Envelope('id-1', fullDocument());
  envelope.setHeader('Authorization', 'secret');
  envelope.mark('seen');
  Object.assign(envelope, { dynamicRoutingSlip: fullSlip(), route: fullSimpleRoute(), did: fullDid() });
  Object.assign(envelope, { client: 'c1', replyToClient: true, clientReplyAction: 'show', url: 'http://x/' });
  Object.assign(envelope, { multipart: fullMultipart(), action: Action.Put, commandPath: '/orders', sensitivity: 7 });
  Object.assign(envelope, { delayed: true, minDelay: 1, maxDelay: 2, copy: true, maxCopies: 3, minCopies: 4 });
  envelope.serviceLevel = ServiceLevel.ExactlyOnce;
  return envelope;
}

/** The value after a journey as JSON text. */
export function overTheWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
