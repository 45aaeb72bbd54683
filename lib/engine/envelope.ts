import { DocumentMessage, Envelope } from '#ra-common';
import { InvalidEnvelopeError } from './errors.js';
import type { Checked, EnvelopeFor, PayloadOf } from './stages.js';

/** What the bus needs of a routing slip; `ra-common`'s has it. */
export interface SlipShape {
  peekAtNextRoute(): RouteShape | undefined;
  nextRoute(): RouteShape | undefined;
  numberRemainingRoutes(): number;
}

/** What the bus needs of a route. */
export interface RouteShape {
  readonly type: string;
  readonly service?: string | undefined;
}

/** What the bus needs of an envelope. It looks at the shape and never at the class. */
export interface EnvelopeShape {
  readonly id: string;
  headers: Record<string, unknown>;
  readonly dynamicRoutingSlip: SlipShape;
  route?: unknown;
  getRoute(): RouteShape | undefined;
  ratchet(): unknown;
}

/** What {@link makeEnvelope} puts into an envelope besides its address and payload. */
export interface EnvelopeInit<Slip extends string = string> {
  /** Kept as the envelope's `client`. */
  readonly sender?: string;
  /** Copied onto the envelope's own headers. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The stages to visit after the first, in order. */
  readonly slip?: readonly Checked<Slip>[];
}

/** What {@link makeEnvelope} takes after the address. A stage whose payload may be `undefined` needs none. */
export type Contents<Name extends string, Slip extends string> =
  undefined extends PayloadOf<Name>
    ? [payload?: PayloadOf<Name>, init?: EnvelopeInit<Slip>]
    : [payload: PayloadOf<Name>, init?: EnvelopeInit<Slip>];

/** The bus routes by service; the operation belongs to the handler. */
export const OPERATION = 'RECEIVE';

/** A document envelope addressed to the stage `to`, then to each of `slip`. `undefined` is no payload. */
export function makeEnvelope<Name extends string, Slip extends string>(
  to: Checked<Name>,
  ...contents: Contents<Name, Slip>
): EnvelopeFor<Name>;
export function makeEnvelope(to: string, payload?: unknown, init: EnvelopeInit = {}): Envelope {
  // Made whole at once: a record that grows afterwards takes more room.
  const record: Record<string, unknown> = payload === undefined ? {} : { CONTENT: payload };
  const envelope = new Envelope(undefined, new DocumentMessage([record]));
  const { slip } = init;
  if (slip !== undefined) {
    for (let hop = slip.length - 1; hop >= 0; hop--) envelope.addRoute(slip[hop] ?? '', OPERATION);
  }
  // The first stage is where it goes now: most envelopes never need a slip.
  envelope.headFor(to);
  if (init.sender !== undefined) envelope.client = init.sender;
  if (init.headers !== undefined) Object.assign(envelope.headers, init.headers);
  return envelope;
}

/** The name of the stage the envelope is headed for; `undefined` when it has no route, or one that leaves the process. */
export function targetService(envelope: EnvelopeShape & { heading?: () => string | undefined }): string | undefined {
  // `ra-common`'s envelope knows where it is headed without making the route.
  return envelope.heading?.() ?? serviceOf(envelope.getRoute());
}

/** What {@link makeEnvelope} was given as payload: the document's content. */
export function envelopePayload<Payload>(envelope: { content(): Payload }): Payload {
  return envelope.content();
}

/** External routes lead out of the process: to this bus they are no address. */
export function serviceOf(route: RouteShape | undefined): string | undefined {
  return route === undefined || isExternal(route.type) ? undefined : route.service;
}

function isExternal(type: string): boolean {
  return type === 'simple_external' || type === 'relayed_external';
}

/** @throws InvalidEnvelopeError naming what is missing */
export function checkEnvelope(value: unknown): asserts value is EnvelopeShape {
  const envelope = value as Partial<EnvelopeShape> | null | undefined;
  if (typeof envelope !== 'object' || envelope === null) throw new InvalidEnvelopeError('an id and a route', value);
  if (typeof envelope.getRoute !== 'function') throw new InvalidEnvelopeError('a method getRoute', value);
  if (typeof envelope.ratchet !== 'function') throw new InvalidEnvelopeError('a method ratchet', value);
  if (!('headers' in envelope)) throw new InvalidEnvelopeError('headers', value);
  if (!hasSlip(envelope)) throw new InvalidEnvelopeError('a dynamicRoutingSlip', value);
}

/** Does not make `ra-common`'s envelope build the slip that it does not have yet. */
function hasSlip(envelope: Partial<EnvelopeShape & { remainingRoutes: unknown }>): boolean {
  if (typeof envelope.remainingRoutes === 'function') return true;
  const slip: Partial<SlipShape> | undefined = envelope.dynamicRoutingSlip;
  return [slip?.numberRemainingRoutes, slip?.peekAtNextRoute, slip?.nextRoute].every(
    (method) => typeof method === 'function',
  );
}

interface Copyable {
  clone(): EnvelopeShape;
}

interface PlainDocument {
  data?: Record<string, unknown>[];
}

/**
 * A copy that a pub/sub consumer may change: own headers, slip and document records. The payload is shared unless
 * `copyPayload`.
 */
export function copyEnvelope(envelope: EnvelopeShape, copyPayload: boolean): EnvelopeShape {
  const copy = isCopyable(envelope) ? envelope.clone() : shallowCopy(envelope);
  if (copyPayload) copyRecords(copy, (record) => structuredClone(record));
  return copy;
}

function isCopyable(envelope: EnvelopeShape): envelope is EnvelopeShape & Copyable {
  return typeof (envelope as Partial<Copyable>).clone === 'function';
}

/** For envelopes of another implementation, whose state is in plain fields. */
function shallowCopy(envelope: EnvelopeShape): EnvelopeShape {
  const copy = likeness(envelope);
  copy.headers = { ...envelope.headers };
  const slip = likeness(envelope.dynamicRoutingSlip) as SlipShape & Record<string, unknown>;
  for (const [key, value] of Object.entries(slip)) if (Array.isArray(value)) slip[key] = [...(value as unknown[])];
  (copy as { dynamicRoutingSlip: SlipShape }).dynamicRoutingSlip = slip;
  copyRecords(copy, (record) => ({ ...record }));
  return copy;
}

function copyRecords(
  copy: EnvelopeShape,
  copyRecord: (record: Record<string, unknown>) => Record<string, unknown>,
): void {
  const holder = copy as { message?: PlainDocument };
  if (!Array.isArray(holder.message?.data)) return;
  holder.message = likeness(holder.message);
  holder.message.data = (holder.message.data ?? []).map(copyRecord);
}

function likeness<T extends object>(original: T): T {
  return Object.assign(Object.create(Object.getPrototypeOf(original) as object) as T, original);
}
