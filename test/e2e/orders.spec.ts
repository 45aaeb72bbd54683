import { jest } from '@jest/globals';
import { Gate } from '../support/gate.js';
import { expectBalanced } from '../support/balance.js';
import { CARDS, fillUp, postOrder, tea } from './support/orders.js';
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

  /** Orders, and tells the end of it. */
  const endOf = async (card: string): Promise<OrderBody & Record<string, unknown>> => {
    const { headers } = await postOrder(sample, card);
    await sample.bus.idle();
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

  it('fails an order with a declined card at once', async () => {
    expect(await endOf(CARDS.declined)).toMatchObject({ state: 'failed', attempts: 1, reason: 'card-declined' });
  });

  it('fails an order for goods that are not sold', async () => {
    const { body } = await sample.http
      .post('/orders')
      .send({ card: CARDS.good, items: [tea, { sku: 'moon', quantity: 1 }] });
    await sample.bus.idle();
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
  let payments: Gate;
  let sample: Sample;
  beforeEach(async () => {
    payments = new Gate();
    sample = await startSample({ settings: { orderCapacity: 3 }, charge: () => payments.opened });
  });
  afterEach(async () => {
    payments.open();
    await sample.app.close();
  });

  it('answers 503 with Retry-After, and loses none of the orders it accepted', async () => {
    const { accepted, refusal } = await fillUp(sample);
    expect([refusal.status, refusal.headers['retry-after']]).toEqual([503, '1']);
    expect(refusal.body).toMatchObject({ message: 'No room for another order now' });
    expect(sample.book.counts()).toEqual({ open: accepted.length, shipped: 0, failed: 0 });
    payments.open();
    await sample.bus.idle();
    expect(accepted.map((id) => sample.book.find(id)?.state)).toEqual(accepted.map(() => 'shipped'));
    expect(sample.bus.stats()['orders.validate']).toMatchObject({ offered: accepted.length + 1, dropped: 1 });
    expectBalanced(sample.bus);
  });

  it('accepts orders again when there is room', async () => {
    await fillUp(sample);
    payments.open();
    await sample.bus.idle();
    expect((await postOrder(sample)).status).toBe(202);
    await sample.bus.idle();
    expect(sample.book.counts()).toMatchObject({ open: 0, failed: 0 });
  });
});
