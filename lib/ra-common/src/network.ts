/** What connects two peers. */
export enum Network {
  Card = 'Card',
  Nfc = 'Nfc',
  Http = 'Http',
  Tor = 'Tor',
  I2p = 'I2p',
  WiFi = 'WiFi',
  Bluetooth = 'Bluetooth',
  Satellite = 'Satellite',
  FsRadio = 'FsRadio',
  LiFi = 'LiFi',
}
