import { type EnvelopeFor, SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { type Same, holds } from '../claims.js';
import { type Order, order, shipment } from '../things.js';

/** The map that names the package is the engine's, too. */
export async function engine(envelope: EnvelopeFor<'orders.price'>): Promise<void> {
  const content = envelope.content();
  holds<Same<typeof content, Order | undefined>>();
  const bus = new SedaBus().channel('orders.price');
  await bus.publish(makeEnvelope('orders.price', order, { slip: ['orders.ship'] }));
  // @ts-expect-error: no such stage
  bus.channel('orders.prise');
  // @ts-expect-error: a payload of another stage
  makeEnvelope('orders.price', shipment);
}
