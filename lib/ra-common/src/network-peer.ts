import { Did, readDid } from './identity/did.js';
import { JsonFields, setIfDefined, type JsonObject } from './json.js';
import { Network } from './network.js';

/** A peer on a network, and the services it offers there. */
export class NetworkPeer {
  network: Network;
  did = new Did();
  id: string | undefined = undefined;
  port: number | undefined = undefined;
  services: string[] = [];

  constructor(network: Network = Network.Http) {
    this.network = network;
  }

  /** Whether both public keys have an address and a fingerprint, and both match. */
  equals(other: NetworkPeer): boolean {
    const { address, fingerprint } = this.did.publicKey;
    const theirs = other.did.publicKey;
    if (address === undefined || fingerprint === undefined) return false;
    return address === theirs.address && fingerprint === theirs.fingerprint;
  }

  toJSON(): JsonObject {
    const json: JsonObject = { network: this.network, did: this.did.toJSON() };
    setIfDefined(json, 'id', this.id);
    setIfDefined(json, 'port', this.port);
    if (this.services.length > 0) json['services'] = [...this.services];
    return json;
  }

  /** Throws `decode` for data that is no NetworkPeer. */
  static fromJSON(data: unknown): NetworkPeer {
    return readNetworkPeer(JsonFields.of(data, 'NetworkPeer'));
  }
}

export function readNetworkPeer(fields: JsonFields): NetworkPeer {
  const peer = new NetworkPeer(fields.choice('network', Network));
  const did = fields.object('did');
  if (did) peer.did = readDid(did);
  peer.id = fields.string('id');
  peer.port = fields.number('port');
  peer.services = fields.strings('services') ?? [];
  return peer;
}
