import { Injectable, Module } from '@nestjs/common';
import { Delivery } from '#engine';
import { SedaBusModule, Stage } from '../../src/index.js';
import { boot, compile } from './support/boot.js';
import { publish } from './support/publish.js';

@Injectable()
class Orders {
  handled = 0;

  // Every consumer of a pub/sub stage gets each envelope: a handler that is registered twice would be seen.
  @Stage('orders', { delivery: Delivery.PubSub })
  handle(): void {
    this.handled++;
  }
}

const forRoot = () => SedaBusModule.forRoot();
const both = (thrown: unknown): string => (thrown as Error).message;

describe('R9.1: a handler is registered once', () => {
  test.each([
    ['an alias', { provide: 'ALIAS', useExisting: Orders }],
    ['a factory that hands it on', { provide: 'SAME', useFactory: (orders: Orders) => orders, inject: [Orders] }],
    ['a proxy of it', { provide: 'PROXY', useFactory: (orders: Orders) => new Proxy(orders, {}), inject: [Orders] }],
  ])('although there is %s', async (_, provider) => {
    const { app, bus } = await boot({ imports: [forRoot()], providers: [provider, Orders] });
    await publish(bus, 'orders');
    expect(app.get(Orders).handled).toBe(1);
  });

  test('and a proxy alone handles', async () => {
    const orders = new Orders();
    const provider = { provide: 'PROXY', useValue: new Proxy(orders, {}) };
    const { bus } = await boot({ imports: [forRoot()], providers: [provider] });
    await publish(bus, 'orders');
    expect(orders.handled).toBe(1);
  });

  test('although two modules import the module that provides it', async () => {
    @Module({ providers: [Orders], exports: [Orders] })
    class OrdersModule {}
    @Module({ imports: [OrdersModule] })
    class Left {}
    @Module({ imports: [OrdersModule] })
    class Right {}
    const { app, bus } = await boot({ imports: [forRoot(), Left, Right] });
    await publish(bus, 'orders');
    expect(app.get(Orders, { strict: false }).handled).toBe(1);
  });

  test('N04: two modules that list its class fail the boot, which names both', async () => {
    @Module({ providers: [Orders] })
    class Left {}
    @Module({ providers: [Orders] })
    class Right {}
    const error = await boot({ imports: [forRoot(), Left, Right] }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'SEDA_HANDLER_TWICE' });
    expect(both(error)).toMatch(/Orders\.handle of stage 'orders' .* Left .* Right /);
  });

  test('a method that is decorated twice with one stage fails the boot', async () => {
    @Injectable()
    class Doubled {
      @Stage('doubled')
      @Stage('doubled')
      handle(): void {}
    }
    await expect(boot({ imports: [forRoot()], providers: [Doubled] })).rejects.toMatchObject({
      code: 'SEDA_HANDLER_TWICE',
    });
  });
});

describe('N04, N19: the module is registered once', () => {
  test('N19: the same dynamic module imported three times is one bus, which starts and drains once', async () => {
    const root = SedaBusModule.forRoot();
    @Module({ imports: [root] })
    class Left {}
    @Module({ imports: [root] })
    class Right {}
    const { app, bus, log } = await boot({ imports: [root, Left, Right], providers: [Orders] });
    await publish(bus, 'orders');
    await app.close();
    expect(app.get(Orders).handled).toBe(1);
    expect(log.ofBus('log')).toEqual(['Started: 2 stage(s), 1 handler(s)', 'Shut down: drained, abandoned: 0']);
  });

  test('N04: two calls of forRoot fail the boot, which names the modules and what to do', async () => {
    @Module({ imports: [SedaBusModule.forRoot()] })
    class Left {}
    @Module({ imports: [SedaBusModule.forRoot()] })
    class Right {}
    const error = await compile({ imports: [Left, Right], providers: [Orders] }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'SEDA_MODULE_TWICE' });
    expect(both(error)).toMatch(/2 times .* Left and Right\. Call it in one module.*forFeature/);
  });

  test('the module imported without forRoot fails the boot', async () => {
    await expect(compile({ imports: [SedaBusModule] })).rejects.toMatchObject({ code: 'SEDA_MODULE_WITHOUT_ROOT' });
  });
});
