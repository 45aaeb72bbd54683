import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { SedaBus, makeEnvelope } from '#engine';
import { SedaBusModule, Stage, getSedaBusToken } from '../../src/index.js';
import { ManualClock, SedaBusTesting, type SedaBusTestingOptions } from '../../src/testing/index.js';
import { refusal } from '../support/refusal.js';
import { boot, compile } from './support/boot.js';
import { Orders, bootOrders } from './support/orders-under-test.js';

const metadata = { imports: [SedaBusModule.forRoot()], providers: [Orders] };

const uses: [string, (seda: SedaBusTesting) => unknown][] = [
  ['deliveries', (seda) => seda.deliveries('orders.price')],
  ['failNext', (seda) => seda.failNext('orders.price', new Error('down'))],
  ['gate', (seda) => seda.gate('orders.price')],
  ['bus', (seda) => seda.bus('audit')],
  ['settled', (seda) => seda.settled()],
  ['advance', (seda) => seda.advance(1)],
];

describe.each(uses)('%s of a testing kit without a bus says what to do', (name, use) => {
  const says = async (seda: SedaBusTesting, text: RegExp): Promise<void> => {
    const error: unknown = await Promise.resolve(seda)
      .then(use)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'SedaTestingError', code: 'SEDA_TESTING_NOT_INSTALLED' });
    expect((error as Error).message).toMatch(`There is no bus for \`${name}\`: `);
    expect((error as Error).message).toMatch(text);
  };

  test('before it is installed', () =>
    says(new SedaBusTesting(), /the kit is not installed. First `await seda.install/));

  test('before the application is compiled', async () => {
    const seda = new SedaBusTesting();
    seda.install(Test.createTestingModule(metadata));
    await says(seda, /the application was not compiled, .* Await `compile\(\)` first/);
  });

  test('when a test has put something simpler in the place of the bus', async () => {
    const seda = new SedaBusTesting();
    const fake = { publish: () => Promise.resolve(true) };
    await boot(metadata, (builder) => seda.install(builder).overrideProvider(SedaBus).useValue(fake));
    await says(seda, /has something else in the place of its bus/);
  });
});

test('the kit is there as soon as the application is compiled, and finds what constructors published', async () => {
  @Injectable()
  class Eager {
    constructor(bus: SedaBus) {
      bus.offer(makeEnvelope('orders.price', 'early'));
      bus.offer(makeEnvelope('orders.unknown', 'early'));
    }
  }
  const seda = new SedaBusTesting();
  const eager = { ...metadata, providers: [Orders, Eager] };
  const { app } = await compile(eager, (builder) => seda.install(builder));
  await expect(seda.settled()).rejects.toMatchObject({
    message: expect.stringContaining(
      "'orders.price': 1 queued (the stage is starting); '?': 1 for stages that are not known before the start.",
    ),
  });
  const gate = seda.gate('orders.price');
  await app.init();
  await seda.advance(0);
  expect(gate.waiting).toBe(1);
});

test('install returns the builder, and one kit is for one application', () => {
  const seda = new SedaBusTesting();
  const builder = Test.createTestingModule(metadata);
  expect(seda.install(builder)).toBe(builder);
  for (const again of [builder, Test.createTestingModule(metadata)]) {
    expect(() => seda.install(again)).toThrow(
      expect.objectContaining({ code: 'SEDA_TESTING_INSTALLED_TWICE', name: 'SedaTestingError' }),
    );
  }
});

test('an override of the bus by another bus is watched, too', async () => {
  const seda = new SedaBusTesting();
  const { bus } = await boot(metadata, (builder) => seda.install(builder).overrideProvider(SedaBus).useClass(SedaBus));
  await bus.publish(makeEnvelope('orders.price'));
  await seda.settled();
  expect(seda.deliveries('orders.price')).toHaveLength(1);
});

test('the options of forRootAsync are kept, but for clock and random', async () => {
  const seda = new SedaBusTesting();
  const root = SedaBusModule.forRootAsync({
    useFactory: async () => ({
      clock: new ManualClock(0),
      stages: { 'orders.price': { capacity: 7, maxAttempts: 2 } },
    }),
  });
  const { bus } = await boot({ imports: [root], providers: [Orders] }, (builder) => seda.install(builder));
  seda.failNext('orders.price', new Error('down'), 9);
  await bus.publish(makeEnvelope('orders.price'), { delayMs: 1_000 });
  await seda.advance(1_000);
  expect(seda.deliveries('orders.price')).toHaveLength(2);
  expect(bus.stats()['orders.price']).toMatchObject({ capacity: 7 });
});

test.each<[string, (seda: SedaBusTesting) => unknown]>([
  ['deliveries', (seda) => seda.deliveries('orders.prize')],
  ['failNext', (seda) => seda.failNext('orders.prize', new Error('down'))],
  ['gate', (seda) => seda.gate('orders.prize')],
])('%s of a stage that does not exist names the nearest', async (_, use) => {
  const { seda } = await bootOrders();
  const nearest = ['orders.price', 'orders.ship'];
  expect(() => use(seda)).toThrow(expect.objectContaining({ code: 'SEDA_UNKNOWN_STAGE', nearest }));
});

test('two applications in one process share nothing', async () => {
  const [one, other] = [await bootOrders(), await bootOrders()];
  const gate = one.seda.gate('orders.price');
  one.seda.failNext('orders.price', new Error('down'));
  await one.seda.advance(1_000);
  for (const { bus } of [one, other]) await bus.publish(makeEnvelope('orders.price'));
  await other.seda.settled();
  expect(other.seda.now).toBe(one.seda.now - 1_000);
  expect(other.seda.deliveries('orders.price')).toMatchObject([{ outcome: 'ack' }]);
  expect(one.seda.deliveries('orders.price')).toMatchObject([{ outcome: 'running' }]);
  gate.open();
});

test('reset makes an application as good as new for the next test; its time goes on', async () => {
  const { bus, seda } = await bootOrders();
  seda.gate('orders.price');
  seda.failNext('orders.price', new Error('down'), 100);
  await bus.publish(makeEnvelope('orders.price', 'before'));
  await seda.advance(500);
  seda.reset();
  await seda.settled();
  expect(seda.deliveries('orders.price')).toEqual([]);
  await bus.publish(makeEnvelope('orders.price', 'after'));
  await seda.settled();
  expect(seda.deliveries('orders.price')).toMatchObject([{ payload: 'after', outcome: 'ack' }]);
  expect(seda.now).toBe(Date.UTC(2026, 0, 1) + 500);
});

describe('an application with several buses', () => {
  @Injectable()
  class Audit {
    @Stage('entries', { bus: 'audit', maxAttempts: 2, backoff: { type: 'fixed', delayMs: 100 } })
    enter(): void {}
  }
  const bootBoth = async (): Promise<{ seda: SedaBusTesting; audit: SedaBus }> => {
    const seda = new SedaBusTesting();
    const imports = [SedaBusModule.forRoot(), SedaBusModule.forRoot({ name: 'audit' })];
    const { app } = await boot({ imports, providers: [Orders, Audit] }, (builder) => seda.install(builder));
    return { seda, audit: app.get(getSedaBusToken('audit'), { strict: false }) };
  };

  test('has one time, and each bus its deliveries, failures and gates', async () => {
    const { seda, audit } = await bootBoth();
    seda.bus('audit').failNext('entries', new Error('down'));
    await audit.publish(makeEnvelope('entries'));
    await seda.advance(100);
    await seda.settled();
    expect(seda.bus('audit').deliveries('entries')).toMatchObject([{ outcome: 'nack' }, { outcome: 'ack' }]);
    expect(() => seda.deliveries('entries')).toThrow(expect.objectContaining({ code: 'SEDA_UNKNOWN_STAGE' }));
  });

  test('is settled when all of them are', async () => {
    const { seda, audit } = await bootBoth();
    seda.bus('audit').gate('entries');
    await audit.publish(makeEnvelope('entries'));
    await expect(seda.settled()).rejects.toMatchObject({ stages: ['audit: entries'] });
  });

  test('refuses the name of a bus that is none', async () => {
    const { seda } = await bootBoth();
    expect(refusal(() => seda.bus('adit')).message).toBe(
      "Expected `bus` to be the name of a bus: default, audit, got 'adit' (string)",
    );
  });
});

test.each<[keyof SedaBusTestingOptions | 'patience', unknown]>([
  ['startAt', Number.NaN],
  ['random', 0.5],
  ['patienceMs', -1],
  ['keep', 0],
  ['releaseOnClose', 'yes'],
  ['patience', 1],
])('the option %s is refused when it is %p', (option, value) => {
  const error = refusal(() => new SedaBusTesting({ [option]: value }));
  expect(error).toMatchObject({ code: 'SEDA_INVALID_OPTION', option: `SedaBusTesting.${option}`, value });
});

test('an option that is undefined is one that was not given', () => {
  expect(new SedaBusTesting({ startAt: undefined as unknown as number }).now).toBe(Date.UTC(2026, 0, 1));
});
