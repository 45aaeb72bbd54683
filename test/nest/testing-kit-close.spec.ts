import { Gate } from '../support/gate.js';
import { turn } from '../support/manual-clock.js';
import { makeEnvelope } from '#engine';
import { type OrdersUnderTest, bootOrders } from './support/orders-under-test.js';

const publish = ({ bus }: OrdersUnderTest, ...slip: string[]): Promise<boolean> =>
  bus.publish(makeEnvelope('orders.price', 'order', { slip }));

const outcomes = ({ seda }: OrdersUnderTest, stage = 'orders.price'): string[] =>
  seda.deliveries(stage).map(({ outcome }) => outcome);

describe('an application with the testing kit that closes', () => {
  it('opens the gates, and what was behind them is finished', async () => {
    const test = await bootOrders();
    test.seda.gate('orders.price');
    test.seda.gate('orders.ship');
    for (let i = 0; i < 3; i++) await publish(test, 'orders.ship');
    await test.seda.advance(0);
    await test.close();
    expect([outcomes(test), outcomes(test, 'orders.ship')]).toEqual([
      ['ack', 'ack', 'ack'],
      ['ack', 'ack', 'ack'],
    ]);
  });

  it('does not wait for the retries that it still makes', async () => {
    const backoff = { type: 'fixed', delayMs: 4_000 } as const;
    const test = await bootOrders({ stages: { 'orders.price': { backoff } } });
    const start = test.seda.now;
    test.seda.failNext('orders.price', new Error('down'), 2);
    await publish(test);
    await test.seda.settled();
    await test.close();
    expect([test.seda.now - start, ...outcomes(test)]).toEqual([8_000, 'nack', 'nack', 'ack']);
    expect(test.bus.stats()['orders.price']).toMatchObject({ delivered: 1, dropped: 0 });
  });

  it('gives a handler that waits for something outside the time it has on the machine', async () => {
    const test = await bootOrders({ shutdownTimeoutMs: 60_000 });
    test.orders.onPrice = () => new Promise((resolve) => setTimeout(resolve, 20));
    await publish(test);
    await test.close();
    expect(outcomes(test)).toEqual(['ack']);
    expect(test.bus.stats()['orders.price']).toMatchObject({ delivered: 1 });
  });

  it('ends a handler that never does when the time of the shutdown is over', async () => {
    const test = await bootOrders({ shutdownTimeoutMs: 10 });
    test.orders.onPrice = () => new Gate().opened;
    await publish(test);
    await test.seda.advance(0);
    await test.close();
    expect(outcomes(test)).toEqual(['interrupted']);
  });

  it('does not wait for what is held', async () => {
    const test = await bootOrders({ shutdownTimeoutMs: 3_600_000 });
    test.bus.hold('orders.price');
    await publish(test);
    await test.close();
    expect(test.bus.stats()['orders.price']).toMatchObject({ droppedBy: { abandoned: 1 } });
  });

  it('with releaseOnClose: false waits for the test, which can look at the shutdown', async () => {
    const test = await bootOrders({ shutdownTimeoutMs: 5_000 }, { releaseOnClose: false });
    const gate = test.seda.gate('orders.price');
    await publish(test);
    const closed = test.close();
    await test.seda.advance(4_999);
    expect([test.bus.state, gate.waiting]).toEqual(['draining', 1]);
    await test.seda.advance(1);
    await closed;
    expect([test.bus.state, ...outcomes(test)]).toEqual(['closed', 'interrupted']);
  });
});

describe('when the application is closed', () => {
  let test: OrdersUnderTest;
  beforeEach(async () => {
    test = await bootOrders();
    await publish(test);
    await test.close();
  });

  it('deliveries are still there, and nothing is left to settle', async () => {
    expect(outcomes(test)).toEqual(['ack']);
    await expect(test.seda.settled()).resolves.toBeUndefined();
    await expect(test.seda.advance(1_000)).resolves.toBeUndefined();
  });

  it.each([
    ['failNext', () => test.seda.failNext('orders.price', new Error('down'))],
    ['gate', () => test.seda.gate('orders.price')],
  ])('%s is refused', (_, use) => {
    expect(use).toThrow(expect.objectContaining({ code: 'SEDA_CLOSED' }));
  });

  it('no timer is left', () => {
    expect(test.seda.clock.pending).toBe(0);
  });
});

test('a gate is refused once the gates were opened for the end', async () => {
  const test = await bootOrders();
  const handler = new Gate();
  test.orders.onPrice = () => handler.opened;
  await publish(test);
  const closed = test.close();
  await turn();
  expect(() => test.seda.gate('orders.ship')).toThrow(expect.objectContaining({ code: 'SEDA_CLOSED' }));
  handler.open();
  await closed;
});
