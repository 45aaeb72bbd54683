import { performance } from 'node:perf_hooks';
import { jest } from '@jest/globals';
import { makeEnvelope } from '#engine';
import { Gate } from '../support/gate.js';
import { turn } from '../support/manual-clock.js';
import { type OrdersUnderTest, bootOrders } from './support/orders-under-test.js';

const attemptsOf = ({ seda }: OrdersUnderTest, stage = 'orders.price'): number[] =>
  seda.deliveries(stage).map(({ attempt }) => attempt);

const publish = ({ bus }: OrdersUnderTest, ...slip: string[]): Promise<boolean> =>
  bus.publish(makeEnvelope('orders.price', 'order', { slip }));

describe('settled of the testing kit', () => {
  it('waits for hops, retries due at once, and handlers that await', async () => {
    const test = await bootOrders();
    test.orders.onPrice = async (_, { number }) => {
      for (let i = 0; i < 100; i++) await Promise.resolve();
      return number === 3;
    };
    await publish(test, 'orders.ship');
    await test.seda.settled();
    expect([attemptsOf(test), attemptsOf(test, 'orders.ship')]).toEqual([[1, 2, 3], [1]]);
  });

  it('waits for what application code publishes some turns of the event loop later', async () => {
    const test = await bootOrders();
    const later = async (): Promise<void> => {
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      await publish(test);
    };
    void later();
    await test.seda.settled();
    expect(attemptsOf(test)).toEqual([1]);
  });

  it('waits for handlers that wait for something outside', async () => {
    const test = await bootOrders({}, { patienceMs: 60_000 });
    test.orders.onPrice = () => new Promise((resolve) => setTimeout(resolve, 5));
    await publish(test, 'orders.ship');
    await test.seda.settled();
    expect([attemptsOf(test), attemptsOf(test, 'orders.ship')]).toEqual([[1], [1]]);
  });

  it('does not wait for a retry or a delay that is not due', async () => {
    const test = await bootOrders({ stages: { 'orders.price': { backoff: { type: 'fixed', delayMs: 500 } } } });
    test.orders.onPrice = () => false;
    await publish(test);
    await test.bus.publish(makeEnvelope('orders.ship'), { delayMs: 1 });
    await test.seda.settled();
    expect([attemptsOf(test), attemptsOf(test, 'orders.ship')]).toEqual([[1], []]);
  });

  it('finds dead letters at rest, parked or kept', async () => {
    const test = await bootOrders();
    test.seda.failNext('orders.price', new Error('down'), 6);
    await publish(test);
    await test.seda.settled();
    test.bus.subscribe('dead-letters', () => false);
    await publish(test);
    await test.seda.settled();
    expect(test.bus.stats()['dead-letters']).toMatchObject({ depth: 2, keepsDeadLetters: true });
  });

  it('finds a dead-letter channel at rest that waits for a retry, and has parked letters, too', async () => {
    const backoff = { type: 'fixed', delayMs: 100 } as const;
    const test = await bootOrders({ deadLetters: { maxAttempts: 2, backoff } });
    test.bus.subscribe('dead-letters', () => false);
    test.orders.onPrice = (_, attempt) => attempt.deadLetter('sold out');
    await publish(test);
    await test.seda.advance(100);
    await publish(test);
    await test.seda.settled();
    expect(test.bus.stats()['dead-letters']).toMatchObject({ depth: 1, retrying: 1 });
  });

  it('fires what is due without time passing', async () => {
    const stages = { 'orders.price': { hopTimeoutMs: 0 }, 'orders.ship': { capacity: 1 } };
    const test = await bootOrders({ stages });
    test.bus.hold('orders.ship');
    for (let i = 0; i < 2; i++) await publish(test, 'orders.ship');
    await expect(test.seda.settled()).rejects.toMatchObject({ stages: ['orders.ship'] });
    expect(test.bus.stats()['orders.price']).toMatchObject({ delivered: 1, deadLettered: 1 });
  });

  it('resolves at once for all who ask, though nothing happened', async () => {
    const { seda } = await bootOrders();
    await expect(Promise.all([seda.settled(), seda.settled()])).resolves.toEqual([undefined, undefined]);
  });

  it('waits for all, however much there is', async () => {
    const test = await bootOrders({ turnMs: 0.001, stages: { 'orders.price': { capacity: 500 } } });
    for (let i = 0; i < 500; i++) test.bus.offer(makeEnvelope('orders.price', i, { slip: ['orders.ship'] }));
    await test.seda.settled();
    expect(test.bus.stats()['orders.ship']).toMatchObject({ delivered: 500 });
  });
});

