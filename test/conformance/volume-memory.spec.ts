import { seal } from '../../lib/engine/store/checksum.js';
import { memoryStore } from '../../lib/engine/store/memory-volume.js';
import { StoreError } from '../../lib/engine/store/errors.js';
import { describeVolume, group, key, opened, textsOf } from './volume.js';

describeVolume('in memory', () => memoryStore());

describe('The store for tests', () => {
  const [first, end] = [Buffer.alloc(0), Buffer.of(0xff)];

  it('keeps what is committed through a crash, and verifies it', async () => {
    const store = memoryStore();
    const volume = await opened(store);
    await volume.write(group({ aaaaaa: '1' })).stored;
    store.crash();
    const next = await opened(store);
    expect(textsOf(next.scan(first, end, 10))).toEqual(['aaaaaa=1']);
  });

  it('finds the damaged ones after a crash, and counts the others', async () => {
    const store = memoryStore();
    const volume = await opened(store);
    const keys = [Buffer.from([0x10, 0, 0, 0, 1, 1]), Buffer.from([0x10, 0, 0, 0, 1, 2])];
    await volume.write({ keys, values: keys.map((each) => seal(each, Buffer.alloc(9, 7))), reserved: false }).stored;
    store.damage(keys[0] as Buffer, (value) => {
      value[8] = (value[8] as number) ^ 1;
      return value;
    });
    store.crash();
    const { verification } = await opened(store);
    expect(verification).toEqual({ damaged: [keys[0]], counts: { '1000000001': 1 } });
  });

  it('loses with the power what was not flushed, and nothing else', async () => {
    const store = memoryStore();
    const volume = await opened(store);
    await volume.write(group({ a: '1', b: '1' })).durable;
    store.holdFlushes();
    await volume.write(group({ a: '2', b: undefined, c: '2' })).stored;
    store.powerLoss();
    store.releaseFlushes();
    expect(textsOf(store.entries())).toEqual(['a=1', 'b=1']);
  });

  it('commits what was held, once it is released', async () => {
    const store = memoryStore();
    const volume = await opened(store);
    store.holdWrites();
    const { stored } = volume.write(group({ a: '1' }));
    await Promise.resolve();
    expect(store.entries()).toEqual([]);
    store.releaseWrites();
    await stored;
    expect(textsOf(store.entries())).toEqual(['a=1']);
  });

  it('counts its flushes', async () => {
    const store = memoryStore();
    const volume = await opened(store);
    await volume.write(group({ a: '1' })).durable;
    await volume.write(group({ b: '1' })).durable;
    expect(store.syncs).toBe(2);
  });

  it('refuses when it is full what would add, and takes what may use the reserve', async () => {
    const store = memoryStore();
    const volume = await opened(store);
    await volume.write(group({ a: '1' })).stored;
    store.full = true;
    await expect(volume.write(group({ a: undefined, b: '2' })).stored).rejects.toMatchObject({
      code: 'SEDA_STORE_FULL',
    });
    expect(textsOf(store.entries())).toEqual(['a=1']);
    await volume.write(group({ a: undefined, c: '3' }, true)).stored;
    expect(textsOf(store.entries())).toEqual(['c=3']);
  });

  it('fails once when it is told to, and writes nothing of that group', async () => {
    const store = memoryStore();
    const volume = await opened(store);
    store.failNext(new StoreError('The disk said no.'));
    const { stored, durable } = volume.write(group({ a: '1' }));
    await expect(stored).rejects.toThrow('The disk said no.');
    await expect(durable).rejects.toThrow('The disk said no.');
    await volume.write(group({ b: '1' })).stored;
    expect(textsOf(store.entries())).toEqual(['b=1']);
    expect(volume.get(key('a'))).toBeUndefined();
  });
});

describe('The gates of the store for tests', () => {
  it('hold what came before the second hold, too, until they are released', async () => {
    const store = memoryStore();
    const volume = await opened(store);
    store.holdWrites();
    const { stored } = volume.write(group({ a: '1' }));
    store.holdWrites();
    store.releaseWrites();
    await stored;
    expect(textsOf(store.entries())).toEqual(['a=1']);
  });
});
