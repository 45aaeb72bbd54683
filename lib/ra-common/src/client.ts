import type { Envelope } from './envelope.js';

/** Who asked, and wants to hear the answer. */
export interface Client {
  reply(envelope: Envelope): void;
}
