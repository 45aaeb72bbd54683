import { Envelope } from '#ra-common';
import type { EnvelopeShape } from '../envelope.js';
import { PayloadError } from '../errors.js';
import { StoreError } from './errors.js';
import { findUnstorable } from './plain-json.js';

/** How a stage stores payloads, instead of JSON. */
export interface PayloadCodec {
  /** Kept with the stage: another name than the one that wrote is refused when the store is opened. */
  readonly name: string;
  /** What it throws refuses the publish. */
  encode(payload: unknown): Uint8Array;
  /** Is given bytes of its own. */
  decode(bytes: Uint8Array): unknown;
}

/** What `ra-common`'s envelope offers beyond the shape. */
interface Storable extends EnvelopeShape {
  readonly message?: { readonly kind?: string; readonly message?: unknown; readonly data?: unknown } | undefined;
  toCompact?(): Compact | undefined;
  toJSON?(): Record<string, unknown>;
}

type Compact = Parameters<typeof Envelope.fromCompact>[0];
type JsonRecord = Record<string, unknown>;

/** The first byte of a body: what follows it. */
const COMPACT = 1;
const FULL = 2;
/** Length (1) and text of the id, then the one record there is: of an envelope that is headed for this stage and no further. */
const BRIEF = 3;
const LONGEST_ID = 255;
/** Length (4) and text of a compact or full form without the payload, then the payload as the codec has it. */
const CODED = 4;
const LENGTH_BYTES = 4;
const CONTENT = 'CONTENT';
/** What is there becomes texts: errors have no JSON. */
const EXCEPTIONS = 'EXCEPTIONS';

/** The envelopes of one stage as bytes. What it gives back is what was encoded, or it refuses to encode. */
export class EnvelopeCodec {
  constructor(
    private readonly stage: string,
    private readonly payloads: PayloadCodec | undefined,
  ) {}

  /**
   * The bytes of an envelope behind `headroom` bytes that are the caller's.
   * @throws PayloadError for what decoding would not give back
   */
  encode(envelope: EnvelopeShape, headroom: number): Buffer {
    const storable = envelope as Storable;
    const compact = storable.toCompact?.();
    const payload = this.payloads === undefined ? undefined : this.encodePayload(storable);
    if (payload !== undefined) return this.encodeApart(storable, compact, payload, headroom);
    if (compact === undefined) return this.encodeFull(storable, headroom);
    this.checkRecords(compact[2]);
    if (this.isBrief(compact)) return encodeBrief(compact, headroom);
    if (compact[3] != null) this.check(compact[3], 'headers');
    return textBehind(headroom, COMPACT, JSON.stringify(compact));
  }

  /**
   * The envelope whose bytes begin at `offset`: a new one each time.
   * @throws StoreError for bytes that are none
   */
  decode(bytes: Buffer, offset: number): Envelope {
    try {
      const kind = bytes[offset] as number;
      if (kind === BRIEF) return this.decodeBrief(bytes, offset);
      if (kind >= CODED) return this.decodeApart(bytes, offset, kind - CODED);
      return read(kind, bytes.toString('utf8', offset + 1));
    } catch (error) {
      throw new StoreError(`An envelope of stage '${this.stage}' cannot be read.`, error);
    }
  }

  private isBrief({ 0: id, 1: route, 2: data, length }: Compact): boolean {
    return length === 3 && route === this.stage && data.length === 1 && id.length <= LONGEST_ID && isLatin(id);
  }

  private decodeBrief(bytes: Buffer, offset: number): Envelope {
    const start = offset + 2;
    const end = start + (bytes[offset + 1] as number);
    const record = JSON.parse(bytes.toString('utf8', end)) as JsonRecord;
    return Envelope.fromCompact([bytes.toString('latin1', start, end), this.stage, [record]]);
  }

  private encodeFull(envelope: Storable, headroom: number): Buffer {
    const { message } = envelope;
    if (Array.isArray(message?.data)) this.checkRecords(message.data);
    return textBehind(headroom, FULL, JSON.stringify(this.fullOf(envelope)));
  }

  private fullOf(envelope: Storable): JsonRecord {
    if (typeof envelope.toJSON !== 'function') throw new PayloadError(this.stage, 'envelope', 'one without a toJSON');
    this.check(envelope.headers, 'headers');
    if (envelope.message?.message !== undefined) this.check(envelope.message.message, 'message.message');
    return envelope.toJSON();
  }

