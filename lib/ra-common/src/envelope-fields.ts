import { randomUUID } from 'node:crypto';
import { Action } from './action.js';
import { type EnvelopeSettings, defineSettings } from './envelope-settings.js';
import { Did, readDid } from './identity/did.js';
import { JsonFields, setIfDefined, type JsonObject } from './json.js';
import { readMessage, type DocumentMessage, type Message } from './messages/message.js';
import { EXCEPTIONS } from './messages/keys.js';
import { Multipart, readMultipart } from './multipart.js';
import type { Route } from './routes/route.js';
import { DynamicRoutingSlip, readRoute, readRoutingSlip } from './routes/routing-slip.js';
import { SimpleRoute } from './routes/simple-route.js';
import { ServiceLevel } from './service-level.js';

/** The operation of a route that only names a service. */
const OPERATION = 'RECEIVE';

/**
 * What an envelope consists of: its fields, their defaults, their JSON.
 *
 * An envelope is created for every unit of work, and most never touch most of it: what is costly to make (id, route, slip,
 * identity, headers, markers) is made at the first reading, and there is room for settings once one is set. Nobody can tell, except by the time it takes.
 */
export abstract class EnvelopeFields {
  private lazyId: string | undefined;
  message: Message | undefined;
  /** A text is the name of a service that nobody has asked the route to yet. */
  private lazyRoute: Route | string | undefined = undefined;
  private lazySlip: DynamicRoutingSlip | undefined = undefined;
  private lazyHeaders: Record<string, unknown> | undefined = undefined;
  private lazyMarkers: string[] | undefined = undefined;
  private lazyDid: Did | undefined = undefined;
  private lazySettings: EnvelopeSettings | undefined = undefined;
  declare client: string | undefined;
  declare replyToClient: boolean;
  declare clientReplyAction: string | undefined;
  declare url: string | undefined;
  declare multipart: Multipart | undefined;
  declare action: Action | undefined;
  declare commandPath: string | undefined;
  declare sensitivity: number;
  declare delayed: boolean;
  declare minDelay: number;
  declare maxDelay: number;
  declare copy: boolean;
  declare maxCopies: number;
  declare minCopies: number;
  declare serviceLevel: ServiceLevel;

  constructor(id?: string, message?: Message) {
    this.lazyId = id;
    this.message = message;
  }

  /** A random UUID unless it was given. */
  get id(): string {
    return (this.lazyId ??= randomUUID());
  }

  set id(id: string) {
    this.lazyId = id;
  }

  /** The route being followed. */
  get route(): Route | undefined {
    if (typeof this.lazyRoute === 'string') this.lazyRoute = SimpleRoute.of(this.lazyRoute, OPERATION);
    return this.lazyRoute;
  }

  set route(route: Route | undefined) {
    this.lazyRoute = route;
  }

  /**
   * Sets the route to a service of this bus, with the operation `RECEIVE`; the route itself is made at the first reading.
   * An addition of this implementation.
   */
  headFor(service: string): void {
    this.lazyRoute = service;
  }

  /** The service of {@link headFor}, as long as nobody has read the route. An addition of this implementation. */
  heading(): string | undefined {
    return typeof this.lazyRoute === 'string' ? this.lazyRoute : undefined;
  }

  get dynamicRoutingSlip(): DynamicRoutingSlip {
    return (this.lazySlip ??= new DynamicRoutingSlip());
  }

  set dynamicRoutingSlip(slip: DynamicRoutingSlip) {
    this.lazySlip = slip;
  }

  get headers(): Record<string, unknown> {
    return (this.lazyHeaders ??= {});
  }

  set headers(headers: Record<string, unknown>) {
    this.lazyHeaders = headers;
  }

  get markers(): string[] {
    return (this.lazyMarkers ??= []);
  }

  set markers(markers: string[]) {
    this.lazyMarkers = markers;
  }

  get did(): Did {
    return (this.lazyDid ??= new Did());
  }

  set did(did: Did) {
    this.lazyDid = did;
  }

  toJSON(): JsonObject {
    const json: JsonObject = {
      id: this.id,
      dynamic_routing_slip: this.dynamicRoutingSlip.toJSON(),
      markers: [...this.markers],
      did: this.did.toJSON(),
      reply_to_client: this.replyToClient,
      headers: { ...this.headers },
      sensitivity: this.sensitivity,
      delayed: this.delayed,
      min_delay: this.minDelay,
      max_delay: this.maxDelay,
      copy: this.copy,
      max_copies: this.maxCopies,
      min_copies: this.minCopies,
      service_level: this.serviceLevel,
    };
    setIfDefined(json, 'route', this.route?.toJSON());
    setIfDefined(json, 'client', this.client);
    setIfDefined(json, 'client_reply_action', this.clientReplyAction);
    setIfDefined(json, 'url', this.url);
    setIfDefined(json, 'multipart', this.multipart?.toJSON());
    setIfDefined(json, 'action', this.action);
    setIfDefined(json, 'command_path', this.commandPath);
    setIfDefined(json, 'message', this.message?.toJSON());
    return json;
  }

