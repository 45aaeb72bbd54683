import { Injectable, type Provider } from '@nestjs/common';
import type { Attempt, Envelope, SedaBus } from '#engine';
import { SedaBusModule, type SedaBusModuleOptions, Stage } from '../../../src/index.js';
import { SedaBusTesting, type SedaBusTestingOptions } from '../../../src/testing/index.js';
import { boot } from './boot.js';

type Handler = (envelope: Envelope, attempt: Attempt) => unknown;

/** Two stages whose handlers a test may replace. */
@Injectable()
export class Orders {
  onPrice: Handler = () => undefined;
  onShip: Handler = () => undefined;

  @Stage('orders.price', { maxAttempts: 3 })
  price(envelope: Envelope, attempt: Attempt): unknown {
    return this.onPrice(envelope, attempt);
  }

  @Stage('orders.ship')
  ship(envelope: Envelope, attempt: Attempt): unknown {
    return this.onShip(envelope, attempt);
  }
}

export interface OrdersUnderTest {
  readonly seda: SedaBusTesting;
  readonly bus: SedaBus;
  readonly orders: Orders;
  readonly close: () => Promise<void>;
}

/** An application of these two stages with the kit in it. */
export async function bootOrders(
  options: SedaBusModuleOptions = {},
  testing: SedaBusTestingOptions = {},
  providers: readonly Provider[] = [],
): Promise<OrdersUnderTest> {
  const seda = new SedaBusTesting(testing);
  const metadata = { imports: [SedaBusModule.forRoot(options)], providers: [Orders, ...providers] };
  const { app, bus } = await boot(metadata, (builder) => seda.install(builder));
  return { seda, bus, orders: app.get(Orders), close: () => app.close() };
}
