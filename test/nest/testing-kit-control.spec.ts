import { AttemptInterruptedError, Delivery, type Envelope, makeEnvelope } from '#engine';
import { turn } from '../support/manual-clock.js';
import { refusal } from '../support/refusal.js';
import { type OrdersUnderTest, bootOrders } from './support/orders-under-test.js';

const publish = (test: OrdersUnderTest, ...payloads: readonly unknown[]): boolean[] =>
  payloads.map((payload) => test.bus.offer(makeEnvelope('orders.price', payload)));

const outcomes = ({ seda }: OrdersUnderTest): string[] =>
  seda.deliveries('orders.price').map(({ payload, outcome }) => `${payload as string} ${outcome}`);

describe('failNext of the testing kit', () => {
  const down = new Error('down');
  let test: OrdersUnderTest;
  let handled: unknown[];
  beforeEach(async () => {
    test = await bootOrders();
    handled = [];
    test.orders.onPrice = (envelope) => void handled.push(envelope.content());
  });

  it('lets the next attempt fail with the error, without calling the handler', async () => {
    test.seda.failNext('orders.price', down);
    publish(test, 'a', 'b');
    await test.seda.settled();
    expect(test.seda.deliveries('orders.price')[0]).toMatchObject({ attempt: 1, outcome: 'nack', error: down });
    expect({ outcomes: outcomes(test), handled }).toEqual({
      outcomes: ['a nack', 'a ack', 'b ack'],
      handled: ['a', 'b'],
    });
  });

  it('lets so many attempts fail, until the envelope is a dead letter with that error', async () => {
    test.seda.failNext('orders.price', down, 3);
    const outcome = test.bus.publishAndWait(makeEnvelope('orders.price', 'a'));
    await test.seda.settled();
    expect(await outcome).toMatchObject({ status: 'dead-lettered', reason: 'max-attempts', error: down });
    expect(handled).toEqual([]);
  });

  it('has failures of several calls come one after the other', async () => {
    test.seda.failNext('orders.price', down);
    test.seda.failNext('orders.price', 'no error');
    publish(test, 'a');
    await test.seda.settled();
    const errors = test.seda.deliveries('orders.price').map(({ error }) => error);
    expect(errors).toEqual([down, 'no error', undefined]);
  });

  it('concerns the named stage only', async () => {
    test.seda.failNext('orders.ship', down);
    publish(test, 'a');
    await test.seda.settled();
    expect(outcomes(test)).toEqual(['a ack']);
  });

  it.each([0, -1, 1.5, Number.NaN, '2' as unknown as number])('refuses %p times', (times) => {
    const { option, value } = refusal(() => test.seda.failNext('orders.price', down, times));
    expect({ option, value }).toEqual({ option: 'failNext: times', value: times });
  });
});

describe('a gate of the testing kit', () => {
  it('holds attempts back before the handler, tells how many, and lets them go on in order', async () => {
    const test = await bootOrders({ stages: { 'orders.price': { concurrency: 2 } } });
    const handled: unknown[] = [];
    test.orders.onPrice = (envelope) => void handled.push(envelope.content());
    const gate = test.seda.gate('orders.price');
    publish(test, 'a', 'b', 'c');
    await test.seda.advance(0);
    expect({ waiting: gate.waiting, handled, outcomes: outcomes(test) }).toEqual({
      waiting: 2,
      handled: [],
      outcomes: ['a running', 'b running'],
    });
    gate.open();
    await test.seda.settled();
    expect({ waiting: gate.waiting, handled }).toEqual({ waiting: 0, handled: ['a', 'b', 'c'] });
  });

  it('is the same until it is open, and then a new one', async () => {
    const test = await bootOrders();
    const first = test.seda.gate('orders.price');
    expect(test.seda.gate('orders.price')).toBe(first);
    first.open();
    first.open();
    const second = test.seda.gate('orders.price');
    publish(test, 'a');
    await test.seda.advance(0);
    expect([first.waiting, second.waiting]).toEqual([0, 1]);
  });

  it('comes before the failures in store, also those that are given while attempts wait', async () => {
    const test = await bootOrders();
    const gate = test.seda.gate('orders.price');
    publish(test, 'a');
    await test.seda.advance(0);
    test.seda.failNext('orders.price', new Error('down'));
    gate.open();
    await test.seda.settled();
    expect(outcomes(test)).toEqual(['a nack', 'a ack']);
  });

  it('leaves verdicts to the handler behind it', async () => {
    const test = await bootOrders({ stages: { 'orders.price': { maxAttempts: 1 } } });
    test.orders.onPrice = () => false;
    const gate = test.seda.gate('orders.price');
    publish(test, 'a');
    await test.seda.advance(0);
    gate.open();
    await test.seda.settled();
    expect(test.bus.stats()['orders.price']).toMatchObject({ nacked: 1, deadLettered: 1 });
  });

  it('is left by an attempt whose time is over, and the handler is never called for it', async () => {
    const test = await bootOrders({ stages: { 'orders.price': { timeoutMs: 100, maxAttempts: 1 } } });
    const handled: Envelope[] = [];
    test.orders.onPrice = (envelope) => void handled.push(envelope);
    const gate = test.seda.gate('orders.price');
    publish(test, 'a');
    await test.seda.advance(100);
    expect([gate.waiting, ...outcomes(test)]).toEqual([0, 'a nack']);
    gate.open();
    await test.seda.settled();
    expect(handled).toEqual([]);
  });

  it('is left by an attempt that a shutdown interrupts', async () => {
    const test = await bootOrders();
    const gate = test.seda.gate('orders.price');
    publish(test, 'a');
    await test.seda.advance(0);
    test.bus.shutdownNow();
    await turn();
    expect([gate.waiting, ...outcomes(test)]).toEqual([0, 'a interrupted']);
    expect(() => test.seda.gate('orders.price')).toThrow(expect.objectContaining({ code: 'SEDA_CLOSED' }));
  });

  it('holds back at a pub/sub stage, too', async () => {
    const test = await bootOrders({ stages: { 'orders.price': { delivery: Delivery.PubSub } } });
    const gate = test.seda.gate('orders.price');
    publish(test, 'a');
    await test.seda.advance(0);
    expect(gate.waiting).toBe(1);
    gate.open();
    await test.seda.settled();
    expect(outcomes(test)).toEqual(['a ack']);
  });
});

test('a handler that a shutdown interrupts is interrupted in the deliveries, too', async () => {
  const test = await bootOrders();
  let reason: unknown;
  test.orders.onPrice = (_, { signal }) =>
    new Promise(() => signal.addEventListener('abort', () => (reason = signal.reason)));
  publish(test, 'a');
  await turn();
  test.bus.shutdownNow();
  expect(outcomes(test)).toEqual(['a interrupted']);
  expect(reason).toBeInstanceOf(AttemptInterruptedError);
});
