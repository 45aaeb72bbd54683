import type { Envelope } from '../envelope.js';
import type { LifeCycle } from '../lifecycle.js';

/** Sends envelopes; the answer is whether it was accepted. */
export interface MessageProducer {
  send(envelope: Envelope): boolean;
}

/** Receives envelopes; the answer is whether it was handled. */
export interface MessageConsumer {
  receive(envelope: Envelope): boolean;
}

/** A named way from producers to consumers. */
export interface MessageChannel extends MessageProducer {
  readonly name: string;
  registerConsumer(consumer: MessageConsumer): boolean;
}

/** What holds channels and moves envelopes along them. */
export interface MessageBus extends LifeCycle {
  registerChannel(channel: MessageChannel): boolean;
  publish(envelope: Envelope): boolean;
  /** The envelope has reached the end of its way. */
  completed(envelope: Envelope): boolean;
}
