import { type CompactEnvelope, EnvelopeFields, readCompact, readEnvelopeFields } from './envelope-fields.js';
import { RaError } from './errors.js';
import { HEADER_CONTENT_TYPE } from './headers.js';
import { JsonFields, ownValue, setOwnValue, type JsonObject } from './json.js';
import type { EventType } from './messages/event-type.js';
import { CONTENT, ENTITY, EXCEPTIONS } from './messages/keys.js';
import { CommandMessage, DocumentMessage, EventMessage, TextMessage } from './messages/message.js';
import type { Route } from './routes/route.js';
import { SimpleExternalRoute } from './routes/simple-external-route.js';
import { SimpleRoute } from './routes/simple-route.js';

/** What travels: an id, headers, a message, and the slip of the stages still to visit. */
export class Envelope extends EnvelopeFields {
  /** An envelope with an empty document. */
  static document(): Envelope {
    return new Envelope(undefined, new DocumentMessage());
  }

  static documentWithId(id: string): Envelope {
    return new Envelope(id, new DocumentMessage());
  }

  /** An envelope with a command message that says nothing yet. */
  static command(): Envelope {
    return new Envelope(undefined, new CommandMessage());
  }

  static event(type: EventType): Envelope {
    return new Envelope(undefined, EventMessage.of(type));
  }

  /** An envelope with an empty text message. */
  static text(): Envelope {
    return new Envelope(undefined, new TextMessage());
  }

  /** An envelope without a message. */
  static headersOnly(): Envelope {
    return new Envelope();
  }

  /** Sets a header, in place of an earlier one of exactly that name. Throws `invalid` for the name `__proto__`. */
  setHeader(name: string, value: unknown): void {
    setOwnValue(this.headers, name, value);
  }

  header(name: string): unknown {
    const headers = this.heldHeaders();
    return headers && ownValue(headers, name);
  }

  headerExists(name: string): boolean {
    const headers = this.heldHeaders();
    return headers !== undefined && Object.hasOwn(headers, name);
  }

  /** Removes a header; false when there was none. */
  removeHeader(name: string): boolean {
    return this.headerExists(name) && delete this.headers[name];
  }

  /** The header `Content-Type`; undefined when it is missing or no string. */
  contentType(): string | undefined {
    const type = this.header(HEADER_CONTENT_TYPE);
    return typeof type === 'string' ? type : undefined;
  }

  setContentType(type: string): void {
    this.setHeader(HEADER_CONTENT_TYPE, type);
  }

  /** The route being followed; without one, the slip's current route becomes it, if the slip has any. */
  getRoute(): Route | undefined {
    return (this.route ??= this.heldSlip()?.currentRoute());
  }

  /** Moves on: the slip's next route becomes the route. Without a next one the envelope has no route any more. */
  ratchet(): Route | undefined {
    this.route = this.heldSlip()?.nextRoute();
    return this.route;
  }

  /** Puts a route to a service of this bus on top of the slip: it will be visited next. */
  addRoute(service: string, operation?: string): void {
    this.dynamicRoutingSlip.addRoute(SimpleRoute.of(service, operation));
  }

  /** Puts a route to a service of another peer on top of the slip; it sends the content only. */
  addExternalRoute(service: string, operation?: string): void {
    this.dynamicRoutingSlip.addRoute(SimpleExternalRoute.of(service, operation));
  }

  /** How many routes the slip still holds. An addition of this implementation. */
  remainingRoutes(): number {
    return this.heldSlip()?.numberRemainingRoutes() ?? 0;
  }

  /** Sets the payload; false when the message is no document. */
  addContent(content: unknown): boolean {
    const document = this.message?.asDocument();
    if (document === undefined) return false;
    document.primary()[CONTENT] = content;
    return true;
  }

  /** The payload; undefined when there is none or the message is no document. */
  content(): unknown {
    return this.message?.asDocument()?.data[0]?.[CONTENT];
  }

  /** Sets the entity; false when the message is no document. */
  addEntity(entity: unknown): boolean {
    return this.addNvp(ENTITY, entity);
  }

  entity(): unknown {
    return this.value(ENTITY);
  }

  /**
   * Appends to the list of exceptions; false when the message is no document.
   * The exception is kept as it is; in JSON an Error becomes its text.
   */
  addException(exception: unknown): boolean {
    // A new list each time, because a clone shares the values of its record.
    return this.addNvp(EXCEPTIONS, [...(this.exceptions() ?? []), exception]);
  }

  /** The exceptions added so far, oldest first; undefined when the message is no document. */
  exceptions(): readonly unknown[] | undefined {
    const document = this.message?.asDocument();
    if (document === undefined) return undefined;
    const exceptions = document.get(EXCEPTIONS);
    return Array.isArray(exceptions) ? exceptions : [];
  }

  /**
   * Sets a name-value pair of the first record; false when the message is no document.
   * Throws `invalid` for the name `__proto__`.
   */
  addNvp(name: string, value: unknown): boolean {
    const document = this.message?.asDocument();
    document?.put(name, value);
    return document !== undefined;
  }

  value(name: string): unknown {
    return this.message?.asDocument()?.get(name);
  }

  /** The first record, live; undefined when the message is no document. */
  values(): JsonObject | undefined {
    return this.message?.asDocument()?.primary();
  }

  /** Adds to the message's error messages; false when there is no message. */
  addErrorMessage(text: string): boolean {
    this.message?.addErrorMessage(text);
    return this.message !== undefined;
  }

  /** The message's error messages; empty when there is no message. */
  errorMessages(): readonly string[] {
    return this.message?.errorMessages ?? [];
  }

  /** Leaves a mark; one that is there already is not repeated. */
  mark(marker: string): void {
    if (!this.markerPresent(marker)) this.markers.push(marker);
  }

  markerPresent(marker: string): boolean {
    return this.heldMarkers()?.includes(marker) ?? false;
  }

  /** Whether both have the same id. */
  equals(other: { readonly id: string }): boolean {
    return this.id === other.id;
  }

  /**
   * A copy for another consumer, of the same id, with its own headers, markers, slip, message and document records.
   * All else is shared: header and payload values, the route and the slip's routes, multipart, and the identity once
   * anybody has asked for it. An addition of this implementation.
   */
  clone(): Envelope {
    const copy = new Envelope(this.id, this.message?.clone());
    copy.takeFieldsOf(this);
    return copy;
  }

  /** The envelope as JSON text. Throws what `JSON.stringify` throws for a payload that has no JSON (cycles, bigints). */
  toJson(indent = 2): string {
    return JSON.stringify(this, null, indent);
  }

  /** Reads what `toJson()` wrote. Throws `decode` for text that is no JSON, and whatever `fromJSON` throws. */
  static fromJson(text: string): Envelope {
    return Envelope.fromJSON(parse(text));
  }

  /**
   * Reads an envelope; missing keys take their defaults, unknown ones are ignored. Throws `decode` for data that is no
   * Envelope, `Error("unknown route type: …")` and `Error("unknown message kind: …")`.
   */
  static fromJSON(data: unknown): Envelope {
    const fields = JsonFields.of(data, 'Envelope');
    const envelope = new Envelope(fields.string('id'));
    readEnvelopeFields(fields, envelope);
    return envelope;
  }

  /** Reads what `toCompact` said; takes over its records and headers. An addition of this implementation. */
  static fromCompact(compact: CompactEnvelope): Envelope {
    const [id, , data] = compact;
    const envelope = new Envelope(id, new DocumentMessage(data));
    readCompact(envelope, compact);
    return envelope;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw RaError.decode('Expected the text of an `Envelope` to be JSON', { cause: error });
  }
}
