import { JsonFields, setIfDefined, type JsonObject } from '../json.js';

/** Who signed what, and when. */
export class Signature {
  valueSigned: string | undefined = undefined;
  algorithm: string | undefined = undefined;
  signedDate: Date | undefined = undefined;
  signedByUsername: string | undefined = undefined;
  signedByFingerprint: string | undefined = undefined;
  signedByAddress: string | undefined = undefined;

  /** Whether both were signed by the same address; a signature without one equals none, not even itself. */
  equals(other: Signature): boolean {
    return this.signedByAddress !== undefined && this.signedByAddress === other.signedByAddress;
  }

  toJSON(): JsonObject {
    const json: JsonObject = {};
    setIfDefined(json, 'value_signed', this.valueSigned);
    setIfDefined(json, 'algorithm', this.algorithm);
    setIfDefined(json, 'signed_date', this.signedDate?.toISOString());
    setIfDefined(json, 'signed_by_username', this.signedByUsername);
    setIfDefined(json, 'signed_by_fingerprint', this.signedByFingerprint);
    setIfDefined(json, 'signed_by_address', this.signedByAddress);
    return json;
  }

  /** Throws `decode` for data that is no Signature. */
  static fromJSON(data: unknown): Signature {
    return readSignature(JsonFields.of(data, 'Signature'));
  }
}

export function readSignature(fields: JsonFields): Signature {
  const signature = new Signature();
  signature.valueSigned = fields.string('value_signed');
  signature.algorithm = fields.string('algorithm');
  signature.signedDate = fields.date('signed_date');
  signature.signedByUsername = fields.string('signed_by_username');
  signature.signedByFingerprint = fields.string('signed_by_fingerprint');
  signature.signedByAddress = fields.string('signed_by_address');
  return signature;
}
