import { randomUUID } from 'node:crypto';
import { Did, readDid } from '../identity/did.js';
import { describeTag, JsonFields, ownValue, setIfDefined, setOwnValue, type JsonObject } from '../json.js';
import { Command } from './command.js';
import { EventType } from './event-type.js';
import { recordToJson } from './record.js';

export type MessageKind = 'document' | 'command' | 'event' | 'text';

/** What an envelope carries. The four kinds stand in one file because `asDocument()` and its like name them all. */
export abstract class Message {
  private lazyErrors: string[] | undefined = undefined;

  abstract get kind(): MessageKind;

  get errorMessages(): string[] {
    return (this.lazyErrors ??= []);
  }

  set errorMessages(messages: string[]) {
    this.lazyErrors = messages;
  }

  /** An addition of this implementation. */
  get hasErrors(): boolean {
    return this.lazyErrors !== undefined && this.lazyErrors.length > 0;
  }

  addErrorMessage(message: string): void {
    this.errorMessages.push(message);
  }

  clearErrorMessages(): void {
    this.lazyErrors = undefined;
  }

  /** Itself when it is a document. */
  asDocument(): DocumentMessage | undefined {
    return undefined;
  }

  /** Itself when it is a command. */
  asCommand(): CommandMessage | undefined {
    return undefined;
  }

  /** Itself when it is an event. */
  asEvent(): EventMessage | undefined {
    return undefined;
  }

  /** Itself when it is a text. */
  asText(): TextMessage | undefined {
    return undefined;
  }

  /** An independent copy; the values in it are shared. An addition of this implementation. */
  abstract clone(): Message;

  toJSON(): JsonObject {
    const json: JsonObject = { kind: this.kind };
    if (this.hasErrors) json['error_messages'] = [...this.errorMessages];
    return json;
  }

  /** Gives the copy its own list of the error messages. */
  protected copyErrorsTo<T extends Message>(copy: T): T {
    if (this.lazyErrors !== undefined) copy.errorMessages = [...this.lazyErrors];
    return copy;
  }
}

/** A message of records; the first one holds the payload. */
export class DocumentMessage extends Message {
  data: JsonObject[];

  constructor(data: JsonObject[] = [{}]) {
    super();
    this.data = data;
  }

  get kind(): 'document' {
    return 'document';
  }

  override asDocument(): DocumentMessage {
    return this;
  }

  /** The first record, live; it is created when there is none. */
  primary(): JsonObject {
    return (this.data[0] ??= {});
  }

  get(key: string): unknown {
    const record = this.data[0];
    return record && ownValue(record, key);
  }

  /** Sets an entry of the first record. Throws `invalid` for the key `__proto__`. */
  put(key: string, value: unknown): void {
    setOwnValue(this.primary(), key, value);
  }

  clone(): DocumentMessage {
    return this.copyErrorsTo(new DocumentMessage(this.data.map((record) => ({ ...record }))));
  }

  override toJSON(): JsonObject {
    const json = super.toJSON();
    json['data'] = this.data.map(recordToJson);
    return json;
  }

  /** Throws `decode` for data that is no DocumentMessage. */
  static fromJSON(data: unknown): DocumentMessage {
    return readDocument(JsonFields.of(data, 'DocumentMessage'));
  }
}

/** A message that tells a service what to do. */
export class CommandMessage extends Message {
  command: Command | undefined;

  constructor(command?: Command) {
    super();
    this.command = command;
  }

  get kind(): 'command' {
    return 'command';
  }

  override asCommand(): CommandMessage {
    return this;
  }

  clone(): CommandMessage {
    return this.copyErrorsTo(new CommandMessage(this.command));
  }

  override toJSON(): JsonObject {
    const json = super.toJSON();
    setIfDefined(json, 'command', this.command);
    return json;
  }

  /** Throws `decode` for data that is no CommandMessage. */
  static fromJSON(data: unknown): CommandMessage {
    return readCommand(JsonFields.of(data, 'CommandMessage'));
  }
}

