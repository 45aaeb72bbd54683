import { JsonFields, setIfDefined, type JsonObject } from '../json.js';
import { Hash, HashAlgorithm, readHash } from './hash.js';
import { PublicKey, readPublicKey } from './public-key.js';

export enum DidStatus {
  Inactive = 'Inactive',
  Active = 'Active',
  Suspended = 'Suspended',
  Private = 'Private',
}

export enum DidType {
  Contact = 'Contact',
  Identity = 'Identity',
  Node = 'Node',
}

/** A decentralised identity: by default an anonymous, inactive one without a key. */
export class Did {
  username = 'Anon';
  passphrase: string | undefined = undefined;
  passphrase2: string | undefined = undefined;
  passphraseHash: Hash | undefined = undefined;
  passphraseHashAlgorithm = HashAlgorithm.Pbkdf2HmacSha1;
  description = '';
  status = DidStatus.Inactive;
  didType = DidType.Identity;
  verified = false;
  authenticated = false;
  publicKey = new PublicKey();

  static withUsername(username: string): Did {
    const did = new Did();
    did.username = username;
    return did;
  }

  /**
   * Makes it fit to be shown: no username, description or passphrases, status Private, neither verified nor authenticated.
   * The passphrase hash and the public key stay.
   */
  clearSensitive(): void {
    this.username = '';
    this.passphrase = undefined;
    this.passphrase2 = undefined;
    this.description = '';
    this.status = DidStatus.Private;
    this.verified = false;
    this.authenticated = false;
  }

  toJSON(): JsonObject {
    const json: JsonObject = {
      username: this.username,
      passphrase_hash_algorithm: this.passphraseHashAlgorithm,
      description: this.description,
      status: this.status,
      did_type: this.didType,
      verified: this.verified,
      authenticated: this.authenticated,
      public_key: this.publicKey.toJSON(),
    };
    setIfDefined(json, 'passphrase', this.passphrase);
    setIfDefined(json, 'passphrase2', this.passphrase2);
    setIfDefined(json, 'passphrase_hash', this.passphraseHash?.toJSON());
    return json;
  }

  /** Throws `decode` for data that is no Did. */
  static fromJSON(data: unknown): Did {
    return readDid(JsonFields.of(data, 'Did'));
  }
}

export function readDid(fields: JsonFields): Did {
  const did = new Did();
  const hash = fields.object('passphrase_hash');
  const key = fields.object('public_key');
  did.username = fields.string('username') ?? did.username;
  did.passphrase = fields.string('passphrase');
  did.passphrase2 = fields.string('passphrase2');
  did.passphraseHash = hash && readHash(hash);
  did.passphraseHashAlgorithm =
    fields.choice('passphrase_hash_algorithm', HashAlgorithm) ?? did.passphraseHashAlgorithm;
  did.description = fields.string('description') ?? did.description;
  did.status = fields.choice('status', DidStatus) ?? did.status;
  did.didType = fields.choice('did_type', DidType) ?? did.didType;
  did.verified = fields.boolean('verified') ?? did.verified;
  did.authenticated = fields.boolean('authenticated') ?? did.authenticated;
  if (key) did.publicKey = readPublicKey(key);
  return did;
}
