import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Envelope, SedaBus, type SedaBusOptions, envelopePayload, makeEnvelope } from '#engine';
import { type LmdbStoreOptions, lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';
import { loadersIn } from '../../../lib/engine/lmdb/verification.js';
import { loadLmdb } from '../../../lib/engine/lmdb/peer.js';
import { opened } from '../../conformance/volume.js';
import { expectBalanced } from '../../support/balance.js';
import { refusal } from '../../support/refusal.js';

const root = mkdtempSync(join(tmpdir(), 'seda-lmdb-'));
let folders = 0;
const folder = (): string => join(root, String(folders++));
const buses: SedaBus[] = [];

afterEach(async () => {
  for (const bus of buses.splice(0)) await bus.shutdown({ timeoutMs: 0 });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const payloadOf = (envelope: Envelope): unknown => envelopePayload(envelope);

async function busOn(options: LmdbStoreOptions, more: SedaBusOptions = {}): Promise<SedaBus> {
  const bus = new SedaBus({ ...more, store: lmdbStore(options) }).channel('orders', { serviceLevel: 'AtLeastOnce' });
  buses.push(bus);
  await bus.ready();
  return bus;
}

describe('A store on LMDB', () => {
  it('keeps what is published over a restart, in order', async () => {
    const path = folder();
    const first = await busOn({ path });
    first.hold('orders');
    for (const n of [1, 2, 3]) expect(await first.publish(makeEnvelope('orders', { n }))).toBe(true);
    await first.shutdown();
    const second = await busOn({ path });
    const seen: unknown[] = [];
    second.subscribe('orders', (envelope) => void seen.push(payloadOf(envelope)));
    await second.idle();
    expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expectBalanced(second);
  });

  it('is for nobody but its owner: the folder 0700, its files 0600', async () => {
    const path = folder();
    await busOn({ path });
    expect((statSync(path).mode & 0o777).toString(8)).toBe('700');
    const modes = ['data.mdb', 'lock.mdb', 'state', 'owner.json'].map(
      (name) => statSync(join(path, name)).mode & 0o777,
    );
    expect(modes.map((mode) => mode.toString(8))).toEqual(['600', '600', '600', '600']);
  });

  it('D07 is opened and closed a hundred times without a record', async () => {
    const path = folder();
    for (let round = 0; round < 100; round++) await (await opened(lmdbStore({ path }))).close();
    const volume = await opened(lmdbStore({ path }));
    expect(volume.verification).toBeUndefined();
    expect(volume.scan(Buffer.alloc(0), Buffer.of(0xff), 10)).toEqual([]);
    await volume.close();
  });

  it('D07 refuses publishes when it is full, goes on delivering, and takes more when there is room', async () => {
    const path = folder();
    const bus = await busOn({ path, maxSizeBytes: 2 ** 20 });
    bus.channel('bulk', { serviceLevel: 'AtLeastOnce', capacity: 100_000, backpressure: 'reject' });
    const warnings: string[] = [];
    bus.on('warning', ({ code }) => warnings.push(code));
    bus.hold('bulk');
    const text = 'x'.repeat(10_000);
    let accepted = 0;
    while (await bus.publish(makeEnvelope('bulk', text))) accepted++;
    expect(accepted).toBeGreaterThan(20);
    expect([bus.storeFull, warnings]).toEqual([true, ['SEDA_STORE_FULL']]);
    expect(bus.stats()['bulk']?.droppedBy['store-error']).toBe(1);
    expectBalanced(bus);
    let delivered = 0;
    bus.subscribe('bulk', () => void delivered++);
    bus.release('bulk');
    await bus.idle();
    expect(delivered).toBe(accepted);
    while (bus.storeFull) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await bus.publish(makeEnvelope('bulk', text))).toBe(true);
    await bus.idle();
    expectBalanced(bus);
  });

  it('D07 C12 on a disk that is full: refuses, finishes what it has, and takes more in the room that this leaves', async () => {
    const { accepted, delivered, ...rest } = (await onSmallDisk('full-disk-child.mjs')) as Record<string, number>;
    expect(accepted).toBeGreaterThan(100);
    expect(delivered).toBe((accepted as number) + 1);
    expect(rest).toEqual({ full: true, again: true, drained: true, warnings: ['SEDA_STORE_FULL'] });
  });

  it('D07 rejects a write that fails, both promises of it, has nothing of it, and goes on', async () => {
    expect(await onSmallDisk('failed-write-child.mjs')).toEqual({
      failed: ['SEDA_STORE', 'SEDA_STORE'],
      left: 0,
      written: ['fulfilled', 'fulfilled'],
      after: 1,
    });
  });

  it('D05 flushes for many publishes at once', async () => {
    const { open } = await import('lmdb');
    const path = folder();
    const bus = await busOn({ path });
    bus.hold('orders');
    const before = transactionsOf(open, path);
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) => bus.publish(makeEnvelope('orders', { n }))),
    );
    expect(answers.every(Boolean)).toBe(true);
    expect(transactionsOf(open, path) - before).toBeLessThan(100);
  });
});

