export { Action } from './action.js';
export type { Client } from './client.js';
export { Envelope } from './envelope.js';
export { RaError, type RaErrorKind } from './errors.js';
export {
  HEADER_AUTHORIZATION,
  HEADER_CONTENT_DISPOSITION,
  HEADER_CONTENT_TRANSFER_ENCODING,
  HEADER_CONTENT_TYPE,
  HEADER_CONTENT_TYPE_JSON,
  HEADER_USER_AGENT,
} from './headers.js';
export { Did, DidStatus, DidType } from './identity/did.js';
export { Hash, HashAlgorithm } from './identity/hash.js';
export { PublicKey } from './identity/public-key.js';
export { Signature } from './identity/signature.js';
export type { JsonObject } from './json.js';
export { Status, type LifeCycle } from './lifecycle.js';
export { Command } from './messages/command.js';
export { EventType } from './messages/event-type.js';
export { CONTENT, ENTITY, EXCEPTIONS } from './messages/keys.js';
export { MessageType } from './messages/message-type.js';
export {
  CommandMessage,
  DocumentMessage,
  EventMessage,
  Message,
  messageFromJSON,
  TextMessage,
  type MessageKind,
} from './messages/message.js';
export type { MessageBus, MessageChannel, MessageConsumer, MessageProducer } from './messages/messaging.js';
export { Multipart } from './multipart.js';
export { NetworkPeer } from './network-peer.js';
export { Network } from './network.js';
export { RelayedExternalRoute } from './routes/relayed-external-route.js';
export { RouteMeta } from './routes/route-meta.js';
export { Route, type RouteType } from './routes/route.js';
export { DynamicRoutingSlip, routeFromJSON, type SlipCheckpoint } from './routes/routing-slip.js';
export { SimpleExternalRoute } from './routes/simple-external-route.js';
export { SimpleRoute } from './routes/simple-route.js';
export { ServiceLevel } from './service-level.js';
export { ServiceStatus, serviceStatusIsRunning } from './service-status.js';
