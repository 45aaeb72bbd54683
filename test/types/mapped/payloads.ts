import {
  type Consumer,
  type Envelope,
  type EnvelopeFor,
  type EnvelopeOf,
  type EnvelopeShape,
  type PayloadOf,
  SedaBus,
  type StageName,
  envelopePayload,
  makeEnvelope,
} from '@resolvingarchitecture/nestjs-seda-bus';
import { type Same, holds } from '../claims.js';
import { type Order, type Shipment, computed, order, shipment } from '../things.js';

declare const bus: SedaBus;
declare const consumer: Consumer;

/** The name gives an envelope its payload. */
export function typedEnvelopes(): void {
  const made = makeEnvelope('orders.price', order, { sender: 's', headers: { a: 1 } });
  holds<Same<typeof made, EnvelopeFor<'orders.price'>>>();
  holds<Same<EnvelopeFor<'orders.price'>, EnvelopeOf<Order>>>();
  const contents = [made.content(), made.clone().content(), envelopePayload(made)] as const;
  holds<Same<typeof contents, readonly [Order | undefined, Order | undefined, Order | undefined]>>();
  holds<Same<EnvelopeFor<'orders.price' | 'orders.ship'>, EnvelopeOf<Order | Shipment>>>();
}

/** It is an envelope like any other. */
export function assignable(made: EnvelopeFor<'orders.price'>): void {
  const plain: Envelope = made;
  const shape: EnvelopeShape = made;
  void bus.publish(made, { onSettled: (_, envelope: Envelope) => envelope.id });
  void bus.publishAndWait(bus.offer(made) ? plain : made);
  void bus.publish(shape);
  void bus.stage('orders.price')?.publish(made);
}

/** Where the map says nothing of a payload, or that it is unknown, the envelope is a plain one. */
export function plainEnvelopes(): void {
  holds<Same<EnvelopeFor<'audit'>, Envelope>>();
  holds<Same<PayloadOf<string>, unknown>>();
  const made = [makeEnvelope(computed), makeEnvelope(computed, 1), makeEnvelope('audit', 1), makeEnvelope('audit')];
  holds<Same<typeof made, Envelope[]>>();
}

/** No payload only where there need be none. */
export function payloads(): void {
  makeEnvelope('ping');
  makeEnvelope('ping', undefined, { slip: ['audit'] });
  makeEnvelope(`tenants.${computed}`, order);
  // @ts-expect-error: without its order
  makeEnvelope('orders.price');
  // @ts-expect-error: a payload of another stage
  makeEnvelope('orders.price', shipment);
  // @ts-expect-error: a payload of another stage
  makeEnvelope(`tenants.${computed}`, shipment);
  // @ts-expect-error: it carries nothing
  makeEnvelope('ping', order);
  // @ts-expect-error: no such stage
  makeEnvelope('orders.prise', order);
}

/** The slip leads to stages of the map, or to names of the run time. */
export function slips(): void {
  makeEnvelope('orders.price', order, { slip: ['orders.ship', 'audit', `tenants.${computed}`] });
  makeEnvelope('orders.price', order, { slip: [computed] });
  makeEnvelope(computed, shipment, { slip: ['orders.ship'] });
  // @ts-expect-error: no such stage
  makeEnvelope('orders.price', order, { slip: ['orders.ship', 'orders.shop'] });
  // @ts-expect-error: no such stage
  makeEnvelope(computed, order, { slip: ['orders.shop'] });
}

/** What is written for all stages of the map, works. */
export function ofAnyStage<Name extends StageName>(envelope: EnvelopeFor<Name>): Envelope {
  void bus.publish(envelope);
  return envelope;
}

/** Consumers get the envelope of their stage. */
export function consumers(): void {
  bus.subscribe('orders.price', (envelope, attempt) => {
    holds<Same<typeof envelope, EnvelopeOf<Order>>>();
    return attempt.publish(makeEnvelope('orders.ship', shipment));
  });
  bus.subscribe('orders.price', consumer).unsubscribe('orders.price', consumer);
  bus.subscribe('orders.price', (envelope: EnvelopeFor<'orders.price' | 'orders.ship'>) => envelope.content());
  bus.subscribe(computed, (envelope) => holds<Same<typeof envelope, Envelope>>());
  // @ts-expect-error: a consumer of another stage
  bus.subscribe('orders.price', (envelope: EnvelopeFor<'orders.ship'>) => envelope.content());
  // @ts-expect-error: a consumer of another stage
  bus.unsubscribe('orders.price', (envelope: EnvelopeFor<'orders.ship'>) => envelope.content());
}