/** Runs a script for which no file may be larger than 12 MiB: to whoever writes it is as if the disk had no more. */
async function onSmallDisk(script: string): Promise<unknown> {
  const file = fileURLToPath(new URL(`../../faults/${script}`, import.meta.url));
  const limited = `trap '' XFSZ; ulimit -f 12288; exec "$0" "$@"`;
  const child = spawn('bash', ['-c', limited, process.execPath, file, folder()], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${errors}`);
  return JSON.parse(output);
}

type Open = typeof import('lmdb').open;

function transactionsOf(open: Open, path: string): number {
  const database = open({ path, readOnly: true, encoding: 'binary', keyEncoding: 'binary' });
  return (database.getStats() as { lastTxnId: number }).lastTxnId;
}

describe('The lock of a store on LMDB', () => {
  const holder = (path: string): ChildProcess =>
    spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';
         const volume = await lmdbStore({ path: process.argv[1] }).open({ warn: () => 0, lockWaitMs: 0 });
         process.on('SIGTERM', () => volume.close().then(() => process.exit(0)));
         console.log('held');
         setInterval(() => 0, 1e6);`,
        path,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );

  it('D06 lets no second bus of the same process in', async () => {
    const path = folder();
    await busOn({ path });
    await expect(opened(lmdbStore({ path }))).rejects.toMatchObject({ code: 'SEDA_STORE_LOCKED', pid: process.pid });
  });

  it('D06 lets no second process in, names the first, and is free when that was killed', async () => {
    const path = folder();
    const child = holder(path);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    await expect(opened(lmdbStore({ path }))).rejects.toMatchObject({
      code: 'SEDA_STORE_LOCKED',
      pid: child.pid,
      message: expect.stringContaining(`process ${child.pid}`),
    });
    child.kill('SIGKILL');
    await once(child, 'close');
    const volume = await opened(lmdbStore({ path }));
    expect(volume.verification).toEqual({ damaged: [], counts: {} });
    await volume.close();
  });

  it('D06 waits for as long as it is told for a process that is ending', async () => {
    const path = folder();
    const child = holder(path);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    const opening = opened(lmdbStore({ path, lockWaitMs: 30_000 }));
    child.kill('SIGTERM');
    const volume = await opening;
    expect(volume.verification).toBeUndefined();
    await volume.close();
  });

  it.each([
    ['another process that has the same number now', { startTime: '1' }],
    ['a process of another boot', { bootId: 'another' }],
    ['a process that is gone', { pid: 2 ** 22 + 1, startTime: undefined }],
  ])('is not held by %s', async (_, changes) => {
    const path = folder();
    const volume = await opened(lmdbStore({ path }));
    const lock = join(path, 'owner.json');
    const text = readFileSync(lock, 'utf8');
    await volume.close();
    expect(existsSync(lock)).toBe(false);
    writeFileSync(lock, JSON.stringify({ ...(JSON.parse(text) as object), ...changes }));
    await (await opened(lmdbStore({ path }))).close();
  });

  it('is not held by a file that nobody has written whole', async () => {
    const path = folder();
    mkdirSync(path);
    writeFileSync(join(path, 'owner.json'), '{"pid":');
    await (await opened(lmdbStore({ path }))).close();
  });
});

