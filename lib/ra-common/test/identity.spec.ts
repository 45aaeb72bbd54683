import {
  Did,
  DidStatus,
  DidType,
  Hash,
  HashAlgorithm,
  Network,
  NetworkPeer,
  PublicKey,
  Signature,
} from '../src/index.js';
import { fullDid, overTheWire } from './fixtures.js';

function signedBy(address: string | undefined, valueSigned = 'x'): Signature {
  return Object.assign(new Signature(), { signedByAddress: address, valueSigned });
}

function peer(address?: string, fingerprint?: string): NetworkPeer {
  const made = new NetworkPeer();
  Object.assign(made.did.publicKey, { address, fingerprint });
  return made;
}

describe('a hash', () => {
  test('is Sha256 by default and equals one of the same text', () => {
    expect(new Hash('a').algorithm).toBe(HashAlgorithm.Sha256);
    expect(new Hash('a').equals(new Hash('a', HashAlgorithm.Sha1))).toBe(true);
    expect(new Hash('a').equals(new Hash('b'))).toBe(false);
  });
});

describe('a signature', () => {
  test('equals one by the same address', () => {
    expect(signedBy('a', 'x').equals(signedBy('a', 'y'))).toBe(true);
    expect(signedBy('a').equals(signedBy('b'))).toBe(false);
    expect(signedBy(undefined).equals(signedBy(undefined))).toBe(false);
  });

  test('writes its date in ISO form and reads it as a date', () => {
    const signature = new Signature();
    signature.signedDate = new Date(0);
    expect(signature.toJSON()).toEqual({ signed_date: '1970-01-01T00:00:00.000Z' });
    expect(Signature.fromJSON(overTheWire(signature)).signedDate?.getTime()).toBe(0);
    expect(Signature.fromJSON({ signed_date: '2024-05-06T07:08:09.123456789+02:00' }).signedDate?.getTime()).toBe(
      Date.UTC(2024, 4, 6, 5, 8, 9, 123),
    );
  });
});

describe('a public key', () => {
  test('is made from an address', () => {
    expect(PublicKey.fromAddress('a').toJSON()).toEqual({ address: 'a' });
  });

  test('keeps attributes by name', () => {
    const key = new PublicKey();
    key.addAttribute('colour', 'red');
    key.addAttribute('colour', 'blue');
    expect(key.attribute('colour')).toBe('blue');
    expect(key.attribute('constructor')).toBeUndefined();
    expect(() => key.addAttribute('__proto__', 1)).toThrow('invalid: ');
    expect(() => key.addSignedAttribute('__proto__', new Signature())).toThrow('invalid: ');
  });

  test('keeps one signature an address for each attribute', () => {
    const key = new PublicKey();
    key.addSignedAttribute('colour', signedBy('a', 'old'));
    key.addSignedAttribute('colour', signedBy('b'));
    key.addSignedAttribute('colour', signedBy('a', 'new'));
    expect(key.signedAttributes['colour']?.map((s) => [s.signedByAddress, s.valueSigned])).toEqual([
      ['b', 'x'],
      ['a', 'new'],
    ]);
  });

  test('forgets a signature, and the attribute with the last one', () => {
    const key = new PublicKey();
    key.addSignedAttribute('colour', signedBy('a'));
    key.addSignedAttribute('colour', signedBy('b'));
    expect(key.removeSignature('colour', 'c')).toBe(false);
    expect(key.removeSignature('size', 'a')).toBe(false);
    expect(key.removeSignature('colour', 'a')).toBe(true);
    expect(key.signedAttributes['colour']).toHaveLength(1);
    expect(key.removeSignature('colour', 'b')).toBe(true);
    expect(key.toJSON()).toEqual({});
  });
});

describe('an identity', () => {
  test('is anonymous, inactive and unverified by default', () => {
    expect(new Did().toJSON()).toEqual({
      username: 'Anon',
      passphrase_hash_algorithm: 'Pbkdf2HmacSha1',
      description: '',
      status: 'Inactive',
      did_type: 'Identity',
      verified: false,
      authenticated: false,
      public_key: {},
    });
    expect(Did.withUsername('Alice').username).toBe('Alice');
  });

  test('shows nothing sensitive once cleared', () => {
    const did = fullDid();
    did.clearSensitive();
    expect(did).toMatchObject({ username: '', description: '', status: DidStatus.Private, didType: DidType.Node });
    expect(did).toMatchObject({ verified: false, authenticated: false });
    expect(did.toJSON()).not.toHaveProperty('passphrase');
    expect(did.toJSON()).not.toHaveProperty('passphrase2');
    expect(did.publicKey.address).toBe('a1');
  });

  test('comes back with parts of the right class', () => {
    const did = Did.fromJSON(overTheWire(fullDid()));
    expect(did.passphraseHash).toBeInstanceOf(Hash);
    expect(did.publicKey).toBeInstanceOf(PublicKey);
    expect(did.publicKey.signedAttributes['colour']?.[0]).toBeInstanceOf(Signature);
  });
});

describe('a network peer', () => {
  test('is reached by Http by default', () => {
    expect(new NetworkPeer().network).toBe(Network.Http);
  });

  test('equals one with the same address and fingerprint, both present', () => {
    expect(peer('a', 'f').equals(peer('a', 'f'))).toBe(true);
    expect(peer('a', 'f').equals(peer('a', 'g'))).toBe(false);
    expect(peer('b', 'f').equals(peer('a', 'f'))).toBe(false);
    expect(peer('a').equals(peer('a'))).toBe(false);
    expect(peer(undefined, 'f').equals(peer(undefined, 'f'))).toBe(false);
  });
});
