import { SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { atLeast, atMost, figure, holds } from '../harness/report.mjs';
import { percentile, spread } from '../harness/rounds.mjs';

const TICK_MS = 20;
const RUN_MS = 4_000;
const CALIBRATION = 400_000;
/** Shares of the measured ceiling, and what of them must be achieved. */
const LOADS = [
  { load: 0.5, achieved: 0.98 },
  { load: 1.0, achieved: 0.95 },
  { load: 1.5, achieved: 0.66 },
];
const WORST_P99_MS = 5;
/** Envelopes are used again long after they were handled: millions of them would measure the garbage collector. */
const POOL = 65_536;

export async function run() {
  const rows = [];
  for (const producers of [1, 8]) rows.push(...(await sweep(`cap${producers}`, producers)));
  return rows;
}

async function sweep(name, producers) {
  await ceiling(producers);
  const perSecond = await ceiling(producers);
  const rows = [figure(`${name} ceiling`, spread([perSecond]), 'env/s')];
  for (const { load, achieved } of LOADS) {
    const result = await paced(producers, perSecond * load);
    rows.push(atLeast(`${name} at ${load}: achieved / offered`, achieved, spread([result.achieved])));
    rows.push(holds(`${name} at ${load}: drained whole`, result.whole));
    const p99 = spread([result.p99]);
    rows.push(
      load === 0.5
        ? atMost(`${name} at ${load}: p99`, WORST_P99_MS, p99, 'ms')
        : figure(`${name} at ${load}: p99`, p99, 'ms'),
    );
  }
  return rows;
}

function makeStage() {
  const bus = new SedaBus();
  const latencies = [];
  bus.channel('s', { capacity: 1_024 });
  bus.subscribe('s', (envelope) => {
    latencies.push(performance.now() - envelope.content());
  });
  return { bus, latencies };
}

async function ceiling(producers) {
  const { bus, latencies } = makeStage();
  const shares = Array.from({ length: producers }, () => envelopes(POOL / producers));
  const started = performance.now();
  await Promise.all(shares.map((share) => produce(bus, share, CALIBRATION / producers)));
  await bus.shutdown();
  return latencies.length / ((performance.now() - started) / 1_000);
}

/** Every tick each producer hands over its share of the load; a tick that comes late hands over what is due by then. */
async function paced(producers, perSecond) {
  const { bus, latencies } = makeStage();
  const total = Math.floor((perSecond * RUN_MS) / 1_000);
  const each = Math.floor(total / producers);
  const shares = Array.from({ length: producers }, () => envelopes(POOL / producers));
  const started = performance.now();
  const pace = async (share) => {
    for (let sent = 0; sent < each;) {
      const due = Math.min(each, Math.ceil((each * (performance.now() - started + TICK_MS)) / RUN_MS));
      await produce(bus, share, due, sent);
      sent = due;
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  };
  await Promise.all(shares.map(pace));
  const drained = await bus.shutdown();
  const seconds = Math.max(performance.now() - started, RUN_MS) / 1_000;
  return {
    achieved: latencies.length / seconds / perSecond,
    p99: percentile(latencies, 0.99),
    whole: drained && latencies.length === each * producers,
  };
}

async function produce(bus, share, to, from = 0) {
  for (let at = from; at < to; at++) {
    const envelope = share[at % share.length];
    envelope.addContent(performance.now());
    await bus.publish(envelope);
  }
}

function envelopes(count) {
  return Array.from({ length: count }, () => makeEnvelope('s', 0));
}
