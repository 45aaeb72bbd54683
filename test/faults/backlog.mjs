// Queues a million durable envelopes, ends in order, starts again, and replays them: memory stays bounded, the start is quick,
// the order is kept.
//
//     npm run backlog -- --envelopes 1000000
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MOST_GROWTH_MB = 200;
const MOST_START_MS = 2_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { envelopes: { type: 'string', default: '1000000' } },
});
const envelopes = Number(values.envelopes);
const [role, path] = positionals;
if (role === undefined) run();
else await live();

function run() {
  const folder = mkdtempSync(join(tmpdir(), 'seda-backlog-'));
  const one = (name) => {
    const { stdout, status, stderr } = spawnSync(
      process.execPath,
      ['--expose-gc', fileURLToPath(import.meta.url), name, folder, '--envelopes', String(envelopes)],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const filled = one('fill');
  const size = statSync(join(folder, 'data.mdb')).size;
  const replayed = one('replay');
  rmSync(folder, { recursive: true, force: true });
  console.log(`${envelopes} envelopes, ${Math.round(size / 2 ** 20)} MiB on disk`);
  console.log(`queued: ${filled.perSecond} a second, memory grew by ${filled.growthMb} MB at most`);
  console.log(`start after a clean end: ${replayed.startMs} ms`);
  console.log(`replayed: ${replayed.perSecond} a second, memory grew by ${replayed.growthMb} MB at most`);
  const faults = [
    [filled.growthMb > MOST_GROWTH_MB, 'memory grew with the backlog'],
    [replayed.growthMb > MOST_GROWTH_MB, 'memory grew with the replay'],
    [replayed.startMs > MOST_START_MS, 'the start was slow'],
    [replayed.outOfOrder !== 0, `${replayed.outOfOrder} out of order`],
    [replayed.seen !== envelopes, `${replayed.seen} delivered`],
  ].flatMap(([wrong, what]) => (wrong ? [what] : []));
  console.log(faults.length === 0 ? 'bounded, quick and in order' : faults.join('; '));
  process.exitCode = faults.length === 0 ? 0 : 1;
}

async function live() {
  const { SedaBus, envelopePayload, makeEnvelope } = await import('@resolvingarchitecture/nestjs-seda-bus/engine');
  const { lmdbStore } = await import('@resolvingarchitecture/nestjs-seda-bus/lmdb');
  // Pages of the file that are mapped are the kernel's to take back: they are not counted where it says which they are.
  const anonymous = () => {
    if (!existsSync('/proc/self/status')) return process.memoryUsage().rss / 2 ** 20;
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1_024;
  };
  const start = performance.now();
  const bus = new SedaBus({ store: lmdbStore({ path }) });
  let [seen, outOfOrder, last, most] = [0, 0, -1, 0];
  bus.channel('backlog', { serviceLevel: 'AtLeastOnce', capacity: 2 * envelopes, concurrency: 1_024 });
  bus.hold('backlog');
  bus.subscribe('backlog', (envelope) => {
    const n = envelopePayload(envelope);
    if (n !== last + 1) outOfOrder++;
    last = n;
    if (++seen % 10_000 === 0) most = Math.max(most, anonymous());
  });
  await bus.ready();
  const startMs = Math.round(performance.now() - start);
  globalThis.gc?.();
  const before = anonymous();
  const started = performance.now();
  if (role === 'fill') {
    for (let n = 0; n < envelopes;) {
      const batch = [];
      for (let more = 0; more < 2_000 && n < envelopes; more++) batch.push(bus.publish(makeEnvelope('backlog', n++)));
      await Promise.all(batch);
      if (n % 20_000 === 0) most = Math.max(most, anonymous());
    }
  } else {
    bus.release('backlog');
    await bus.idle();
  }
  const perSecond = Math.round(envelopes / ((performance.now() - started) / 1_000));
  await bus.shutdown();
  console.log(JSON.stringify({ startMs, seen, outOfOrder, perSecond, growthMb: Math.round(most - before) }));
}
