import { monitorEventLoopDelay } from 'node:perf_hooks';
import { SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { atMost, figure } from '../harness/report.mjs';
import { spread } from '../harness/rounds.mjs';

const RUN_MS = 3_000;
const STAGES = 8;
const WORST_P99_MS = 25;

export async function run({ rounds }) {
  const results = [];
  for (let round = 0; round < rounds; round++) results.push(await saturate());
  return [
    figure('handled', spread(results.map(({ perSecond }) => perSecond)), 'env/s'),
    atMost('event-loop delay p99', WORST_P99_MS, spread(results.map(({ p99 }) => p99)), 'ms'),
    figure('event-loop delay, longest', spread(results.map(({ longest }) => longest)), 'ms'),
  ];
}

/** Every stage has a producer in a loop of `await publish` and a consumer that does nothing: neither ever leaves the microtasks. */
async function saturate() {
  const bus = new SedaBus();
  let handled = 0;
  for (let stage = 0; stage < STAGES; stage++) {
    bus.subscribe(`s${stage}`, () => {
      handled++;
    });
  }
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  const produce = async (stage) => {
    while (performance.now() - started < RUN_MS) await bus.publish(makeEnvelope(`s${stage}`, 0));
  };
  await Promise.all(Array.from({ length: STAGES }, (_, stage) => produce(stage)));
  const seconds = (performance.now() - started) / 1_000;
  delay.disable();
  await bus.shutdown();
  return { perSecond: handled / seconds, p99: delay.percentile(99) / 1e6, longest: delay.max / 1e6 };
}
