import { ConfigService } from '@nestjs/config';
import { busOptions } from '../../sample-app/src/bus.options.js';
import { readFileSync } from 'node:fs';
import { examples } from '../../sample-app/src/examples.js';
import { CityTally } from '../../sample-app/src/imports/city-tally.js';
import { enrichCity, parseCity, sizeClassOf } from '../../sample-app/src/imports/city.js';
import { geohash } from '../../sample-app/src/imports/geohash.js';
import { CityImport } from '../../sample-app/src/imports/city-import.js';
import { ImportLog } from '../../sample-app/src/imports/import-log.js';
import { plainAggregate } from '../../sample-app/src/imports/plain-aggregate.js';
import { OrderBook } from '../../sample-app/src/orders/order-book.js';
import { settingsFrom } from '../../sample-app/src/settings/settings.js';
import { rawCity } from './support/cities.js';
import { testSettings } from './support/settings.js';

describe('the order book', () => {
  it('forgets the oldest finished order above its size, and never an open one', () => {
    const book = new OrderBook(testSettings({ orderBookSize: 2 }));
    for (const id of ['a', 'b']) book.open(id);
    book.record('b', 'shipped');
    book.open('c');
    expect(['a', 'b', 'c'].map((id) => book.find(id)?.state)).toEqual(['accepted', undefined, 'accepted']);
    expect(book.counts()).toEqual({ open: 2, shipped: 1, failed: 0 });
  });

  it('takes up an order that an earlier process has accepted', () => {
    const book = new OrderBook(testSettings());
    book.record('a', 'charged');
    expect(book.counts()).toEqual({ open: 1, shipped: 0, failed: 0 });
    book.record('a', 'shipped');
    expect(book.find('a')?.history.map(({ state }) => state)).toEqual(['charged', 'shipped']);
    expect(book.counts()).toEqual({ open: 0, shipped: 1, failed: 0 });
  });

  it('forgets an order that was not accepted', () => {
    const book = new OrderBook(testSettings());
    book.open('a');
    book.close('a');
    book.close('a');
    expect([book.find('a'), book.counts().open]).toEqual([undefined, 0]);
  });
});

describe('the cities', () => {
  it.each([
    [57.64911, 10.40744, 9, 'u4pruydqq'],
    [42.6, -5.6, 5, 'ezs42'],
    [-25.382708, -49.265506, 8, '6gkzwgjz'],
    [-90, -180, 4, '0000'],
    [90, 180, 4, 'zzzz'],
  ])('have the geohash of %f, %f', (latitude, longitude, length, hash) => {
    expect(geohash(latitude, longitude, length)).toBe(hash);
  });

  it.each([
    [0, 'unknown'],
    [19_999, 'town'],
    [20_000, 'city'],
    [999_999, 'large city'],
    [1_000_000, 'metropolis'],
  ])('with %i inhabitants have the size class %s', (population, sizeClass) => {
    expect(sizeClassOf(population)).toBe(sizeClass);
  });

  it.each([
    ['country', rawCity({ country: 'de' })],
    ['population', rawCity({ population: -1 })],
    ['longitude', rawCity({ loc: { type: 'Point', coordinates: [181, 0] } })],
    ['latitude', rawCity({ loc: { type: 'Point', coordinates: [0, Number.NaN] } })],
  ])('are refused for a bad %s', (field, city) => {
    expect(() => parseCity(city)).toThrow(`Expected the ${field} of a city, got`);
  });

  it('add up to the same in any order', () => {
    const twins = [rawCity({ cityId: 5, name: 'Second' }), rawCity({ cityId: 4, name: 'First' })];
    const cities = [...twins, rawCity({ cityId: 6, country: 'FR', population: 0 })];
    const sums = [cities, cities.toReversed()].map((order) => {
      const tally = new CityTally();
      for (const city of order) tally.add(enrichCity(parseCity(city)));
      return tally.summary();
    });
    expect(sums).toEqual([plainAggregate(cities), plainAggregate(cities)]);
    expect(sums[0]).toMatchObject({ cities: 3, people: 2_000, largest: { name: 'First' } });
  });
});

describe('the log of imports', () => {
  it('keeps the latest twenty', () => {
    const log = new ImportLog();
    const runs = Array.from({ length: 21 }, () => new CityImport(0));
    for (const run of runs) log.add(run);
    expect(runs.map(({ id }) => log.find(id) !== undefined).indexOf(true)).toBe(1);
    expect(log.running()).toBeUndefined();
  });
});

describe('the settings', () => {
  it('take PORT from the environment and listen at 3000 without', () => {
    expect([settingsFrom(() => undefined).port, settingsFrom(() => '8080').port]).toEqual([3000, 8080]);
  });

  it.each(['', '-1', '80 80', '0x50'])('refuse a PORT of %j', (PORT) => {
    expect(() => settingsFrom((name) => (name === 'PORT' ? PORT : undefined))).toThrow(
      `Expected PORT to be a whole number, got '${PORT}'`,
    );
  });
});

describe('the role of a process', () => {
  it.each([
    [undefined, true],
    ['', []],
    ['orders.*,import.*', ['orders.*', 'import.*']],
  ])('with CONSUME=%s it consumes %j', (CONSUME, consume) => {
    expect(busOptions(new ConfigService({ CONSUME }), testSettings())).toMatchObject({ consume });
  });
});

describe('the examples', () => {
  it('are three curl lines, and the same as in requests.http', () => {
    const lines = examples('http://localhost:3000').split('\n');
    const curls = lines.filter((line) => line.startsWith('curl '));
    const written = readFileSync('sample-app/requests.http', 'utf8').split('\n');
    expect(curls).toHaveLength(3);
    expect(written.filter((line) => line.startsWith('# curl ')).map((line) => line.slice(2))).toEqual(curls);
  });
});
