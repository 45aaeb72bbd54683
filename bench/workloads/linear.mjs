import { SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { atMost, figure } from '../harness/report.mjs';
import { ratio, spread, takeTurns } from '../harness/rounds.mjs';

/** Small bursts are repeated until as many envelopes went through as in the largest one: the same garbage, the same warmth. */
const LARGEST = 1_000_000;
const BURSTS = [10_000, 100_000, LARGEST];

export async function run({ rounds }) {
  const contestants = Object.fromEntries(BURSTS.map((size) => [size, () => nanosecondsEach(size)]));
  const measures = await takeTurns(contestants, { rounds });
  return [
    ...BURSTS.map((size) => figure(`burst of ${size.toLocaleString('en-US')}`, spread(measures[size]), 'ns/env')),
    atMost('cost at 1,000,000 / cost at 10,000', 1.5, ratio(measures[LARGEST], measures[BURSTS[0]]), '×'),
  ];
}

async function nanosecondsEach(size) {
  const envelopes = Array.from({ length: LARGEST }, () => makeEnvelope('s', 0));
  let handled = 0;
  const bus = new SedaBus();
  bus.channel('s', { capacity: size });
  bus.subscribe('s', () => {
    handled++;
  });
  const started = performance.now();
  for (let at = 0; at < LARGEST; at += size) {
    for (let next = at; next < at + size; next++) bus.offer(envelopes[next]);
    await bus.idle();
  }
  const nanoseconds = (performance.now() - started) * 1e6;
  await bus.shutdown();
  if (handled !== LARGEST) throw new Error(`${handled} of ${LARGEST} were handled`);
  return nanoseconds / LARGEST;
}
