import { Injectable, Module } from '@nestjs/common';
import { SedaBus, type StageRef, makeEnvelope } from '#engine';
import {
  InjectStage,
  type SedaBusAsyncResult,
  SedaBusModule,
  type SedaBusOptionsFactory,
  Stage,
  getStageToken,
} from '../../src/index.js';
import { boot, compile } from './support/boot.js';
import { publish } from './support/publish.js';

@Injectable()
class Orders {
  handled = 0;

  @Stage('orders')
  handle(): void {
    this.handled++;
  }
}

@Injectable()
class Sizes implements SedaBusOptionsFactory {
  readonly capacity = 77;

  async createSedaBusOptions(): Promise<SedaBusAsyncResult> {
    return { defaults: { capacity: this.capacity } };
  }
}

@Module({ providers: [Sizes], exports: [Sizes] })
class SizesModule {}

describe('forRootAsync', () => {
  test.each([
    [
      'useFactory, with what it injects',
      SedaBusModule.forRootAsync({
        imports: [SizesModule],
        inject: [Sizes],
        useFactory: async (sizes: Sizes) => ({ defaults: { capacity: sizes.capacity } }),
      }),
    ],
    ['useClass', SedaBusModule.forRootAsync({ useClass: Sizes })],
    ['useExisting', SedaBusModule.forRootAsync({ imports: [SizesModule], useExisting: Sizes })],
  ])('takes its options by %s', async (_, root) => {
    const { app, bus } = await boot({ imports: [root], providers: [Orders] });
    await publish(bus, 'orders');
    expect(app.get(Orders).handled).toBe(1);
    expect(bus.stats()['orders']).toMatchObject({ capacity: 77 });
  });

  test.each([
    ['none', {}],
    ['two', { useFactory: () => ({}), useClass: Sizes }],
  ])('with %s of the three is refused', (_, options) => {
    expect(() => SedaBusModule.forRootAsync(options)).toThrow(/exactly one of useFactory, useClass and useExisting/);
  });

  test('a factory that answers nothing is no error: everything has a default', async () => {
    const root = SedaBusModule.forRootAsync({ useFactory: () => undefined as never });
    await expect(boot({ imports: [root] })).resolves.toBeDefined();
  });

  test('a factory that fails, fails the boot', async () => {
    const root = SedaBusModule.forRootAsync({ useFactory: () => Promise.reject(new Error('no config')) });
    await expect(boot({ imports: [root] })).rejects.toThrow('no config');
  });

  test('a bad option fails the boot', async () => {
    const root = SedaBusModule.forRootAsync({ useFactory: () => ({ concurrency: -1 }) });
    await expect(boot({ imports: [root] })).rejects.toMatchObject({ code: 'SEDA_INVALID_OPTION' });
  });
});

describe('forFeature and InjectStage', () => {
  @Injectable()
  class Publisher {
    constructor(
      readonly bus: SedaBus,
      @InjectStage('orders') readonly orders: StageRef<{ id: number }>,
    ) {}
  }
  @Module({
    imports: [SedaBusModule.forFeature([{ name: 'orders', capacity: 3 }, { name: 'unhandled' }])],
    providers: [Publisher],
    exports: [Publisher],
  })
  class PublishingModule {}

  test('a declared stage is injected as its StageRef', async () => {
    const { app, bus } = await boot({ imports: [SedaBusModule.forRoot(), PublishingModule], providers: [Orders] });
    const { orders } = app.get(Publisher, { strict: false });
    await expect(orders.publishAndWait({ id: 1 })).resolves.toEqual({ status: 'completed', stage: 'orders' });
    expect(app.get(Orders).handled).toBe(1);
    expect(orders.stats()).toMatchObject({ capacity: 3, delivered: 1 });
    expect(bus.stats()).toHaveProperty('unhandled');
  });

  test('a class that is injected by type is emitted as itself, so that Nest can resolve it', () => {
    expect(Reflect.getMetadata('design:paramtypes', Publisher)).toEqual([SedaBus, Object]);
  });

  test('a stage that is not declared so is not injected', async () => {
    @Injectable()
    class Hopeful {
      constructor(@InjectStage('orders') readonly orders: StageRef) {}
    }
    const booting = boot({ imports: [SedaBusModule.forRoot()], providers: [Orders, Hopeful] });
    await expect(booting).rejects.toThrow(/Hopeful/);
  });

  test('the token of a stage is the same in every copy of the package', () => {
    expect(getStageToken('orders')).toBe(Symbol.for('seda:stage:orders'));
  });
});

