import { jest } from '@jest/globals';
import request from 'supertest';
import { CitySource } from '../../sample-app/src/imports/city-source.js';
import type { ImportProgress } from '../../sample-app/src/imports/imports.service.js';
import { plainAggregate } from '../../sample-app/src/imports/plain-aggregate.js';
import { CARDS, postOrder } from './support/orders.js';
import { SampleProcess } from './support/process.js';
import { until } from './support/until.js';

jest.setTimeout(60_000);

describe('the started sample', () => {
  let sample: SampleProcess | undefined;
  afterEach(() => sample?.kill());

  const start = async (env?: Record<string, string>): Promise<ReturnType<typeof request>> => {
    sample = new SampleProcess(env);
    return request(await sample.url());
  };

  it('imports all cities in less than 100 MB, with no queue above its capacity', async () => {
    const http = await start();
    const { id } = (await http.post('/imports/cities')).body as { id: string };
    const ask = async (): Promise<ImportProgress> => (await http.get(`/imports/${id}`)).body as ImportProgress;
    const progress = await until(ask, ({ state }) => state !== 'running');
    expect(progress).toMatchObject({ state: 'done', done: 135_233, failed: 0, verified: true });
    expect(progress.result).toEqual(plainAggregate(CitySource.load().all));
    expect(Math.max(...Object.values(progress.peakDepths))).toBeLessThanOrEqual(512);
    expect(progress.peakRssGrowthMb).toBeLessThan(100);
  });

  it('ends by itself at SIGTERM in the middle of 500 orders, every accepted one shipped or failed', async () => {
    const http = await start({ ORDER_CAPACITY: '1000' });
    const accepted = { good: 0, declined: 0 };
    let ended: ReturnType<SampleProcess['end']> | undefined;
    const order = async (card: keyof typeof accepted): Promise<void> => {
      const status = await postOrder({ http }, CARDS[card]).then((answer) => answer.status, noAnswer);
      if (status === 202) accepted[card]++;
      if (accepted.good + accepted.declined >= 250) ended ??= sample?.end();
    };
    await inParallel(
      20,
      Array.from({ length: 500 }, (_, index) => () => order(index % 10 === 0 ? 'declined' : 'good')),
    );
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(sample?.output).toContain(`Orders: ${accepted.good} shipped, ${accepted.declined} failed, 0 open`);
  });
});

/** The process is gone, or no longer listens. Anything else is an error of the test. */
function noAnswer(error: { code?: string }): undefined {
  expect(['ECONNREFUSED', 'ECONNRESET']).toContain(error.code);
}

/** Works through the jobs, so many at a time. */
async function inParallel(workers: number, jobs: (() => Promise<void>)[]): Promise<void> {
  const queue = jobs.values();
  const work = async (): Promise<void> => {
    for (const job of queue) await job();
  };
  await Promise.all(Array.from({ length: workers }, work));
}