/** A message that something happened. */
export class EventMessage extends Message {
  private lazyId: string | undefined = undefined;
  eventType: EventType | undefined;
  name: string | undefined = undefined;
  message: unknown = undefined;

  constructor(eventType?: EventType) {
    super();
    this.eventType = eventType;
  }

  static of(eventType: EventType): EventMessage {
    return new EventMessage(eventType);
  }

  get kind(): 'event' {
    return 'event';
  }

  /** A random UUID unless it was set. */
  get id(): string {
    return (this.lazyId ??= randomUUID());
  }

  set id(id: string) {
    this.lazyId = id;
  }

  override asEvent(): EventMessage {
    return this;
  }

  clone(): EventMessage {
    const copy = new EventMessage(this.eventType);
    copy.id = this.id;
    copy.name = this.name;
    copy.message = this.message;
    return this.copyErrorsTo(copy);
  }

  override toJSON(): JsonObject {
    const json = super.toJSON();
    json['id'] = this.id;
    setIfDefined(json, 'event_type', this.eventType);
    setIfDefined(json, 'name', this.name);
    setIfDefined(json, 'message', this.message);
    return json;
  }

  /** Throws `decode` for data that is no EventMessage. */
  static fromJSON(data: unknown): EventMessage {
    return readEvent(JsonFields.of(data, 'EventMessage'));
  }
}

/** A message from one identity to another. */
export class TextMessage extends Message {
  to: Did | undefined = undefined;
  from: Did | undefined = undefined;
  text: string | undefined;

  constructor(text?: string) {
    super();
    this.text = text;
  }

  get kind(): 'text' {
    return 'text';
  }

  override asText(): TextMessage {
    return this;
  }

  clone(): TextMessage {
    const copy = new TextMessage(this.text);
    copy.to = this.to;
    copy.from = this.from;
    return this.copyErrorsTo(copy);
  }

  override toJSON(): JsonObject {
    const json = super.toJSON();
    setIfDefined(json, 'to', this.to?.toJSON());
    setIfDefined(json, 'from', this.from?.toJSON());
    setIfDefined(json, 'text', this.text);
    return json;
  }

  /** Throws `decode` for data that is no TextMessage. */
  static fromJSON(data: unknown): TextMessage {
    return readText(JsonFields.of(data, 'TextMessage'));
  }
}

/** Reads a message of any kind. Throws `Error("unknown message kind: …")`, and `decode` for data that is no message. */
export function messageFromJSON(data: unknown): Message {
  return readMessage(JsonFields.of(data, 'Message'));
}

export function readMessage(fields: JsonFields): Message {
  const kind = fields.any('kind');
  switch (kind) {
    case 'document':
      return readDocument(fields);
    case 'command':
      return readCommand(fields);
    case 'event':
      return readEvent(fields);
    case 'text':
      return readText(fields);
    default:
      throw new Error(`unknown message kind: ${describeTag(kind)}`);
  }
}

function readDocument(fields: JsonFields): DocumentMessage {
  const records = fields.objects('data')?.map((record) => record.copy());
  return withErrors(fields, 'document', new DocumentMessage(records));
}

function readCommand(fields: JsonFields): CommandMessage {
  return withErrors(fields, 'command', new CommandMessage(fields.choice('command', Command)));
}

function readEvent(fields: JsonFields): EventMessage {
  const event = new EventMessage(fields.choice('event_type', EventType));
  const id = fields.string('id');
  if (id !== undefined) event.id = id;
  event.name = fields.string('name');
  event.message = fields.any('message');
  return withErrors(fields, 'event', event);
}

function readText(fields: JsonFields): TextMessage {
  const message = new TextMessage(fields.string('text'));
  const to = fields.object('to');
  const from = fields.object('from');
  message.to = to && readDid(to);
  message.from = from && readDid(from);
  return withErrors(fields, 'text', message);
}

function withErrors<T extends Message>(fields: JsonFields, kind: MessageKind, message: T): T {
  fields.expectTag('kind', kind);
  const errors = fields.strings('error_messages');
  if (errors !== undefined) message.errorMessages = errors;
  return message;
}
