import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';
import { open } from 'lmdb';
import { atLeast, figure, skipped } from '../harness/report.mjs';
import { ratio, spread, takeTurns } from '../harness/rounds.mjs';

/** How many are in flight at once, how many in all, and what must be reached. */
const SHAPES = [
  { inFlight: 1, envelopes: 3_000 },
  { inFlight: 64, envelopes: 60_000, floor: 0.5, everysec: 2.5, always: 3 },
  { inFlight: 1_024, envelopes: 200_000, floor: 0.5, everysec: 6, always: 8 },
];
/** Redis needs longer for each. */
const FEWER = 10;

const root = mkdtempSync(join(tmpdir(), 'seda-durable-'));
let folders = 0;
const folder = () => join(root, String(folders++));

export async function run({ rounds }) {
  const peers = await startPeers();
  const rows = [];
  for (const shape of SHAPES) rows.push(...(await compare(shape, peers, rounds)));
  for (const { stop } of Object.values(peers.servers)) stop();
  if (peers.why !== undefined) rows.push(skipped('BullMQ', peers.why));
  rmSync(root, { recursive: true, force: true });
  return rows;
}

async function compare({ inFlight, envelopes, floor, ...targets }, { servers, bullmq }, rounds) {
  const contestants = {
    bus: () => throughBus(inFlight, envelopes),
    floor: () => throughFloor(inFlight, envelopes),
    ...Object.fromEntries(
      Object.entries(servers).map(([name, { port }]) => [
        name,
        () => throughBullMQ(bullmq, port, inFlight, Math.ceil(envelopes / FEWER)),
      ]),
    ),
  };
  const measures = await takeTurns(contestants, { rounds });
  const what = `${inFlight} in flight`;
  const against = ratio(measures.bus, measures.floor);
  return [
    figure(`${what}: bus`, spread(measures.bus), 'env/s'),
    figure(`${what}: bare lmdb`, spread(measures.floor), 'env/s'),
    floor === undefined
      ? figure(`${what}: bus / floor`, against, '×')
      : atLeast(`${what}: bus / floor`, floor, against),
    ...Object.keys(servers).flatMap((name) => [
      figure(`${what}: BullMQ, appendfsync ${name}`, spread(measures[name]), 'jobs/s'),
      ...(targets[name] === undefined
        ? []
        : [atLeast(`${what}: bus / BullMQ ${name}`, targets[name], ratio(measures.bus, measures[name]))]),
    ]),
  ];
}

/** So many lanes, each of which starts its next when `step` has answered. */
async function inLanes(lanes, total, step) {
  let next = 0;
  const lane = async () => {
    while (next < total) await step(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Made before the clock starts, as in the benchmark of the ports; their ids, too, which are drawn when they are asked for. */
function makeEnvelopes(count) {
  const made = Array.from({ length: count }, (_, n) => makeEnvelope('s', n));
  for (const { id } of made) if (id === '') throw new Error('an envelope without an id');
  return made;
}

async function throughBus(inFlight, envelopes) {
  const path = folder();
  const bus = new SedaBus({ store: lmdbStore({ path }) });
  let seen = 0;
  bus
    .channel('s', { serviceLevel: 'AtLeastOnce', capacity: 2 * envelopes, concurrency: inFlight })
    .subscribe('s', () => void seen++);
  await bus.ready();
  const made = makeEnvelopes(envelopes);
  const started = performance.now();
  await inLanes(inFlight, envelopes, (n) => bus.publish(made[n]));
  await bus.idle();
  const last = await bus.publishAndWait(makeEnvelope('s', 'last'));
  const seconds = (performance.now() - started) / 1_000;
  if (seen !== envelopes + 1 || last.status !== 'completed') throw new Error(`the bus delivered ${seen}`);
  await bus.shutdown();
  rmSync(path, { recursive: true, force: true });
  return envelopes / seconds;
}

async function throughFloor(inFlight, envelopes) {
  const path = folder();
  const database = open({ path, encoding: 'binary', keyEncoding: 'binary', cache: false, mapSize: 2 ** 30 });
  const made = makeEnvelopes(envelopes);
  const started = performance.now();
  await inLanes(inFlight, envelopes, async (n) => {
    const key = Buffer.allocUnsafe(8);
    key.writeDoubleBE(n);
    void database.put(key, Buffer.from(JSON.stringify({ id: made[n].id, payload: made[n].content() })));
    await database.flushed;
    void database.remove(key);
  });
  await database.flushed;
  const seconds = (performance.now() - started) / 1_000;
  await database.close();
  rmSync(path, { recursive: true, force: true });
  return envelopes / seconds;
}

async function throughBullMQ({ Queue, Worker, Redis }, port, inFlight, jobs) {
  const clients = [0, 1].map(() => new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null }));
  const [adding, working] = clients;
  const name = `s${folders++}`;
  const queue = new Queue(name, { connection: adding, defaultJobOptions: { removeOnComplete: true } });
  let left = jobs;
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  const worker = new Worker(name, async () => undefined, { connection: working, concurrency: inFlight });
  worker.on('completed', () => --left === 0 && finish());
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  const started = performance.now();
  await inLanes(inFlight, jobs, (n) => queue.add('job', n));
  await finished;
  const seconds = (performance.now() - started) / 1_000;
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  for (const client of clients) client.disconnect();
  return jobs / seconds;
}

/** A Redis for each way to flush, where there is one. */
async function startPeers() {
  const [bullmq, redis] = await Promise.all([import('bullmq'), import('ioredis')]).catch(() => []);
  if (bullmq === undefined) return { servers: {}, why: 'bullmq or ioredis is not installed' };
  const servers = {};
  for (const fsync of ['everysec', 'always']) {
    const server = await startRedis(fsync);
    if (server === undefined) return { servers: {}, why: 'redis-server is not on the path' };
    servers[fsync] = server;
  }
  return { servers, bullmq: { ...bullmq, Redis: redis.Redis } };
}

async function startRedis(fsync) {
  const port = await freePort();
  const path = mkdtempSync(join(root, 'redis-'));
  const options = ['--port', port, '--dir', path, '--appendonly', 'yes', '--appendfsync', fsync, '--save', ''];
  const server = spawn('redis-server', options.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.once('exit', () => resolve(false));
    server.stdout.on('data', (text) => String(text).includes('Ready to accept connections') && resolve(true));
  });
  const stop = () => server.kill();
  // Whatever ends this process, nothing of it stays.
  process.once('exit', stop);
  return ready ? { port, stop } : undefined;
}

function freePort() {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    }),
  );
}
