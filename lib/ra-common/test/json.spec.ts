import { catalogue } from './catalogue.js';
import { overTheWire } from './fixtures.js';

describe.each(catalogue)('$name as JSON', ({ minimal, full, fromJSON, always, whenSet }) => {
  test('has exactly the keys that are always there when nothing is set', () => {
    expect(Object.keys(minimal().toJSON()).toSorted()).toEqual([...always].toSorted());
  });

  test('has exactly the listed keys when everything is set', () => {
    expect(Object.keys(full().toJSON()).toSorted()).toEqual([...always, ...whenSet].toSorted());
  });

  test.each([
    ['minimal', minimal],
    ['full', full],
  ])('comes back from the wire as it was in its %s form', (_, make) => {
    const original = make();
    const read = fromJSON(overTheWire(original));
    expect(read.constructor).toBe(original.constructor);
    expect(read.toJSON()).toEqual(original.toJSON());
  });

  test('consists of plain JSON values all the way down', () => {
    const json = full().toJSON();
    expect(overTheWire(json)).toEqual(json);
  });

  test('ignores keys it does not know', () => {
    const original = full();
    expect(fromJSON({ ...original.toJSON(), later_version: { deep: [1] } }).toJSON()).toEqual(original.toJSON());
  });

  test('takes the default for every missing key', () => {
    const { type, kind, ...rest } = minimal().toJSON();
    const tag = type === undefined ? { kind } : { type };
    const own = new Set(['id', 'meta', 'base', 'route_id', 'dynamic_routing_slip', 'boundary', 'hash']);
    const comparable = (json: object) => Object.entries(json).filter(([key]) => !own.has(key));
    expect(comparable(fromJSON(tag).toJSON())).toEqual(
      comparable({ ...tag, ...rest }).filter(([, v]) => v !== undefined),
    );
  });

  test('takes the default for a key that is there but undefined', () => {
    const keys = [...always, ...whenSet].filter((key) => key !== 'type' && key !== 'kind');
    const { type, kind } = minimal().toJSON();
    const hollow = { ...Object.fromEntries(keys.map((key) => [key, undefined])), type, kind };
    expect(Object.keys(fromJSON(hollow).toJSON()).toSorted()).toEqual([...always].toSorted());
  });
});
