import { jest } from '@jest/globals';
import type { SedaBus } from '#engine';
import { CitySource } from '../../sample-app/src/imports/city-source.js';
import { CityPipeline } from '../../sample-app/src/imports/city.pipeline.js';
import { CITY_STAGES } from '../../sample-app/src/imports/city.stages.js';
import type { ImportProgress } from '../../sample-app/src/imports/imports.service.js';
import { plainAggregate } from '../../sample-app/src/imports/plain-aggregate.js';
import { expectBalanced } from '../support/balance.js';
import { rawCity } from './support/cities.js';
import { type Sample, startSample } from './support/sample.js';

jest.setTimeout(60_000);

const progressOf = async ({ http }: Sample, id: string): Promise<ImportProgress> =>
  (await http.get(`/imports/${id}`)).body as ImportProgress;

const importCities = async (sample: Sample): Promise<string> => {
  const answer = await sample.http.post('/imports/cities');
  const { id } = answer.body as { id: string };
  expect([answer.status, answer.headers['location']]).toEqual([202, `/imports/${id}`]);
  return id;
};

const endOf = async (sample: Sample, id: string): Promise<ImportProgress> => {
  await sample.seda.settled();
  return progressOf(sample, id);
};

/** Looks at the queues whenever so many cities are through, and keeps the greatest depth. */
function watchDepths({ app, bus }: Sample, citiesPerLook: number): Record<string, number> {
  const deepest: Record<string, number> = {};
  const pipeline = app.get(CityPipeline);
  const aggregate = pipeline.aggregate.bind(pipeline);
  let cities = 0;
  pipeline.aggregate = (envelope) => {
    if (cities++ % citiesPerLook === 0) keepDeepest(bus, deepest);
    aggregate(envelope);
  };
  return deepest;
}

function keepDeepest(bus: SedaBus, deepest: Record<string, number>): void {
  const stats = bus.stats();
  for (const stage of CITY_STAGES) deepest[stage] = Math.max(deepest[stage] ?? 0, stats[stage]?.depth ?? 0);
}

describe('POST /imports/cities', () => {
  let sample: Sample;
  beforeAll(async () => (sample = await startSample({ cities: 'all' })));
  afterEach(() => sample.bus.release('cities.aggregate'));
  afterAll(() => sample.app.close());

  it('comes to what a plain loop comes to, with no queue above its capacity', async () => {
    const deepest = watchDepths(sample, 64);
    const { result, verified, ...progress } = await endOf(sample, await importCities(sample));
    const { all } = sample.app.get(CitySource);
    expect(progress).toMatchObject({ state: 'done', total: 135_233, done: 135_233, failed: 0 });
    expect(result).toEqual(plainAggregate(all));
    expect(verified).toBe(true);
    expect(Object.keys(deepest)).toEqual([...CITY_STAGES]);
    expect(Math.max(...Object.values(deepest))).toBeLessThanOrEqual(512);
    expectBalanced(sample.bus);
  });

  it('makes the reader wait while a stage stands still, and tells so', async () => {
    sample.bus.hold('cities.aggregate');
    const id = await importCities(sample);
    await sample.seda.advance(0);
    const progress = await progressOf(sample, id);
    expect(Object.values(progress.depths)).toEqual([512, 512, 512]);
    expect(progress).toMatchObject({ id, state: 'running', done: 0, failed: 0 });
    expect(progress).not.toHaveProperty('result');
    expect(sample.bus.stats()['cities.parse']).toMatchObject({ waiting: 1 });
    sample.bus.release('cities.aggregate');
    expect(await endOf(sample, id)).toMatchObject({ state: 'done', verified: true });
  });
});

describe('an import that meets trouble', () => {
  let sample: Sample;
  const cities = [rawCity(), rawCity({ cityId: 2, country: 'Utopia' }), rawCity({ cityId: 3, population: 7 })];
  beforeEach(async () => (sample = await startSample({ cities })));
  afterEach(() => sample.app.close());

  it('counts a city that cannot be read as failed, keeps it as a dead letter, and finishes', async () => {
    const progress = await endOf(sample, await importCities(sample));
    expect(progress).toMatchObject({ state: 'failed', total: 3, done: 2, failed: 1, verified: false });
    expect(progress.result).toMatchObject({ cities: 2, people: 1_007 });
    const { items } = await sample.bus.deadLetters('cities.parse').list();
    expect(items.map(({ error }) => error)).toEqual(["Error: Expected the country of a city, got 'Utopia'"]);
  });

  it('answers 409 with the id of the import that runs', async () => {
    sample.bus.hold();
    const id = await importCities(sample);
    const answer = await sample.http.post('/imports/cities');
    expect([answer.status, answer.body]).toEqual([409, { id, message: 'An import is running' }]);
    sample.bus.release();
    await endOf(sample, id);
    expect(await importCities(sample)).not.toBe(id);
  });

  it('ends when the bus takes no more cities, with those that were never read counted as failed', async () => {
    sample.bus.pause();
    const progress = await endOf(sample, await importCities(sample));
    expect(progress).toMatchObject({ state: 'failed', done: 0, failed: 3, result: { cities: 0, largest: null } });
  });

  it('knows nothing of an import that was never started', async () => {
    expect((await sample.http.get('/imports/none')).status).toBe(404);
  });
});