test('with global: false the bus is there for those who import the module', async () => {
  const root = SedaBusModule.forRoot({ global: false });
  @Injectable()
  class Publisher {
    constructor(readonly bus: SedaBus) {}
  }
  @Module({ imports: [root], providers: [Publisher] })
  class Importing {}
  @Module({ providers: [Publisher] })
  class Foreign {}
  await expect(boot({ imports: [Importing, Foreign] })).rejects.toThrow(/Publisher/);
  const { app, bus } = await boot({ imports: [Importing], providers: [Orders] });
  await publish(bus, 'orders');
  expect(app.get(Orders).handled).toBe(1);
});

describe('R1.5: publishing to a stage that does not exist', () => {
  test('throws and names the nearest', async () => {
    const { bus, log } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Orders] });
    await expect(bus.publish(makeEnvelope('order'))).rejects.toMatchObject({
      code: 'SEDA_UNKNOWN_STAGE',
      nearest: ['orders'],
    });
    await bus.publish(makeEnvelope('order')).catch(() => undefined);
    expect(log.ofBus('warn')).toEqual(["An envelope was published to 'order', which is no stage"]);
  });

  test("resolves false with unknownStage: 'refuse'", async () => {
    const { bus } = await boot({ imports: [SedaBusModule.forRoot({ unknownStage: 'refuse' })] });
    await expect(bus.publish(makeEnvelope('order'))).resolves.toBe(false);
  });
});

test('C15: two applications in one process know nothing of each other', async () => {
  const root = SedaBusModule.forRoot();
  const one = await boot({ imports: [root], providers: [Orders] });
  const other = await boot({ imports: [root], providers: [Orders] });
  await publish(one.bus, 'orders', 2);
  await one.app.close();
  await publish(other.bus, 'orders');
  expect([one.app.get(Orders).handled, other.app.get(Orders).handled]).toEqual([2, 1]);
  expect([one.bus.state, other.bus.state]).toEqual(['closed', 'open']);
});

describe('N34, C15: what a test puts in place of', () => {
  @Injectable()
  class Publisher {
    constructor(
      readonly bus: SedaBus,
      @InjectStage('orders') readonly orders: StageRef,
    ) {}
  }
  const metadata = {
    imports: [SedaBusModule.forRoot(), SedaBusModule.forFeature([{ name: 'orders' }])],
    providers: [Orders, Publisher],
  };

  test('a stage is injected, and its handler is not called', async () => {
    const published: unknown[] = [];
    const fake = { publish: async (payload: unknown) => published.push(payload) };
    const { app, bus } = await boot(metadata, (builder) =>
      builder.overrideProvider(getStageToken('orders')).useValue(fake),
    );
    await app.get(Publisher).orders.publish('payload');
    await bus.idle();
    expect({ published, handled: app.get(Orders).handled }).toEqual({ published: ['payload'], handled: 0 });
  });

  test('the bus gets the handlers, if it is a bus', async () => {
    class TestBus extends SedaBus {
      readonly kind = 'test';
    }
    const { app, bus } = await boot(metadata, (builder) => builder.overrideProvider(SedaBus).useClass(TestBus));
    await publish(bus, 'orders');
    expect(bus).toMatchObject({ kind: 'test' });
    expect(app.get(Orders).handled).toBe(1);
  });

  test('the bus is left alone, if it is something simpler', async () => {
    const fake = { publish: () => Promise.resolve(true) };
    const { app } = await boot(metadata, (builder) => builder.overrideProvider(SedaBus).useValue(fake));
    expect(app.get(Publisher).bus).toBe(fake);
    await expect(app.close()).resolves.toBeUndefined();
  });

  test('a provider takes its handlers away: the stage is missed only by who publishes to it', async () => {
    const { bus } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Orders] }, (builder) =>
      builder.overrideProvider(Orders).useValue({ handled: 0 }),
    );
    await expect(bus.publish(makeEnvelope('orders'))).rejects.toMatchObject({ code: 'SEDA_UNKNOWN_STAGE' });
  });
});

test('a compiled application has its stages before any hook ran', async () => {
  const { bus } = await compile({ imports: [SedaBusModule.forRoot()], providers: [Orders] });
  expect(bus.stats()['orders']).toMatchObject({ state: 'starting', depth: 0 });
});
