import { jest } from '@jest/globals';
import type { BusState } from '#engine';
import type { StageGate } from '@resolvingarchitecture/nestjs-seda-bus/testing';
import { CHARGE } from '../../sample-app/src/orders/order.stages.js';
import { fillUp, postOrder } from './support/orders.js';
import { type Sample, startSample } from './support/sample.js';

jest.setTimeout(30_000);

describe('the health of the sample', () => {
  let payments: StageGate;
  let sample: Sample;
  beforeEach(async () => {
    sample = await startSample({ settings: { orderCapacity: 2 }, testing: { releaseOnClose: false } });
    payments = sample.seda.gate(CHARGE);
  });
  afterEach(async () => {
    payments.open();
    await sample.app.close();
  });

  const health = async (path = ''): Promise<[number, unknown]> => {
    const { status, body } = await sample.http.get(`/health${path}`);
    return [status, (body as { status: unknown }).status];
  };

  const enters = (state: BusState): Promise<void> =>
    new Promise((resolve) => sample.bus.on('state', ({ to }) => to === state && resolve()));

  it.each(['', '/ready', '/live'])('is ok at /health%s', async (path) => {
    expect(await health(path)).toEqual([200, 'ok']);
  });

  it('is degraded while a stage is full, and ok again afterwards', async () => {
    await fillUp(sample);
    expect(await health()).toEqual([200, 'degraded']);
    payments.open();
    await sample.seda.advance(1_000);
    expect(await health()).toEqual([200, 'ok']);
  });

  it('answers 503 while the bus drains, with the process alive and HTTP served', async () => {
    await postOrder(sample);
    const draining = enters('draining');
    const closed = sample.app.close();
    await draining;
    expect(await health()).toEqual([503, 'error']);
    expect((await health('/ready'))[0]).toBe(503);
    expect(await health('/live')).toEqual([200, 'ok']);
    expect((await postOrder(sample)).status).toBe(503);
    payments.open();
    await closed;
    expect(sample.book.counts()).toEqual({ open: 0, shipped: 1, failed: 0 });
  });
});

describe('GET /stats', () => {
  it('shows every stage and what belongs to none', async () => {
    const { app, http, seda } = await startSample();
    await postOrder({ http });
    await seda.settled();
    const { status, body } = await http.get('/stats');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      state: 'open',
      totals: { unroutable: 0, early: 0, callbackErrors: 0 },
      rssGrowthMb: expect.any(Number),
      stages: { 'orders.ship': { delivered: 1, depth: 0 }, 'cities.parse': { capacity: 512 } },
    });
    await app.close();
  });
});
