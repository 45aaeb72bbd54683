/** What kind of thing happened. */
export enum EventType {
  Error = 'ERROR',
  Exception = 'EXCEPTION',
  BusStatus = 'BUS_STATUS',
  PeerStatus = 'PEER_STATUS',
  ServiceStatus = 'SERVICE_STATUS',
  DidStatus = 'DID_STATUS',
  NetworkStateUpdate = 'NETWORK_STATE_UPDATE',
  PriceChange = 'PRICE_CHANGE',
}
