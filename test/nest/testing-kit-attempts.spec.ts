import { Injectable } from '@nestjs/common';
import {
  type Attempt,
  AttemptTimeoutError,
  Delivery,
  type Envelope,
  type EnvelopeShape,
  NackedError,
  makeEnvelope,
} from '#engine';
import { Stage } from '../../src/index.js';
import type { RecordedDelivery } from '../../src/testing/index.js';
import { thenable, withoutAnswer } from '../support/thenable.js';
import { type OrdersUnderTest, bootOrders } from './support/orders-under-test.js';

const outcomes = ({ seda }: OrdersUnderTest, stage = 'orders.price'): string[] =>
  seda.deliveries(stage).map(({ attempt, outcome }) => `${attempt} ${outcome}`);

describe('deliveries of the testing kit', () => {
  let test: OrdersUnderTest;
  beforeEach(async () => (test = await bootOrders()));

  const publish = async (payload?: unknown): Promise<void> => {
    await test.bus.publish(makeEnvelope('orders.price', payload));
    await test.seda.settled();
  };

  it('are the attempts of a stage, in order, with envelope and payload', async () => {
    const envelopes = [makeEnvelope('orders.price', { id: 1 }), makeEnvelope('orders.price', { id: 2 })];
    for (const envelope of envelopes) await test.bus.publish(envelope);
    await test.seda.settled();
    expect(test.seda.deliveries('orders.price')).toEqual([
      { envelope: envelopes[0], payload: { id: 1 }, attempt: 1, outcome: 'ack' },
      { envelope: envelopes[1], payload: { id: 2 }, attempt: 1, outcome: 'ack' },
    ]);
    expect(test.seda.deliveries('orders.ship')).toEqual([]);
  });

  it('keep the payload that the handler was given, whatever it makes of the envelope', async () => {
    test.orders.onPrice = (envelope) => void envelope.addContent('priced');
    await publish('order');
    const [delivery] = test.seda.deliveries<string>('orders.price');
    expect([delivery?.payload, delivery?.envelope.content()]).toEqual(['order', 'priced']);
  });

  const error = new Error('no price');
  const rejects = (): Promise<never> => Promise.reject(error);
  it.each<[string, (this: void) => unknown, Partial<RecordedDelivery>]>([
    ['returns nothing', () => undefined, { outcome: 'ack' }],
    ['resolves', async () => 'done', { outcome: 'ack' }],
    ['returns false', () => false, { outcome: 'nack', error: expect.any(NackedError) }],
    ['resolves false', async () => false, { outcome: 'nack', error: expect.any(NackedError) }],
    ['rejects', rejects, { outcome: 'nack', error }],
    ['answers with a thenable', () => thenable((_, reject) => reject(error)), { outcome: 'nack', error }],
    ['answers with a thenable that throws', () => withoutAnswer(error), { outcome: 'nack', error }],
  ])('have the verdict of the bus when the handler %s', async (_, handler, expected) => {
    test.orders.onPrice = handler;
    await publish();
    const nacks = expected.outcome === 'ack' ? 0 : 3;
    expect(test.bus.stats()['orders.price']).toMatchObject({ nacked: nacks, delivered: nacks === 0 ? 1 : 0 });
    expect(test.seda.deliveries('orders.price').at(-1)).toMatchObject({ attempt: Math.max(1, nacks), ...expected });
  });

  it('have what a handler throws as it was, though it is no error', async () => {
    test.orders.onPrice = () => {
      throw 'no price';
    };
    await publish();
    expect(test.seda.deliveries('orders.price')[0]).toMatchObject({ outcome: 'nack', error: 'no price' });
  });

  it('see what retryIn and deadLetter ask for, the last call of a handler that does not throw', async () => {
    test.orders.onPrice = (_, attempt) => {
      attempt.deadLetter('sold out');
      if (attempt.number === 1) throw error;
      if (attempt.number === 2) attempt.retryIn(50);
      return attempt.number !== 3;
    };
    await publish();
    await test.seda.advance(50);
    expect(test.seda.deliveries('orders.price')).toMatchObject([
      { attempt: 1, outcome: 'nack', error },
      { attempt: 2, outcome: 'retry', delayMs: 50 },
      { attempt: 3, outcome: 'dead-letter', reason: 'sold out' },
    ]);
    expect(test.bus.stats()['orders.price']).toMatchObject({ nacked: 2, deadLettered: 1 });
  });

  it('refuse a bad argument as the bus does, and it is then the error of the attempt', async () => {
    test.orders.onPrice = (_, attempt) => attempt.retryIn(-1);
    await publish();
    expect(test.seda.deliveries('orders.price')[0]).toMatchObject({ error: { code: 'SEDA_INVALID_OPTION' } });
  });

  it('give the handler an attempt that is the same in all', async () => {
    let seen: unknown;
    test.orders.onPrice = (envelope, attempt) => {
      const { number, max, stage, enqueuedAt, redelivered, signal } = attempt;
      seen = { number, max, stage, enqueuedAt, redelivered, aborted: signal.aborted };
      return attempt.publish(makeEnvelope('orders.ship', envelope.content()));
    };
    await publish('order');
    const { now } = test.seda;
    expect(seen).toEqual({
      number: 1,
      max: 3,
      stage: 'orders.price',
      enqueuedAt: now,
      redelivered: false,
      aborted: false,
    });
    expect(test.seda.deliveries('orders.ship')).toMatchObject([{ payload: 'order', outcome: 'ack' }]);
  });

  it('have no payload of an envelope that does not know of one', async () => {
    const foreign: EnvelopeShape = {
      id: 'foreign',
      headers: {},
      dynamicRoutingSlip: {
        peekAtNextRoute: () => undefined,
        nextRoute: () => undefined,
        numberRemainingRoutes: () => 0,
      },
      getRoute: () => ({ type: 'simple', service: 'orders.price' }),
      ratchet: () => undefined,
    };
    await test.bus.publish(foreign);
    await test.seda.settled();
    expect(test.seda.deliveries('orders.price')).toEqual([
      { envelope: foreign, payload: undefined, attempt: 1, outcome: 'ack' },
    ]);
  });

  it('do not see a consumer that the test subscribes itself', async () => {
    test.bus.subscribe('orders.audit', () => undefined);
    await test.bus.publish(makeEnvelope('orders.audit'));
    await test.seda.settled();
    expect(test.seda.deliveries('orders.audit')).toEqual([]);
    expect(test.bus.stats()['orders.audit']).toMatchObject({ delivered: 1 });
  });
});

