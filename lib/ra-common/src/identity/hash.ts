import { JsonFields, type JsonObject } from '../json.js';

export enum HashAlgorithm {
  Sha1 = 'Sha1',
  Sha256 = 'Sha256',
  Sha512 = 'Sha512',
  Pbkdf2HmacSha1 = 'Pbkdf2HmacSha1',
}

/** A hash as text, and how it was made. */
export class Hash {
  constructor(
    public hash: string,
    public algorithm: HashAlgorithm = HashAlgorithm.Sha256,
  ) {}

  /** Whether the hash strings are the same; the algorithm is not compared. */
  equals(other: Hash): boolean {
    return this.hash === other.hash;
  }

  toJSON(): JsonObject {
    return { hash: this.hash, algorithm: this.algorithm };
  }

  /** Throws `decode` for data that is no Hash; a missing hash reads as the empty string. */
  static fromJSON(data: unknown): Hash {
    return readHash(JsonFields.of(data, 'Hash'));
  }
}

export function readHash(fields: JsonFields): Hash {
  return new Hash(fields.string('hash') ?? '', fields.choice('algorithm', HashAlgorithm));
}
