import { SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { atLeast, figure, holds } from '../harness/report.mjs';
import { percentile, ratio, spread, takeTurns } from '../harness/rounds.mjs';

/** The benchmark that the seven ports publish: who, how many, and how large the queues are. */
const SHAPES = {
  seq: { producers: 1, stages: 1, concurrency: 1, envelopes: 200_000, capacity: 200_000, floor: 0.5, port: 80 },
  par: { producers: 8, stages: 1, concurrency: 8, envelopes: 200_000, capacity: 200_000, floor: 0.85, port: 80 },
  chan: { producers: 8, stages: 8, concurrency: 1, envelopes: 200_000, capacity: 200_000, floor: 0.85, port: 10 },
  cap1: { producers: 1, stages: 1, concurrency: 1, envelopes: 400_000, capacity: 1_024, floor: 0.5, port: 4.5 },
  cap8: { producers: 8, stages: 1, concurrency: 1, envelopes: 400_000, capacity: 1_024, floor: 0.85, port: 7 },
};

const SHARED = Promise.resolve(true);

export async function run({ rounds }) {
  const rows = [];
  for (const [name, shape] of Object.entries(SHAPES)) rows.push(...(await compare(name, shape, rounds)));
  return rows;
}

async function compare(name, shape, rounds) {
  const latencies = [];
  const check = { whole: true };
  const port = await loadPort();
  const contestants = {
    bus: () => throughBus(SedaBus, makeEnvelope, shape, check, latencies),
    floor: () => throughFloor(shape),
    ...(port && { port: () => throughBus(port.SedaBus, port.makeEnvelope, shape, {}, []) }),
  };
  const measures = await takeTurns(contestants, { rounds });
  return [
    figure(`${name} bus`, spread(measures.bus), 'env/s'),
    figure(`${name} floor`, spread(measures.floor), 'env/s'),
    atLeast(`${name} bus / floor`, shape.floor, ratio(measures.bus, measures.floor)),
    ...(port ? [atLeast(`${name} bus / TypeScript port`, shape.port, ratio(measures.bus, measures.port))] : []),
    figure(`${name} latency p50`, spread([percentile(latencies.at(-1), 0.5)]), 'ms'),
    figure(`${name} latency p99`, spread([percentile(latencies.at(-1), 0.99)]), 'ms'),
    holds(`${name} drained and delivered whole`, check.whole),
  ];
}

async function loadPort() {
  const folder = process.env.SEDA_BUS_TS;
  return folder === undefined ? undefined : import(new URL(`file://${folder}/dist/index.js`));
}

/** Envelopes by stage and by producer, made before the clock starts. */
function makeEnvelopes(make, { producers, stages, envelopes }) {
  const each = envelopes / producers;
  return Array.from({ length: producers }, (_, producer) =>
    Array.from({ length: each }, () => make(`s${producer % stages}`, 0)),
  );
}

async function throughBus(Bus, make, shape, check, latencies) {
  const shares = makeEnvelopes(make, shape);
  const measured = new Float64Array(shape.envelopes);
  let count = 0;
  const bus = new Bus();
  for (let stage = 0; stage < shape.stages; stage++) {
    bus.channel(`s${stage}`, { capacity: shape.capacity, concurrency: shape.concurrency });
    bus.subscribe(`s${stage}`, (envelope) => {
      measured[count++] = performance.now() - envelope.content();
    });
  }
  const produce = async (envelopes) => {
    for (const envelope of envelopes) {
      envelope.addContent(performance.now());
      await bus.publish(envelope);
    }
  };
  const started = performance.now();
  await Promise.all(shares.map(produce));
  const drained = await bus.shutdown({ timeoutMs: 600_000 });
  const seconds = (performance.now() - started) / 1_000;
  check.whole &&= drained && count === shape.envelopes;
  latencies.push(measured);
  return shape.envelopes / seconds;
}

async function throughFloor(shape) {
  const shares = makeEnvelopes(makeEnvelope, shape);
  const measured = new Float64Array(shape.envelopes);
  let count = 0;
  const publish = (envelope) => {
    measured[count++] = performance.now() - envelope.content();
    return SHARED;
  };
  const produce = async (envelopes) => {
    for (const envelope of envelopes) {
      envelope.addContent(performance.now());
      await publish(envelope);
    }
  };
  const started = performance.now();
  await Promise.all(shares.map(produce));
  const seconds = (performance.now() - started) / 1_000;
  if (count !== shape.envelopes) throw new Error('the floor lost envelopes');
  return shape.envelopes / seconds;
}