test('a synchronous handler under the kit is still called synchronously, one after the other', async () => {
  const { bus, seda, orders } = await bootOrders({ turnMs: 60_000 });
  const order: unknown[] = [];
  orders.onPrice = (envelope) => {
    order.push(envelope.content());
    queueMicrotask(() => order.push('microtask'));
  };
  for (const payload of [1, 2, 3]) bus.offer(makeEnvelope('orders.price', payload));
  await seda.settled();
  expect(order.slice(0, 3)).toEqual([1, 2, 3]);
});

test('what is set off by the then of a handler result is set off once', async () => {
  const { bus, seda, orders } = await bootOrders();
  let queries = 0;
  orders.onPrice = () => thenable((resolve) => resolve(++queries));
  await bus.publish(makeEnvelope('orders.price'));
  await seda.settled();
  expect(queries).toBe(1);
});

test('an attempt whose time is over is a nack, and a late result changes nothing', async () => {
  const options = { stages: { 'orders.price': { timeoutMs: 100, maxAttempts: 1 } } };
  const test = await bootOrders(options, { patienceMs: 0 });
  let answer: (value: unknown) => void = () => undefined;
  test.orders.onPrice = () => new Promise((resolve) => (answer = resolve));
  await test.bus.publish(makeEnvelope('orders.price'));
  await test.seda.advance(99);
  expect(outcomes(test)).toEqual(['1 running']);
  await test.seda.advance(1);
  answer('late');
  await test.seda.settled();
  expect(test.seda.deliveries('orders.price')).toMatchObject([
    { outcome: 'nack', error: expect.any(AttemptTimeoutError) },
  ]);
});

test('a delivery that was asked for does not change any more', async () => {
  const { bus, seda } = await bootOrders();
  const gate = seda.gate('orders.price');
  await bus.publish(makeEnvelope('orders.price'));
  await seda.advance(0);
  const [before] = seda.deliveries('orders.price');
  gate.open();
  await seda.settled();
  expect([before?.outcome, seda.deliveries('orders.price')[0]?.outcome]).toEqual(['running', 'ack']);
});

test('of each stage the latest deliveries are kept, as many as the option says', async () => {
  const { bus, seda } = await bootOrders({}, { keep: 2 });
  for (const payload of [1, 2, 3]) await bus.publish(makeEnvelope('orders.price', payload, { slip: ['orders.ship'] }));
  await seda.settled();
  for (const stage of ['orders.price', 'orders.ship'])
    expect(seda.deliveries(stage).map(({ payload }) => payload)).toEqual([2, 3]);
});

test('a pub/sub stage has a delivery for each of its handlers, and a retry goes to the one that failed', async () => {
  @Injectable()
  class Audit {
    @Stage('orders.price')
    audit(_: Envelope, { number }: Attempt): boolean {
      return number > 1;
    }
  }
  const test = await bootOrders({ stages: { 'orders.price': { delivery: Delivery.PubSub } } }, {}, [Audit]);
  await test.bus.publish(makeEnvelope('orders.price'));
  await test.seda.settled();
  expect(outcomes(test)).toEqual(['1 ack', '1 nack', '2 ack']);
});
