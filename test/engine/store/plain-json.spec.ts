import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { findUnstorable } from '../../../lib/engine/store/plain-json.js';

class Money {
  constructor(readonly cents: number) {}
}

const cyclic = (): object => {
  const outer: Record<string, unknown> = {};
  outer['inner'] = { outer };
  return outer;
};

describe('What JSON would change is found', () => {
  test.each([
    ['NaN', { price: Number.NaN }, 'p.price', 'NaN'],
    ['an infinite number', [1, Number.NEGATIVE_INFINITY], 'p[1]', '-Infinity'],
    ['a bigint', { list: [{ id: 1n }] }, 'p.list[0].id', 'a bigint'],
    ['a Map', { 'by name': new Map() }, 'p["by name"]', 'a Map'],
    ['a Set', new Set(), 'p', 'a Set'],
    ['a class instance', { total: new Money(1) }, 'p.total', 'a Money'],
    ['an Error', new Error('x'), 'p', 'an Error'],
    ['bytes', { body: Buffer.from('x') }, 'p.body', 'a Buffer'],
    ['a function', { run: () => 1 }, 'p.run', 'a function'],
    ['a symbol', [Symbol('x')], 'p[0]', 'a symbol'],
    ['a hole of an array', [1, undefined], 'p[1]', 'undefined'],
    ['an object with a toJSON', { o: { toJSON: () => 1 } }, 'p.o', 'an Object with a toJSON of its own'],
    ['a date that is none', new Date(Number.NaN), 'p', 'an invalid Date'],
    ['a property named __proto__', JSON.parse('{"__proto__":1}'), 'p["__proto__"]', 'a property of that name'],
  ])('%s', (_, value, path, found) => {
    expect(findUnstorable(value, 'p')).toEqual({ path, found });
  });

  it('a cycle, and what is nested too deep', () => {
    expect(findUnstorable(cyclic(), 'p')?.found).toBe('a part of itself');
    let deep: unknown = 1;
    for (let depth = 0; depth < 2_000; depth++) deep = [deep];
    expect(findUnstorable(deep, 'p')?.found).toBe('nested more than 500 deep');
  });

  it('a property that throws when it is read', () => {
    const trap = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(findUnstorable(trap, 'p')).toEqual({ path: 'p.x', found: 'a property that throws when it is read' });
  });
});

describe('What JSON gives back is let through', () => {
  test.each([
    ['nothing', null],
    ['dates, which become texts', { at: new Date(0) }],
    ['properties that are undefined, which are not there then', { a: 1, b: undefined }],
    ['objects without a prototype', Object.assign(Object.create(null) as object, { a: 1 })],
    ['objects of another realm', runInNewContext('({ a: [1, { b: 2 }] })')],
    [
      'the same object twice',
      [cyclic].map(() => {
        const same = {};
        return [same, same];
      }),
    ],
  ])('%s', (_, value) => {
    expect(findUnstorable(value, 'p')).toBeUndefined();
  });

  it('anything that JSON can write, and nothing else than what it then reads', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: false, withNullPrototype: false }), (value) => {
        if (findUnstorable(value, 'p') !== undefined) return;
        const read: unknown = JSON.parse(JSON.stringify(value));
        expect(read).toEqual(JSON.parse(JSON.stringify(read)));
        expect(JSON.stringify(read)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue().filter(namesNoPrototype), (value) => {
        expect(findUnstorable(value, 'p')).toBeUndefined();
      }),
    );
  });
});

/** A property of that name is refused: what reads it may take it for something else. */
function namesNoPrototype(value: unknown): boolean {
  return !JSON.stringify(value).includes('"__proto__"');
}