  /** Payload and envelope side by side: the payload comes from its codec. */
  private encodeApart(envelope: Storable, compact: Compact | undefined, payload: Uint8Array, headroom: number): Buffer {
    const data = withoutContent(envelope.message?.data as JsonRecord[]);
    this.checkRecords(data);
    const text = JSON.stringify(compact === undefined ? this.fullWithout(envelope) : this.compactWith(compact, data));
    const start = headroom + 1 + LENGTH_BYTES;
    const length = Buffer.byteLength(text);
    const bytes = Buffer.allocUnsafe(start + length + payload.length);
    bytes[headroom] = CODED + (compact === undefined ? FULL : COMPACT);
    bytes.writeUInt32LE(length, headroom + 1);
    bytes.write(text, start);
    bytes.set(payload, start + length);
    return bytes;
  }

  private compactWith([id, route, , ...rest]: Compact, data: JsonRecord[]): unknown {
    if (rest[0] != null) this.check(rest[0], 'headers');
    return [id, route, data, ...rest];
  }

  private fullWithout(envelope: Storable): unknown {
    const full = this.fullOf(envelope);
    const message = full['message'] as JsonRecord;
    return { ...full, message: { ...message, data: withoutContent(message['data'] as JsonRecord[]) } };
  }

  private decodeApart(bytes: Buffer, offset: number, kind: number): Envelope {
    const start = offset + 1 + LENGTH_BYTES;
    const end = start + bytes.readUInt32LE(offset + 1);
    const envelope = read(kind, bytes.toString('utf8', start, end));
    envelope.addContent((this.payloads as PayloadCodec).decode(Uint8Array.from(bytes.subarray(end))));
    return envelope;
  }

  /** `undefined` for an envelope without a payload. */
  private encodePayload({ message }: Storable): Uint8Array | undefined {
    const record: unknown = Array.isArray(message?.data) ? message.data[0] : undefined;
    if (typeof record !== 'object' || record === null || !Object.hasOwn(record, CONTENT)) return undefined;
    const { payloads } = this;
    try {
      return (payloads as PayloadCodec).encode((record as JsonRecord)[CONTENT]);
    } catch (error) {
      throw new PayloadError(this.stage, 'payload', `refused by the codec '${payloads?.name}'`, error);
    }
  }

  private checkRecords(records: readonly unknown[]): void {
    for (let at = 0; at < records.length; at++) {
      const record = records[at] as JsonRecord;
      for (const name in record) {
        const value = record[name];
        if (value === undefined || name === EXCEPTIONS) continue;
        if (name === '__proto__') throw new PayloadError(this.stage, `message.data[${at}]`, 'a property __proto__');
        const path = at === 0 && name === CONTENT ? 'payload' : `message.data[${at}].${name}`;
        this.check(value, path);
      }
    }
  }

  private check(value: unknown, path: string): void {
    const unstorable = findUnstorable(value, path);
    if (unstorable !== undefined) throw new PayloadError(this.stage, unstorable.path, unstorable.found);
  }
}

function withoutContent([first, ...others]: JsonRecord[]): JsonRecord[] {
  const { [CONTENT]: _, ...rest } = first as JsonRecord;
  return [rest, ...others];
}

function read(kind: number, text: string): Envelope {
  const parsed: unknown = JSON.parse(text);
  if (kind === COMPACT) return Envelope.fromCompact(parsed as Compact);
  if (kind === FULL) return Envelope.fromJSON(parsed);
  throw new Error(`There is no form ${kind}.`);
}

function encodeBrief([id, , [record]]: Compact, headroom: number): Buffer {
  const text = JSON.stringify(record);
  const start = headroom + 2 + id.length;
  const bytes = Buffer.allocUnsafe(start + Buffer.byteLength(text));
  bytes[headroom] = BRIEF;
  bytes[headroom + 1] = id.length;
  bytes.write(id, headroom + 2, 'latin1');
  bytes.write(text, start);
  return bytes;
}

/** Whether it has one byte for each character, in UTF-8, too. */
function isLatin(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function textBehind(headroom: number, kind: number, text: string): Buffer {
  const bytes = Buffer.allocUnsafe(headroom + 1 + Buffer.byteLength(text));
  bytes[headroom] = kind;
  bytes.write(text, headroom + 1);
  return bytes;
}
