import * as face from '../src/index.js';
import { EventType, RaError, ServiceStatus, serviceStatusIsRunning } from '../src/index.js';

describe('the enums', () => {
  test.each<[string, object, string]>([
    ['Action', face.Action, 'Post Put Delete Get'],
    [
      'Command',
      face.Command,
      'Start Shutdown GracefullyShutdown Restart Pause Unpause NetState Report ' +
        'RegisterStateChangeListener UnregisterStateChangeListener',
    ],
    ['DidStatus', face.DidStatus, 'Inactive Active Suspended Private'],
    ['DidType', face.DidType, 'Contact Identity Node'],
    ['HashAlgorithm', face.HashAlgorithm, 'Sha1 Sha256 Sha512 Pbkdf2HmacSha1'],
    ['MessageType', face.MessageType, 'Document Text Event Command None'],
    ['Network', face.Network, 'Card Nfc Http Tor I2p WiFi Bluetooth Satellite FsRadio LiFi'],
    ['ServiceLevel', face.ServiceLevel, 'AtMostOnce AtLeastOnce ExactlyOnce'],
    [
      'ServiceStatus',
      face.ServiceStatus,
      'NotInitialized Initializing Waiting Starting Running Verified PartiallyRunning DegradedRunning Unstable ' +
        'Pausing Paused Unpausing ShuttingDown GracefullyShuttingDown Shutdown GracefullyShutdown Restarting ' +
        'Unavailable Error',
    ],
    ['Status', face.Status, 'Initialized Starting Running Paused Stopping Stopped Errored'],
  ])('write %s as its names', (_, members, names) => {
    expect(Object.entries(members)).toEqual(names.split(' ').map((name) => [name, name]));
  });

  test('write EventType in capitals', () => {
    expect(EventType).toEqual({
      Error: 'ERROR',
      Exception: 'EXCEPTION',
      BusStatus: 'BUS_STATUS',
      PeerStatus: 'PEER_STATUS',
      ServiceStatus: 'SERVICE_STATUS',
      DidStatus: 'DID_STATUS',
      NetworkStateUpdate: 'NETWORK_STATE_UPDATE',
      PriceChange: 'PRICE_CHANGE',
    });
  });
});

describe('a service', () => {
  test('runs in four of its states', () => {
    expect(Object.values(ServiceStatus).filter(serviceStatusIsRunning)).toEqual([
      ServiceStatus.Running,
      ServiceStatus.Verified,
      ServiceStatus.PartiallyRunning,
      ServiceStatus.DegradedRunning,
    ]);
  });
});

describe('an error', () => {
  test('says its kind in its message and in a field', () => {
    const error = new RaError('service-not-found', 'orders');
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'RaError', kind: 'service-not-found', message: 'service-not-found: orders' });
  });

  test('has a maker for the common kinds, which keeps the cause', () => {
    const cause = new Error('below');
    for (const kind of ['decode', 'crypto', 'invalid'] as const) {
      expect(RaError[kind]('text', { cause })).toMatchObject({ kind, message: `${kind}: text`, cause });
    }
    expect(RaError.decode('text').cause).toBeUndefined();
  });
});

describe('the public face', () => {
  test('consists of these values', () => {
    const classes =
      'CommandMessage Did DocumentMessage DynamicRoutingSlip Envelope EventMessage Hash Message Multipart NetworkPeer ' +
      'PublicKey RaError RelayedExternalRoute Route RouteMeta Signature SimpleExternalRoute SimpleRoute TextMessage';
    const enums =
      'Action Command DidStatus DidType EventType HashAlgorithm MessageType Network ServiceLevel ServiceStatus Status';
    const rest =
      'CONTENT ENTITY EXCEPTIONS HEADER_AUTHORIZATION HEADER_CONTENT_DISPOSITION HEADER_CONTENT_TRANSFER_ENCODING ' +
      'HEADER_CONTENT_TYPE HEADER_CONTENT_TYPE_JSON HEADER_USER_AGENT messageFromJSON routeFromJSON serviceStatusIsRunning';
    expect(Object.keys(face).toSorted()).toEqual(`${classes} ${enums} ${rest}`.split(' ').toSorted());
  });
});