  /**
   * What `toJSON` says in more words, of an envelope that has a document, a route, a slip, headers and markers at most;
   * `undefined` for any other. The records are not copied. An addition of this implementation.
   */
  toCompact(): CompactEnvelope | undefined {
    const { message, lazyRoute, lazySlip, lazyHeaders, lazyMarkers } = this;
    if (this.lazyDid !== undefined || this.lazySettings !== undefined || !isPlainDocument(message)) return undefined;
    const route = typeof lazyRoute === 'object' ? lazyRoute.toJSON() : (lazyRoute ?? null);
    if (lazySlip === undefined && lazyHeaders === undefined && lazyMarkers === undefined)
      return [this.id, route, message.data];
    return [this.id, route, message.data, lazyHeaders ?? null, lazySlip?.toJSON() ?? null, lazyMarkers ?? null];
  }

  /** The slip, if anybody has asked for it. */
  protected heldSlip(): DynamicRoutingSlip | undefined {
    return this.lazySlip;
  }

  /** The headers, if anybody has asked for them. */
  protected heldHeaders(): Record<string, unknown> | undefined {
    return this.lazyHeaders;
  }

  /** The markers, if anybody has asked for them. */
  protected heldMarkers(): readonly string[] | undefined {
    return this.lazyMarkers;
  }

  /** Takes over the other's fields except id and message: slip, headers and markers as copies, all else shared. */
  protected takeFieldsOf(other: EnvelopeFields): void {
    this.route = other.route;
    // Made where there is none: the copy's slip has the same route id, even one that nobody has drawn yet.
    this.lazySlip = other.dynamicRoutingSlip.clone();
    this.lazyHeaders = other.lazyHeaders && { ...other.lazyHeaders };
    this.lazyMarkers = other.lazyMarkers && [...other.lazyMarkers];
    this.lazyDid = other.lazyDid;
    this.lazySettings = other.lazySettings && { ...other.lazySettings };
  }
}

defineSettings(EnvelopeFields.prototype);

/** Id, route or the name of a service, records; headers, slip, markers. */
export type CompactEnvelope = readonly [
  id: string,
  route: JsonObject | string | null,
  data: JsonObject[],
  headers?: JsonObject | null,
  slip?: JsonObject | null,
  markers?: readonly string[] | null,
];

function isPlainDocument(message: Message | undefined): message is DocumentMessage {
  return (
    message !== undefined &&
    message.kind === 'document' &&
    !message.hasErrors &&
    !hasExceptions(message as DocumentMessage)
  );
}

/** Errors have no JSON of their own. */
function hasExceptions({ data }: DocumentMessage): boolean {
  return data.some((record) => EXCEPTIONS in record);
}

/** Fills a new envelope, its id and message apart, with what `toCompact` said. */
export function readCompact(envelope: EnvelopeFields, [, route, , headers, slip, markers]: CompactEnvelope): void {
  if (typeof route === 'string') envelope.headFor(route);
  else if (route !== null) envelope.route = readRoute(JsonFields.of(route, 'Route'));
  if (headers != null) envelope.headers = headers;
  if (slip != null) envelope.dynamicRoutingSlip = readRoutingSlip(JsonFields.of(slip, 'DynamicRoutingSlip'));
  if (markers != null) envelope.markers = [...markers];
}

/** Fills a new envelope, its id apart, from data; what is missing keeps its default. */
export function readEnvelopeFields(fields: JsonFields, envelope: EnvelopeFields): void {
  readScalars(fields, envelope);
  const slip = fields.object('dynamic_routing_slip');
  if (slip) envelope.dynamicRoutingSlip = readRoutingSlip(slip);
  const headers = fields.record('headers');
  if (headers) envelope.headers = headers;
  const markers = fields.strings('markers');
  if (markers) envelope.markers = markers;
  const did = fields.object('did');
  if (did) envelope.did = readDid(did);
  const route = fields.object('route');
  envelope.route = route && readRoute(route);
  const multipart = fields.object('multipart');
  envelope.multipart = multipart && readMultipart(multipart);
  const message = fields.object('message');
  envelope.message = message && readMessage(message);
}

function readScalars(fields: JsonFields, envelope: EnvelopeFields): void {
  envelope.client = fields.string('client');
  envelope.replyToClient = fields.boolean('reply_to_client') ?? envelope.replyToClient;
  envelope.clientReplyAction = fields.string('client_reply_action');
  envelope.url = fields.string('url');
  envelope.action = fields.choice('action', Action);
  envelope.commandPath = fields.string('command_path');
  envelope.sensitivity = fields.number('sensitivity') ?? envelope.sensitivity;
  envelope.delayed = fields.boolean('delayed') ?? envelope.delayed;
  envelope.minDelay = fields.number('min_delay') ?? envelope.minDelay;
  envelope.maxDelay = fields.number('max_delay') ?? envelope.maxDelay;
  envelope.copy = fields.boolean('copy') ?? envelope.copy;
  envelope.maxCopies = fields.number('max_copies') ?? envelope.maxCopies;
  envelope.minCopies = fields.number('min_copies') ?? envelope.minCopies;
  envelope.serviceLevel = fields.choice('service_level', ServiceLevel) ?? envelope.serviceLevel;
}