describe('A store on LMDB whose bytes are not what they were', () => {
  /** A store that was closed in order, with so many records. */
  async function filled(count = 5): Promise<string> {
    const path = folder();
    const bus = await busOn({ path });
    bus.hold('orders');
    for (let n = 0; n < count; n++) await bus.publish(makeEnvelope('orders', `record-${n}-${'x'.repeat(50)}`));
    await bus.shutdown();
    return path;
  }

  const change = (path: string, edit: (bytes: Buffer) => Buffer): void => {
    const file = join(path, 'data.mdb');
    writeFileSync(file, edit(readFileSync(file)));
  };

  it('D03 moves a damaged record aside, counts and tells it, and delivers the others', async () => {
    const path = await filled();
    change(path, (bytes) => {
      for (let at = bytes.indexOf('record-1-'); at >= 0; at = bytes.indexOf('record-1-', at + 1))
        bytes[at + 20] = (bytes[at + 20] as number) ^ 1;
      return bytes;
    });
    const bus = new SedaBus({ store: lmdbStore({ path }) });
    buses.push(bus);
    const seen: unknown[] = [];
    const warnings: string[] = [];
    bus.on('warning', ({ code }) => warnings.push(code));
    bus
      .channel('orders', { serviceLevel: 'AtLeastOnce' })
      .subscribe('orders', (envelope) => void seen.push(String(payloadOf(envelope)).slice(0, 8)));
    await bus.ready();
    await bus.idle();
    expect(seen).toEqual(['record-0', 'record-2', 'record-3', 'record-4']);
    expect([bus.totals().damaged, warnings]).toEqual([1, ['SEDA_STORE_DAMAGED']]);
    expectBalanced(bus);
  });

  it('D02 C12 is refused where it was cut off, with the file and the place', async () => {
    const path = await filled(200);
    change(path, (bytes) => bytes.subarray(0, bytes.length - 4_096));
    await expect(busOn({ path })).rejects.toMatchObject({
      code: 'SEDA_STORE_CORRUPTED',
      file: join(path, 'data.mdb'),
      offset: expect.any(Number),
    });
  });

  it.each([0, 1, 100, 4_096, 4_200])('C12 is refused when only %i bytes are left', async (length) => {
    const path = await filled();
    change(path, (bytes) => bytes.subarray(0, length));
    await expect(busOn({ path })).rejects.toMatchObject({ code: 'SEDA_STORE_CORRUPTED' });
  });

  it('C12 is refused when it is something else', async () => {
    const path = await filled();
    change(path, (bytes) => Buffer.alloc(bytes.length, 'SQLite format 3'));
    await expect(busOn({ path })).rejects.toMatchObject({ code: 'SEDA_STORE_CORRUPTED' });
  });

  it('is refused when a later release has written it', async () => {
    const path = folder();
    const volume = await opened(lmdbStore({ path }));
    const { seal } = await import('../../../lib/engine/store/checksum.js');
    const key = Buffer.from('\u0001format');
    await volume.write({ keys: [key], values: [seal(key, Buffer.from([0, 0, 0, 0, 2]))], reserved: false }).durable;
    await volume.close();
    await expect(busOn({ path })).rejects.toMatchObject({ code: 'SEDA_STORE_VERSION', found: 2, known: 1 });
    // Nothing of it was touched, and nobody holds it.
    await expect(busOn({ path })).rejects.toMatchObject({ code: 'SEDA_STORE_VERSION' });
  });

  it('is not verified when it was closed in order, and is when it was not', async () => {
    const path = await filled();
    const volume = await opened(lmdbStore({ path }));
    expect(volume.verification).toBeUndefined();
    await volume.close();
    writeFileSync(join(path, 'state'), 'open');
    const next = await opened(lmdbStore({ path }));
    expect(next.verification?.damaged).toEqual([]);
    expect(next.verification?.counts['1000000001']).toBe(5);
    await next.close();
  });
});

describe('The child that verifies', () => {
  it('finds modules as its parent does, and takes no other option of it', () => {
    const options = [
      '--inspect=0',
      '--require',
      './.pnp.cjs',
      '--loader=x.mjs',
      '-e',
      'code',
      '--conditions',
      'dev',
      '-r',
    ];
    expect(loadersIn(options)).toEqual(['--require', './.pnp.cjs', '--loader=x.mjs', '--conditions', 'dev', '-r']);
  });
});

describe('The options of a store on LMDB', () => {
  it.each([
    ['path', ['', 0, null, undefined]],
    ['sync', ['never', 0, null, {}, { intervalMs: 0 }, { intervalMs: Number.NaN }, { intervalMs: '1' }]],
    ['maxSizeBytes', [0, 2 ** 20 - 1, 1.5, Number.POSITIVE_INFINITY, '1', null]],
    ['lockWaitMs', [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', null]],
    ['mapSize', [1]],
  ])('are refused when %s is none', (option, values) => {
    for (const value of values) {
      const error = refusal(() => lmdbStore({ path: 'here', [option]: value } as LmdbStoreOptions));
      expect(error).toMatchObject({ code: 'SEDA_INVALID_OPTION', option: `lmdbStore.${option}`, value });
    }
  });

  it('touch nothing before the store is opened', () => {
    const path = folder();
    lmdbStore({ path });
    expect(existsSync(path)).toBe(false);
  });

  it('say how to install the package when it is missing', async () => {
    const loading = loadLmdb(() => Promise.reject(new Error("Cannot find package 'lmdb'")));
    await expect(loading).rejects.toMatchObject({
      code: 'SEDA_MISSING_PEER',
      message: "lmdbStore() needs the package 'lmdb'. Install it: npm install lmdb",
    });
  });

  it('name a folder that cannot be made', async () => {
    const path = folder();
    writeFileSync(path, 'a file');
    await expect(opened(lmdbStore({ path }))).rejects.toMatchObject({ code: 'SEDA_STORE' });
  });
});
