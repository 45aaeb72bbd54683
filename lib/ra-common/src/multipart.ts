import { randomUUID } from 'node:crypto';
import { RaError } from './errors.js';
import { JsonFields, setIfDefined, type JsonObject } from './json.js';

// RFC 2046, 5.1.1, less the space.
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=?]{1,70}$/;
const LINE_BREAK = /[\r\n]/;

/**
 * Builds the body of a multipart/form-data request as a string. Only the boundary and the charset go into JSON, the body
 * does not.
 */
export class Multipart {
  readonly boundary: string;
  readonly charset: string | undefined;
  private text = '';
  private finished = false;

  /**
   * The boundary is 32 random alphanumerics by default.
   * Throws `invalid` for a boundary that RFC 2046 does not allow and for a charset with a line break.
   */
  constructor(boundary: string = randomUUID().replaceAll('-', ''), charset?: string) {
    if (!BOUNDARY.test(boundary)) throw RaError.invalid('Expected `boundary` to be 1 to 70 characters of RFC 2046');
    this.boundary = boundary;
    this.charset = charset === undefined ? undefined : oneLine('charset', charset);
  }

  /** Adds a part that is a form field. Throws `invalid` after `finish()`. */
  addFormField(name: string, value: string): void {
    const type = this.charset === undefined ? '' : `Content-Type: text/plain; charset=${this.charset}\r\n`;
    this.appendRaw(`${this.partHead(`name="${quoted(name)}"`)}${type}\r\n${value}\r\n`);
  }

  /** Adds a part that is a file. Throws `invalid` after `finish()`, and for a content type with a line break. */
  addFilePart(name: string, fileName: string, content: string, contentType = 'application/octet-stream'): void {
    const head = this.partHead(`name="${quoted(name)}"; filename="${quoted(fileName)}"`);
    this.appendRaw(`${head}Content-Type: ${oneLine('contentType', contentType)}\r\n\r\n${content}\r\n`);
  }

  /**
   * Adds a header line where the body stands, for a part that is built by hand with `appendRaw`.
   * Throws `invalid` after `finish()`, and for a line break in the name or the value.
   */
  addHeaderField(name: string, value: string): void {
    this.appendRaw(`${oneLine('name', name)}: ${oneLine('value', value)}\r\n`);
  }

  /** Adds text as it is. Throws `invalid` after `finish()`. */
  appendRaw(text: string): void {
    if (this.finished) throw RaError.invalid('Expected the multipart body to be open, got one that is finished');
    this.text += text;
  }

  /** The body as it stands. */
  body(): string {
    return this.text;
  }

  /** Closes the body with the final boundary, once, and answers it; called again it only answers it. */
  finish(): string {
    if (!this.finished) this.appendRaw(`--${this.boundary}--\r\n`);
    this.finished = true;
    return this.text;
  }

  toJSON(): JsonObject {
    const json: JsonObject = { boundary: this.boundary };
    setIfDefined(json, 'charset', this.charset);
    return json;
  }

  /** Throws `decode` for data that is no Multipart; the body read is empty. */
  static fromJSON(data: unknown): Multipart {
    return readMultipart(JsonFields.of(data, 'Multipart'));
  }

  private partHead(disposition: string): string {
    return `--${this.boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  }
}

export function readMultipart(fields: JsonFields): Multipart {
  const boundary = fields.string('boundary');
  const charset = fields.string('charset');
  try {
    return new Multipart(boundary, charset);
  } catch (error) {
    throw RaError.decode('Refused `Multipart`: its boundary or charset is not acceptable', { cause: error });
  }
}

/** A name within quotes, escaped as HTML form submission does. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function oneLine(what: string, text: string): string {
  if (LINE_BREAK.test(text)) throw RaError.invalid(`Expected \`${what}\` to be without line breaks`);
  return text;
}
