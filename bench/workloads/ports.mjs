import { SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { atLeast, figure, holds } from '../harness/report.mjs';
import { collectGarbage, percentile, ratio, spread, takeTurns } from '../harness/rounds.mjs';
import { BareBus } from '../support/bare-bus.mjs';
import { makeEnvelopes, throughBus } from '../support/producers.mjs';
import { throughBus as throughBareBus } from '../support/producers.mjs?bare';
import { throughBus as throughPort } from '../support/producers.mjs?port';

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
  let latencies;
  let whole = true;
  const port = await loadPort();
  const contestants = {
    bus: async () => {
      const run = await throughBus(SedaBus, makeEnvelope, shape);
      whole &&= run.whole;
      ({ latencies } = run);
      return run.perSecond;
    },
    floor: () => throughFloor(shape),
    bare: async () => (await throughBareBus(BareBus, makeEnvelope, shape)).perSecond,
    ...(port && { port: async () => (await throughPort(port.SedaBus, port.makeEnvelope, shape)).perSecond }),
  };
  const measures = await takeTurns(contestants, { rounds });
  return [
    figure(`${name} bus`, spread(measures.bus), 'env/s'),
    figure(`${name} floor`, spread(measures.floor), 'env/s'),
    atLeast(`${name} bus / floor`, shape.floor, ratio(measures.bus, measures.floor)),
    figure(`${name} bare queue / floor`, ratio(measures.bare, measures.floor), '×'),
    ...(port ? [atLeast(`${name} bus / TypeScript port`, shape.port, ratio(measures.bus, measures.port))] : []),
    figure(`${name} latency p50`, spread([percentile(latencies, 0.5)]), 'ms'),
    figure(`${name} latency p99`, spread([percentile(latencies, 0.99)]), 'ms'),
    holds(`${name} drained and delivered whole`, whole),
  ];
}

async function loadPort() {
  const folder = process.env.SEDA_BUS_TS;
  return folder === undefined ? undefined : import(new URL(`file://${folder}/dist/index.js`));
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
  collectGarbage();
  const started = performance.now();
  await Promise.all(shares.map(produce));
  const seconds = (performance.now() - started) / 1_000;
  if (count !== shape.envelopes) throw new Error('the floor lost envelopes');
  return shape.envelopes / seconds;
}
