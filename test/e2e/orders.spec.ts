import { jest } from '@jest/globals';
import type { StageGate } from '@resolvingarchitecture/nestjs-seda-bus/testing';
import { CHARGE, SHIP } from '../../sample-app/src/orders/order.stages.js';
import { PaymentUnavailableError } from '../../sample-app/src/orders/payment-provider.js';
import { expectBalanced } from '../support/balance.js';
import { CARDS, fillUp, postOrder, tea } from './support/orders.js';
import { Settings } from '../../sample-app/src/settings/settings.js';
import { type Sample, startSample } from './support/sample.js';

jest.setTimeout(30_000);

interface OrderBody {
  readonly state: string;
  readonly history: readonly { readonly state: string }[];
}

describe('POST /orders', () => {
  let sample: Sample;
  beforeAll(async () => (sample = await startSample()));
  afterAll(() => sample.app.close());
  afterEach(async () => {
    await sample.seda.advance(60_000);
    sample.seda.reset();
  });

  /** Orders, and tells the end of it, with all retries that there may be. */
  const endOf = async (card: string): Promise<OrderBody & Record<string, unknown>> => {
    const { headers } = await postOrder(sample, card);
    await sample.seda.advance(60_000);
    return (await sample.http.get(headers['location'] as string)).body as OrderBody & Record<string, unknown>;
  };
  const states = ({ history }: OrderBody): string[] => history.map(({ state }) => state);

  it('answers 202 with the envelope id and where to ask', async () => {
    const answer = await postOrder(sample);
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ id: expect.any(String), state: 'accepted' });
    expect(answer.headers['location']).toBe(`/orders/${(answer.body as { id: string }).id}`);
  });

  it('sends an order through all stages, to be seen at GET /orders/:id', async () => {
    const order = await endOf(CARDS.good);
    expect(order).toMatchObject({ state: 'shipped', total: 980, attempts: 1 });
    expect(states(order)).toEqual(['accepted', 'validated', 'priced', 'charged', 'shipped']);
  });

  it('ships an order whose payment succeeds at the second attempt', async () => {
    expect(await endOf(CARDS.recovers)).toMatchObject({ state: 'shipped', attempts: 2 });
  });

  it('fails an order whose payment never succeeds after the last attempt, and never ships it', async () => {
    const order = await endOf(CARDS.unavailable);
    expect(order).toMatchObject({ state: 'failed', attempts: 4, reason: 'max-attempts' });
    expect(order['error']).toBe('PaymentUnavailableError: The bank does not answer');
    expect(states(order)).toEqual(['accepted', 'validated', 'priced', 'failed']);
  });

  it('tries a payment again after pauses that double, and not before', async () => {
    sample.seda.failNext(CHARGE, new PaymentUnavailableError('The bank does not answer'), 3);
    await postOrder(sample);
    const attempts = async (ms: number): Promise<number> => {
      await sample.seda.advance(ms);
      return sample.seda.deliveries(CHARGE).length;
    };
    const { paymentRetryMs } = sample.app.get(Settings);
    const pauses = [1, 2, 4].map((factor) => factor * paymentRetryMs);
    const seen: number[] = [];
    for (const pause of pauses) seen.push(await attempts(pause - 1), await attempts(1));
    expect(seen).toEqual([1, 2, 2, 3, 3, 4]);
    expect(sample.seda.deliveries(SHIP)).toMatchObject([{ payload: { total: 980 }, outcome: 'ack' }]);
  });

  it('fails an order with a declined card at once', async () => {
    expect(await endOf(CARDS.declined)).toMatchObject({ state: 'failed', attempts: 1, reason: 'card-declined' });
  });

  it('fails an order for goods that are not sold', async () => {
    const { body } = await sample.http
      .post('/orders')
      .send({ card: CARDS.good, items: [tea, { sku: 'moon', quantity: 1 }] });
    await sample.seda.settled();
    const order = await sample.http.get(`/orders/${(body as { id: string }).id}`);
    expect(order.body).toMatchObject({ state: 'failed', reason: 'unknown-sku: moon' });
  });

  it('leaves no dead letter behind that it has told the customer of', async () => {
    await endOf(CARDS.declined);
    expect((await sample.bus.deadLetters('orders.charge').list()).items).toEqual([]);
    expectBalanced(sample.bus);
  });

  it('knows nothing of an order that was never placed', async () => {
    const answer = await sample.http.get('/orders/none');
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ message: "There is no order 'none'" });
  });

  it.each([
    [[], 'the body to be an object'],
    [{ items: [tea] }, 'card to be a text of 12 to 19 digits'],
    [{ card: '4242-4242-4242', items: [tea] }, 'card to be a text of 12 to 19 digits'],
    [{ card: CARDS.good, items: [] }, 'items to be a list of 1 to 100 items'],
    [{ card: CARDS.good, items: [tea, null] }, 'items[1] to be an object'],
    [{ card: CARDS.good, items: [{ sku: '', quantity: 1 }] }, 'items[0].sku to be a text'],
    [
      { card: CARDS.good, items: [{ sku: 'tea', quantity: 0 }] },
      'items[0].quantity to be a whole number from 1 to 1000',
    ],
  ])('answers 400 to %j', async (body, expected) => {
    const offered = (): number | undefined => sample.bus.stats()['orders.validate']?.offered;
    const before = offered();
    const answer = await sample.http.post('/orders').send(body);
    expect([answer.status, (answer.body as { message: string }).message]).toEqual([400, `Expected ${expected}`]);
    expect(offered()).toBe(before);
  });
});

describe('POST /orders with a full stage', () => {
  let payments: StageGate;
  let sample: Sample;
  beforeEach(async () => {
    sample = await startSample({ settings: { orderCapacity: 3 } });
    payments = sample.seda.gate(CHARGE);
  });
  afterEach(() => sample.app.close());

  it('answers 503 with Retry-After, and loses none of the orders it accepted', async () => {
    const { accepted, refusal } = await fillUp(sample);
    expect([refusal.status, refusal.headers['retry-after']]).toEqual([503, '1']);
    expect(refusal.body).toMatchObject({ message: 'No room for another order now' });
    expect(sample.book.counts()).toEqual({ open: accepted.length, shipped: 0, failed: 0 });
    payments.open();
    await sample.seda.settled();
    expect(accepted.map((id) => sample.book.find(id)?.state)).toEqual(accepted.map(() => 'shipped'));
    expect(sample.bus.stats()['orders.validate']).toMatchObject({ offered: accepted.length + 1, dropped: 1 });
    expectBalanced(sample.bus);
  });

  it('accepts orders again when there is room', async () => {
    await fillUp(sample);
    payments.open();
    await sample.seda.settled();
    expect((await postOrder(sample)).status).toBe(202);
    await sample.seda.settled();
    expect(sample.book.counts()).toMatchObject({ open: 0, failed: 0 });
  });
});
