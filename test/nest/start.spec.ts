import { Injectable, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { SedaBus, makeEnvelope } from '#engine';
import { SedaBusModule, Stage } from '../../src/index.js';
import { Gate } from '../support/gate.js';
import { ManualClock } from '../support/manual-clock.js';
import { boot, compile } from './support/boot.js';
import { publish } from './support/publish.js';

const order: unknown[] = [];
beforeEach(() => void (order.length = 0));

@Injectable()
class Orders {
  @Stage('orders')
  handle(envelope: { content(): unknown }): void {
    order.push(envelope.content());
  }
}

describe('N07, R9.3: envelopes that are published before the application has started', () => {
  const slow = new Gate();

  @Injectable()
  class Early implements OnModuleInit {
    constructor(private readonly bus: SedaBus) {
      void this.bus.publish(makeEnvelope('orders', 'from the constructor'));
      void this.bus.publish(makeEnvelope('made', 'to a stage that a factory brings'));
    }

    async onModuleInit(): Promise<void> {
      await this.bus.publish(makeEnvelope('orders', 'from onModuleInit'));
      slow.open();
    }
  }
  @Injectable()
  class Slow implements OnModuleInit {
    async onModuleInit(): Promise<void> {
      await slow.opened;
      await new Promise((resolve) => setImmediate(resolve));
      order.push('slow module is ready');
    }
  }
  // Nest initialises an imported module before the one that imports it.
  @Module({ providers: [Early] })
  class EarlyModule {}
  class Made {
    @Stage('made')
    handle(envelope: { content(): unknown }): void {
      order.push(envelope.content());
    }
  }

  test('are delivered once, after every onModuleInit has ended', async () => {
    const made = { provide: 'MADE', useFactory: () => new Made(), inject: [SedaBus] };
    const { bus } = await boot({
      imports: [SedaBusModule.forRoot(), EarlyModule],
      providers: [Slow, Orders, made],
    });
    await bus.idle();
    const [first, ...handled] = order;
    expect(first).toBe('slow module is ready');
    expect(handled.filter((each) => each !== 'to a stage that a factory brings')).toEqual([
      'from the constructor',
      'from onModuleInit',
    ]);
    expect(handled).toHaveLength(3);
  });
});

test('R9.3: in onApplicationBootstrap of other modules the bus consumes already', async () => {
  @Injectable()
  class Waiting implements OnApplicationBootstrap {
    constructor(private readonly bus: SedaBus) {}

    async onApplicationBootstrap(): Promise<void> {
      order.push(await this.bus.publishAndWait(makeEnvelope('orders', 'handled')));
    }
  }
  await boot({ imports: [SedaBusModule.forRoot()], providers: [Orders, Waiting] });
  expect(order).toEqual(['handled', { status: 'completed', stage: 'orders' }]);
});

test('R9.3: an unknown name is judged at the start', async () => {
  const { app, bus, log } = await compile({ imports: [SedaBusModule.forRoot()] });
  await expect(bus.publish(makeEnvelope('nowhere'))).resolves.toBe(true);
  await app.init();
  expect(bus.totals()).toMatchObject({ early: 0, unroutable: 1 });
  expect(log.ofBus('warn')).toEqual(["An envelope was published to 'nowhere', which is no stage"]);
});

describe('N08: an application that is compiled and not initialised', () => {
  const clock = new ManualClock();
  const metadata = { imports: [SedaBusModule.forRoot({ clock })], providers: [Orders] };
  const hint = expect.stringContaining('app.init()');

  test('keeps what is published, and delivers it once after init', async () => {
    const { app, bus } = await compile(metadata);
    await expect(bus.publish(makeEnvelope('orders', 'kept'))).resolves.toBe(true);
    expect(bus.stats()['orders']).toMatchObject({ state: 'starting', depth: 1, inFlight: 0 });
    await app.init();
    await bus.idle();
    expect(order).toEqual(['kept']);
  });

  test('says once, after five seconds, what is missing', async () => {
    const { log } = await compile(metadata);
    await clock.advance(4_999);
    expect(log.ofBus('warn')).toEqual([]);
    await clock.advance(60_000);
    expect(log.ofBus('warn')).toEqual([hint]);
  });

  test('says nothing when init was called, however long it takes', async () => {
    const { app, bus, log } = await compile(metadata);
    await app.init();
    await publish(bus, 'orders');
    await clock.advance(60_000);
    expect(log.ofBus('warn').filter((line) => line.includes('not initialised'))).toEqual([]);
  });

  test('ends cleanly, and says what it abandons', async () => {
    const { app, bus, log } = await compile(metadata);
    await bus.publish(makeEnvelope('orders', 'never'));
    await app.close();
    await clock.advance(60_000);
    expect({ state: bus.state, order }).toEqual({ state: 'closed', order: [] });
    expect(log.ofBus('warn')).toEqual(['Shut down before all was done, abandoned: 1']);
  });
});

test('the initialisation that fails leaves an application that closes', async () => {
  @Injectable()
  class Failing implements OnModuleInit {
    onModuleInit(): void {
      throw new Error('no database');
    }
  }
  const { app, bus } = await compile({ imports: [SedaBusModule.forRoot()], providers: [Orders, Failing] });
  await expect(app.init()).rejects.toThrow('no database');
  await app.close();
  expect(bus.state).toBe('closed');
});

test('the start is logged in one line', async () => {
  const { log } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Orders] });
  expect(log.ofBus('log')).toEqual(['Started: 2 stage(s), 1 handler(s)']);
});
