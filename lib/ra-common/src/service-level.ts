/** How often an envelope may reach its consumer. */
export enum ServiceLevel {
  AtMostOnce = 'AtMostOnce',
  AtLeastOnce = 'AtLeastOnce',
  ExactlyOnce = 'ExactlyOnce',
}