describe('the patience of settled', () => {
  /** The machine's own time, as far as the kit knows. */
  let now = 0;
  beforeEach(() => {
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());
  const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

  it('begins anew with everything that happens', async () => {
    const test = await bootOrders({}, { patienceMs: 1_000 });
    test.orders.onPrice = () => {
      now += 999;
      return aWhile();
    };
    for (let i = 0; i < 3; i++) await publish(test);
    await test.seda.settled();
    expect(attemptsOf(test)).toEqual([1, 1, 1]);
  });

  it('begins anew when it is asked for again', async () => {
    const test = await bootOrders({}, { patienceMs: 1_000 });
    const handler = new Gate();
    test.orders.onPrice = () => handler.opened;
    await publish(test);
    await turn();
    // From here on nothing happens but this: the time of the machine goes on.
    setTimeout(() => (now += 1_000), 5);
    await test.seda.advance(0);
    setTimeout(() => handler.open(), 5);
    await expect(test.seda.settled()).resolves.toBeUndefined();
  });
});

describe('settled rejects and names the stages', () => {
  const expectLeft = async ({ seda }: OrdersUnderTest, ...left: [stage: string, what: string][]): Promise<void> => {
    const message = left.map(([stage, what]) => `'${stage}': ${what}`).join('; ');
    await expect(seda.settled()).rejects.toMatchObject({
      name: 'SedaTestingError',
      code: 'SEDA_TESTING_NOT_SETTLED',
      message: `Nothing happens any more, and not all is done. ${message}.`,
      stages: left.map(([stage]) => stage),
    });
  };

  it('while attempts wait at a closed gate', async () => {
    const test = await bootOrders({}, { patienceMs: 60_000 });
    const gate = test.seda.gate('orders.ship');
    for (let i = 0; i < 3; i++) await publish(test, 'orders.ship');
    await expectLeft(test, ['orders.ship', '1 at a closed gate, 2 queued']);
    gate.open();
    await expect(test.seda.settled()).resolves.toBeUndefined();
  });

  it('for a handler that never ends, when the patience is over', async () => {
    const test = await bootOrders({}, { patienceMs: 0 });
    const never = new Gate();
    test.orders.onPrice = () => never.opened;
    await publish(test);
    await expectLeft(test, ['orders.price', '1 in the handler']);
    never.open();
    await expect(test.seda.settled()).resolves.toBeUndefined();
  });

  it('for publishers and envelopes that wait for room behind a gate', async () => {
    const capacity = { capacity: 1 };
    const test = await bootOrders(
      { stages: { 'orders.price': capacity, 'orders.ship': capacity } },
      { patienceMs: 60_000 },
    );
    const gate = test.seda.gate('orders.ship');
    const published = [1, 2, 3, 4, 5].map(() => publish(test, 'orders.ship'));
    await expectLeft(
      test,
      ['orders.price', '1 waiting for room at the next stage, 1 queued, 1 waiting to come in'],
      ['orders.ship', '1 at a closed gate, 1 queued'],
    );
    gate.open();
    await Promise.all(published);
    await test.seda.settled();
  });

  it('for a stage that is held', async () => {
    const test = await bootOrders();
    test.bus.hold('orders.price');
    await publish(test);
    await expectLeft(test, ['orders.price', '1 queued (the stage is held)']);
    test.bus.release('orders.price');
    await expect(test.seda.settled()).resolves.toBeUndefined();
  });
});

describe('advance of the testing kit', () => {
  it('moves the clock, and fires what is due on the way, each in its time', async () => {
    const backoff = { type: 'exponential', delayMs: 100, jitter: false } as const;
    const test = await bootOrders({ stages: { 'orders.price': { backoff } } });
    const { seda } = test;
    const start = seda.now;
    const times: number[] = [];
    test.orders.onPrice = () => {
      times.push(seda.now - start);
      return false;
    };
    await publish(test);
    await seda.advance(99);
    expect([seda.now - start, ...times]).toEqual([99, 0]);
    await seda.advance(1_000);
    expect([seda.now - start, ...times]).toEqual([1_099, 0, 100, 300]);
  });

  it('starts at a fixed time, which the bus has too, or at the one that is given', async () => {
    const one = await bootOrders();
    const other = await bootOrders({}, { startAt: 1_000 });
    expect([one.seda.now, other.seda.now]).toEqual([Date.UTC(2026, 0, 1), 1_000]);
    await publish(other);
    await other.seda.advance(5);
    other.orders.onPrice = (_, { enqueuedAt }) => expect(enqueuedAt).toBe(1_005);
    await publish(other);
    await other.seda.settled();
    expect(attemptsOf(other)).toEqual([1, 1]);
  });

  it.each([
    ['shortens no delay unless told otherwise', {}, [0, 1_000]],
    ['is drawn from what the option says', { random: () => 0.25 }, [0, 250]],
  ])('waits for a jitter that %s', async (_, testing, expected) => {
    const backoff = { type: 'exponential', delayMs: 1_000 } as const;
    const options = { stages: { 'orders.price': { backoff, maxAttempts: 2 } }, random: () => 0 };
    const test = await bootOrders(options, testing);
    const start = test.seda.now;
    const times: number[] = [];
    test.orders.onPrice = () => {
      times.push(test.seda.now - start);
      return false;
    };
    await publish(test);
    await test.seda.advance(1_000);
    expect(times).toEqual(expected);
  });

  it('waits for handlers that wait for something outside before it goes on, so that all retries fall into their time', async () => {
    const stages = { 'orders.price': { backoff: { type: 'fixed', delayMs: 100 } } } as const;
    const test = await bootOrders({ stages }, { patienceMs: 60_000 });
    test.orders.onPrice = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return false;
    };
    await publish(test);
    await test.seda.advance(200);
    expect(attemptsOf(test)).toEqual([1, 2, 3]);
  });

  it('does not mind work that waits: settled does', async () => {
    const test = await bootOrders();
    const gate = test.seda.gate('orders.price');
    await publish(test);
    await expect(test.seda.advance(60_000)).resolves.toBeUndefined();
    expect(gate.waiting).toBe(1);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5' as unknown as number])('refuses %p', async (ms) => {
    const { seda } = await bootOrders();
    await expect(seda.advance(ms)).rejects.toMatchObject({ code: 'SEDA_INVALID_OPTION', option: 'advance: ms' });
  });
});
