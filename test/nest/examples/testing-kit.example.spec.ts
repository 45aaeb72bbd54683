import { type INestApplication, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type Envelope, SedaBus, SedaBusModule, Stage, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus';
import { SedaBusTesting } from '@resolvingarchitecture/nestjs-seda-bus/testing';

@Injectable()
class Orders {
  @Stage('orders.price', { maxAttempts: 3, backoff: { type: 'exponential', delayMs: 200 } })
  async price(order: Envelope): Promise<void> {
    order.headers['total'] = 980;
  }

  @Stage('orders.ship')
  ship(): void {}
}

@Module({ imports: [SedaBusModule.forRoot()], providers: [Orders] })
class AppModule {}

// #region testing-start
let app: INestApplication;
let seda: SedaBusTesting;
let bus: SedaBus;

beforeEach(async () => {
  seda = new SedaBusTesting();
  const module = await seda.install(Test.createTestingModule({ imports: [AppModule] })).compile();
  app = await module.createNestApplication().init();
  bus = app.get(SedaBus);
});

afterEach(() => app.close());
// #endregion

// #region testing-time
test('an order is tried again after 200 ms, and then goes on to be shipped', async () => {
  seda.failNext('orders.price', new Error('no connection'));
  await bus.publish(makeEnvelope('orders.price', { sku: 'tea' }, { slip: ['orders.ship'] }));
  await seda.settled(); // nothing queued, nothing running; the retry is not due yet
  await seda.advance(200); // now it is, and what follows from it has happened, too
  expect(seda.deliveries('orders.price')).toMatchObject([
    { attempt: 1, outcome: 'nack', error: { message: 'no connection' } },
    { attempt: 2, outcome: 'ack' },
  ]);
  expect(seda.deliveries('orders.ship')).toMatchObject([{ payload: { sku: 'tea' }, outcome: 'ack' }]);
});
// #endregion

// #region testing-gate
test('orders wait while the one before them is priced', async () => {
  const gate = seda.gate('orders.price');
  for (const sku of ['tea', 'milk']) await bus.publish(makeEnvelope('orders.price', { sku }));
  await seda.advance(0);
  expect([gate.waiting, bus.stats()['orders.price']?.depth]).toEqual([1, 1]);
  await expect(seda.settled()).rejects.toThrow("'orders.price': 1 at a closed gate, 1 queued");
  gate.open();
  await seda.settled();
});
// #endregion
