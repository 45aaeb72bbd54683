import { JsonFields, ownValue, setIfDefined, setOwnValue, type JsonObject } from '../json.js';
import { readSignature, Signature } from './signature.js';

/** A public key, what is known about it, and who vouches for that. */
export class PublicKey {
  alias: string | undefined = undefined;
  fingerprint: string | undefined = undefined;
  address: string | undefined = undefined;
  keyType: string | undefined = undefined;
  isIdentityKey = false;
  isEncryptionKey = false;
  isBase64Encoded = false;
  isBase58Encoded = false;
  isPem = false;
  isHex = false;
  attributes: Record<string, unknown> = {};
  signedAttributes: Record<string, Signature[]> = {};

  static fromAddress(address: string): PublicKey {
    const key = new PublicKey();
    key.address = address;
    return key;
  }

  /** Sets an attribute, in place of an earlier one of that name. Throws `invalid` for the name `__proto__`. */
  addAttribute(name: string, value: unknown): void {
    setOwnValue(this.attributes, name, value);
  }

  attribute(name: string): unknown {
    return ownValue(this.attributes, name);
  }

  /**
   * Adds a signature under the name of the attribute it signs; an earlier one of the same address is replaced.
   * Throws `invalid` for the name `__proto__`.
   */
  addSignedAttribute(name: string, signature: Signature): void {
    const others = this.signaturesOf(name).filter((present) => !present.equals(signature));
    setOwnValue(this.signedAttributes, name, [...others, signature]);
  }

  /** Removes what the address signed under that name; false when there was nothing. */
  removeSignature(name: string, signedByAddress: string): boolean {
    const present = this.signaturesOf(name);
    const kept = present.filter((signature) => signature.signedByAddress !== signedByAddress);
    if (kept.length === present.length) return false;
    if (kept.length > 0) this.signedAttributes[name] = kept;
    else delete this.signedAttributes[name];
    return true;
  }

  toJSON(): JsonObject {
    const json: JsonObject = {};
    setIfDefined(json, 'alias', this.alias);
    setIfDefined(json, 'fingerprint', this.fingerprint);
    setIfDefined(json, 'address', this.address);
    setIfDefined(json, 'type', this.keyType);
    if (this.isIdentityKey) json['is_identity_key'] = true;
    if (this.isEncryptionKey) json['is_encryption_key'] = true;
    if (this.isBase64Encoded) json['is_base64_encoded'] = true;
    if (this.isBase58Encoded) json['is_base58_encoded'] = true;
    if (this.isPem) json['is_pem'] = true;
    if (this.isHex) json['is_hex'] = true;
    if (Object.keys(this.attributes).length > 0) json['attributes'] = { ...this.attributes };
    if (Object.keys(this.signedAttributes).length > 0) json['signed_attributes'] = this.signedAttributesJson();
    return json;
  }

  /** Throws `decode` for data that is no PublicKey. */
  static fromJSON(data: unknown): PublicKey {
    return readPublicKey(JsonFields.of(data, 'PublicKey'));
  }

  private signaturesOf(name: string): readonly Signature[] {
    return ownValue(this.signedAttributes, name) ?? [];
  }

  private signedAttributesJson(): JsonObject {
    const json: JsonObject = {};
    for (const [name, signatures] of Object.entries(this.signedAttributes)) {
      json[name] = signatures.map((signature) => signature.toJSON());
    }
    return json;
  }
}

export function readPublicKey(fields: JsonFields): PublicKey {
  const key = new PublicKey();
  key.alias = fields.string('alias');
  key.fingerprint = fields.string('fingerprint');
  key.address = fields.string('address');
  key.keyType = fields.string('type');
  key.isIdentityKey = fields.boolean('is_identity_key') ?? false;
  key.isEncryptionKey = fields.boolean('is_encryption_key') ?? false;
  key.isBase64Encoded = fields.boolean('is_base64_encoded') ?? false;
  key.isBase58Encoded = fields.boolean('is_base58_encoded') ?? false;
  key.isPem = fields.boolean('is_pem') ?? false;
  key.isHex = fields.boolean('is_hex') ?? false;
  key.attributes = fields.record('attributes') ?? {};
  key.signedAttributes = readSignedAttributes(fields.object('signed_attributes'));
  return key;
}

function readSignedAttributes(fields: JsonFields | undefined): Record<string, Signature[]> {
  const signed: Record<string, Signature[]> = {};
  for (const name of fields?.keys() ?? []) signed[name] = fields?.objects(name)?.map(readSignature) ?? [];
  return signed;
}
