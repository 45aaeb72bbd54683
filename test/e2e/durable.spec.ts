import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import request from 'supertest';
import { CARDS, postOrder } from './support/orders.js';
import { SampleProcess } from './support/process.js';
import { until } from './support/until.js';

jest.setTimeout(60_000);

interface Order {
  readonly state: string;
  readonly attempts?: number;
  readonly reason?: string;
}

describe('the sample that is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seda-sample-'));
  const started: SampleProcess[] = [];
  afterEach(() => started.forEach((each) => each.kill()));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = async (env: Record<string, string>): Promise<ReturnType<typeof request>> => {
    const sample = new SampleProcess({ STORE_PATH: join(folder, 'orders'), ...env });
    started.push(sample);
    return request(await sample.url());
  };

  it('finishes after the next start every order that it had accepted', async () => {
    // No payment ends within the life of the first process.
    const first = await start({ PAYMENT_LATENCY_MS: '600000', PAYMENT_TIMEOUT_MS: '600000' });
    const accepted: string[] = [];
    for (const card of [...Array<string>(30).fill(CARDS.good), CARDS.declined]) {
      const { status, body } = await postOrder({ http: first }, card);
      expect(status).toBe(202);
      accepted.push((body as { id: string }).id);
    }
    const ask = async (http: typeof first, id: string): Promise<Order> =>
      (await http.get(`/orders/${id}`)).body as Order;
    // Some are being charged, one after the other by sixteens; the others wait.
    await until(
      () => ask(first, accepted[15] as string),
      ({ state }) => state === 'priced',
    );
    const dying = started[0] as SampleProcess;
    dying.kill();
    await dying.closed;
    const second = await start({ PAYMENT_LATENCY_MS: '0' });
    const ends: Order[] = [];
    for (const id of accepted)
      ends.push(
        await until(
          () => ask(second, id),
          ({ state }) => state === 'shipped' || state === 'failed',
        ),
      );
    expect(ends.slice(0, 30).map(({ state }) => state)).toEqual(Array<string>(30).fill('shipped'));
    expect(ends[30]).toMatchObject({ state: 'failed', reason: 'card-declined' });
    // Those that were being charged when the process was killed are charged for the second time, and know it.
    expect(ends.filter(({ attempts }) => attempts === 2)).toHaveLength(16);
  });
});
