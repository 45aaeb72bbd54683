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
  RelayedExternalRoute,
  routeFromJSON,
  RouteMeta,
  Signature,
  SimpleExternalRoute,
  SimpleRoute,
  TextMessage,
} from '../src/index.js';
import * as full from './fixtures.js';

/** What every class of the package that has JSON promises. */
export interface Entry {
  readonly name: string;
  readonly minimal: () => Serialisable;
  readonly full: () => Serialisable;
  readonly fromJSON: (data: unknown) => Serialisable;
  /** Keys that are always there. */
  readonly always: readonly string[];
  /** Keys that are there when set. */
  readonly whenSet: readonly string[];
}

export interface Serialisable {
  toJSON(): Record<string, unknown>;
}

const FLAGS = ['identity_key', 'encryption_key', 'base64_encoded', 'base58_encoded', 'pem', 'hex'].map(
  (f) => `is_${f}`,
);

export const catalogue: readonly Entry[] = [
  {
    name: 'Hash',
    minimal: () => new Hash('abc'),
    full: () => new Hash('abc'),
    fromJSON: Hash.fromJSON,
    always: ['hash', 'algorithm'],
    whenSet: [],
  },
  {
    name: 'Signature',
    minimal: () => new Signature(),
    full: full.fullSignature,
    fromJSON: Signature.fromJSON,
    always: [],
    whenSet: [
      'value_signed',
      'algorithm',
      'signed_date',
      'signed_by_username',
      'signed_by_fingerprint',
      'signed_by_address',
    ],
  },
  {
    name: 'PublicKey',
    minimal: () => new PublicKey(),
    full: full.fullPublicKey,
    fromJSON: PublicKey.fromJSON,
    always: [],
    whenSet: ['alias', 'fingerprint', 'address', 'type', ...FLAGS, 'attributes', 'signed_attributes'],
  },
  {
    name: 'Did',
    minimal: () => new Did(),
    full: full.fullDid,
    fromJSON: Did.fromJSON,
    always: [
      'username',
      'passphrase_hash_algorithm',
      'description',
      'status',
      'did_type',
      'verified',
      'authenticated',
      'public_key',
    ],
    whenSet: ['passphrase', 'passphrase2', 'passphrase_hash'],
  },
  {
    name: 'NetworkPeer',
    minimal: () => new NetworkPeer(),
    full: full.fullPeer,
    fromJSON: NetworkPeer.fromJSON,
    always: ['network', 'did'],
    whenSet: ['id', 'port', 'services'],
  },
  {
    name: 'RouteMeta',
    minimal: () => new RouteMeta(),
    full: full.fullMeta,
    fromJSON: RouteMeta.fromJSON,
    always: ['routed', 'route_id'],
    whenSet: ['service', 'operation'],
  },
  {
    name: 'SimpleRoute',
    minimal: () => new SimpleRoute(),
    full: full.fullSimpleRoute,
    fromJSON: SimpleRoute.fromJSON,
    always: ['type', 'meta'],
    whenSet: [],
  },
  {
    name: 'SimpleExternalRoute',
    minimal: () => new SimpleExternalRoute(),
    full: full.fullExternalRoute,
    fromJSON: SimpleExternalRoute.fromJSON,
    always: ['type', 'meta', 'send_content_only', 'status_code'],
    whenSet: ['origination', 'destination'],
  },
  {
    name: 'RelayedExternalRoute',
    minimal: () => new RelayedExternalRoute(),
    full: full.fullRelayedRoute,
    fromJSON: RelayedExternalRoute.fromJSON,
    always: ['type', 'base', 'delayed', 'min_delay', 'max_delay', 'copy', 'min_copies', 'max_copies', 'sensitivity'],
    whenSet: ['from_peer', 'to_peer'],
  },
  {
    name: 'DynamicRoutingSlip',
    minimal: () => new DynamicRoutingSlip(),
    full: full.fullSlip,
    fromJSON: DynamicRoutingSlip.fromJSON,
    always: ['type', 'meta', 'routes'],
    whenSet: ['current_route'],
  },
  {
    name: 'Route',
    minimal: () => new SimpleRoute(),
    full: full.fullSimpleRoute,
    fromJSON: routeFromJSON,
    always: ['type', 'meta'],
    whenSet: [],
  },
  {
    name: 'DocumentMessage',
    minimal: () => new DocumentMessage(),
    full: full.fullDocument,
    fromJSON: DocumentMessage.fromJSON,
    always: ['kind', 'data'],
    whenSet: ['error_messages'],
  },
  {
    name: 'CommandMessage',
    minimal: () => new CommandMessage(),
    full: full.fullCommand,
    fromJSON: CommandMessage.fromJSON,
    always: ['kind'],
    whenSet: ['command', 'error_messages'],
  },
  {
    name: 'EventMessage',
    minimal: () => new EventMessage(),
    full: full.fullEvent,
    fromJSON: EventMessage.fromJSON,
    always: ['kind', 'id'],
    whenSet: ['event_type', 'name', 'message', 'error_messages'],
  },
  {
    name: 'TextMessage',
    minimal: () => new TextMessage(),
    full: full.fullText,
    fromJSON: TextMessage.fromJSON,
    always: ['kind'],
    whenSet: ['to', 'from', 'text', 'error_messages'],
  },
  {
    name: 'Message',
    minimal: () => new CommandMessage(),
    full: full.fullCommand,
    fromJSON: messageFromJSON,
    always: ['kind'],
    whenSet: ['command', 'error_messages'],
  },
  {
    name: 'Multipart',
    minimal: () => new Multipart(),
    full: full.fullMultipart,
    fromJSON: Multipart.fromJSON,
    always: ['boundary'],
    whenSet: ['charset'],
  },
  {
    name: 'Envelope',
    minimal: () => new Envelope(),
    full: full.fullEnvelope,
    fromJSON: Envelope.fromJSON,
    always: [
      'id',
      'dynamic_routing_slip',
      'markers',
      'did',
      'reply_to_client',
      'headers',
      'sensitivity',
      'delayed',
      'min_delay',
      'max_delay',
      'copy',
      'max_copies',
      'min_copies',
      'service_level',
    ],
    whenSet: ['route', 'client', 'client_reply_action', 'url', 'multipart', 'action', 'command_path', 'message'],
  },
];
