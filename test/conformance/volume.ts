import { seal } from '../../lib/engine/store/checksum.js';
import type { StoreDescription, Volume, WriteGroup } from '../../lib/engine/store/volume.js';

const FIRST = Buffer.alloc(0);
const END = Buffer.of(0xff);

/** A key of two bytes or more, so that the order of the bytes is not that of numbers. */
export const key = (text: string): Buffer => Buffer.from(text);

export const group = (changes: Readonly<Record<string, string | undefined>>, reserved = false): WriteGroup => ({
  keys: Object.keys(changes).map(key),
  values: Object.entries(changes).map(([name, text]) => (text === undefined ? undefined : sealed(name, text))),
  reserved,
});

export const sealed = (name: string, text: string): Buffer =>
  seal(key(name), Buffer.concat([Buffer.alloc(4), Buffer.from(text)]));

export const textsOf = (entries: readonly { key: Uint8Array; value: Uint8Array }[]): string[] =>
  entries.map((entry) => `${Buffer.from(entry.key).toString()}=${Buffer.from(entry.value.subarray(4)).toString()}`);

const CONTEXT = { warn: (): void => undefined, lockWaitMs: 0 };

export const opened = (store: StoreDescription): Promise<Volume> => store.open(CONTEXT);

/** The contract of `Volume`, clause by clause, for every volume alike. */
export function describeVolume(name: string, make: () => StoreDescription): void {
  describe(`The volume ${name}`, () => {
    let store: StoreDescription;
    let volume: Volume;

    beforeEach(async () => {
      store = make();
      volume = await opened(store);
    });

    afterEach(() => volume.close());

    const all = (): string[] => textsOf(volume.scan(FIRST, END, 100));

    it('is empty at first, and was not verified', () => {
      expect(all()).toEqual([]);
      expect(volume.get(key('a'))).toBeUndefined();
      expect(volume.verification).toBeUndefined();
    });

    it('shows a group whole once it is stored', async () => {
      await volume.write(group({ b: '2', a: '1' })).stored;
      expect(all()).toEqual(['a=1', 'b=2']);
    });

    it('makes a group durable after it is stored', async () => {
      const order: string[] = [];
      const { stored, durable } = volume.write(group({ a: '1' }));
      await Promise.all([stored.then(() => order.push('stored')), durable.then(() => order.push('durable'))]);
      expect(order).toEqual(['stored', 'durable']);
    });

    it('lets the later change of a key win within a group', async () => {
      const keys = [key('a'), key('a'), key('b'), key('b')];
      const values = [sealed('a', '1'), sealed('a', '2'), sealed('b', '3'), undefined];
      await volume.write({ keys, values, reserved: false }).stored;
      expect(all()).toEqual(['a=2']);
    });

    it('ignores the removal of what is not there', async () => {
      await volume.write(group({ a: undefined, b: '2' })).stored;
      expect(all()).toEqual(['b=2']);
    });

    it('scans in the order of the bytes, from the first key to before the last', async () => {
      await volume.write(group({ ab: '1', b: '2', a: '3', c: '4' })).stored;
      expect(textsOf(volume.scan(key('a'), key('c'), 10))).toEqual(['a=3', 'ab=1', 'b=2']);
      expect(textsOf(volume.scan(key('a'), key('c'), 2))).toEqual(['a=3', 'ab=1']);
    });

    it('scans backwards from the last', async () => {
      await volume.write(group({ a: '1', b: '2', c: '3' })).stored;
      expect(textsOf(volume.scan(key('a'), key('c'), 10, true))).toEqual(['b=2', 'a=1']);
      expect(textsOf(volume.scan(key('a'), END, 1, true))).toEqual(['c=3']);
    });

    it('gives away copies', async () => {
      await volume.write(group({ a: '1' })).stored;
      volume.get(key('a'))?.fill(0);
      for (const found of volume.scan(FIRST, END, 1)) found.value.fill(0);
      expect(all()).toEqual(['a=1']);
    });

    it('has after an orderly end what it had before, and trusts it', async () => {
      await volume.write(group({ a: '1' })).stored;
      await volume.close();
      volume = await opened(store);
      expect(all()).toEqual(['a=1']);
      expect(volume.verification).toBeUndefined();
    });

    it('may be closed twice, and waits for what was written', async () => {
      void volume.write(group({ a: '1' }));
      await Promise.all([volume.close(), volume.close()]);
      volume = await opened(store);
      expect(all()).toEqual(['a=1']);
    });

    it('is one opener’s at a time, who is named', async () => {
      await expect(opened(store)).rejects.toMatchObject({ code: 'SEDA_STORE_LOCKED', pid: process.pid });
    });
  });
}
