import { Injectable } from '@nestjs/common';
import {
  type EnvelopeFor,
  InjectStage,
  SedaBus,
  SedaBusModule,
  Stage,
  type StageRef,
  makeEnvelope,
} from '@resolvingarchitecture/nestjs-seda-bus';
import { boot } from '../support/boot.js';

// #region map
interface Order {
  readonly sku: string;
  readonly address: string;
}

declare module '@resolvingarchitecture/nestjs-seda-bus' {
  interface Stages {
    'orders.price': Order;
    'orders.ship': { readonly address: string; readonly total: number };
    [tenant: `tenants.${string}`]: Order;
  }
}
// #endregion

// #region typed-stages
@Injectable()
class Orders {
  readonly shipped: string[] = [];

  constructor(
    private readonly bus: SedaBus,
    @InjectStage('orders.ship') private readonly shipping: StageRef<'orders.ship'>,
  ) {}

  place = (order: Order) => this.bus.publish(makeEnvelope('orders.price', order));

  @Stage('orders.price', { maxAttempts: 3 })
  async price(envelope: EnvelopeFor<'orders.price'>): Promise<void> {
    const order = envelope.content();
    if (order !== undefined) await this.shipping.publish({ address: order.address, total: 12 });
  }

  @Stage('orders.ship')
  ship(envelope: EnvelopeFor<'orders.ship'>): void {
    this.shipped.push(`${envelope.content()?.total} to ${envelope.content()?.address}`);
  }
}

const imports = [
  SedaBusModule.forRoot({ stages: { 'orders.price': { capacity: 100 } } }),
  SedaBusModule.forFeature([{ name: 'orders.ship' }]),
];
// #endregion

const order: Order = { sku: 'book', address: 'Main Street' };

// #region refused
class Refused {
  mistakes(bus: SedaBus, shipping: StageRef<'orders.ship'>): void {
    // @ts-expect-error: there is no stage 'orders.prise'
    bus.pause('orders.prise');
    // @ts-expect-error: 'orders.price' carries an order
    void bus.publish(makeEnvelope('orders.price', 'book'));
    // @ts-expect-error: the slip leads to no stage
    makeEnvelope('orders.price', order, { slip: ['orders.shop'] });
    // @ts-expect-error: the total is missing
    void shipping.publish({ address: order.address });
  }

  // @ts-expect-error: envelopes of another stage
  @Stage('orders.price')
  price(envelope: EnvelopeFor<'orders.ship'>): unknown {
    return envelope.content();
  }
}
// #endregion

test('a map of the stages types their envelopes, and changes nothing at run time', async () => {
  const { app, bus } = await boot({ imports, providers: [Orders] });
  expect(await app.get(Orders).place(order)).toBe(true);
  await bus.idle();
  expect(app.get(Orders).shipped).toEqual(['12 to Main Street']);
});

test('a name that the compiler refuses is refused at run time, too', async () => {
  const { bus } = await boot({ imports, providers: [Orders] });
  const shipping = bus.stage('orders.ship') as StageRef<'orders.ship'>;
  expect(() => new Refused().mistakes(bus, shipping)).toThrow("'orders.prise'");
});
