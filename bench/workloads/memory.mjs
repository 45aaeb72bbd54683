import { SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { atMost, figure, holds } from '../harness/report.mjs';
import { spread } from '../harness/rounds.mjs';

const ENVELOPES = 1_000_000;
const MOST_BYTES = 64;
/** What may be left of a million: less than a byte for each. */
const LEFT_OVER = ENVELOPES;

export async function run({ rounds }) {
  const results = [];
  for (let round = 0; round < rounds; round++) results.push(await fillAndDrain());
  return [
    atMost('bytes per queued envelope, above the envelope', MOST_BYTES, spread(results.map(({ each }) => each)), 'B'),
    figure('left after draining', spread(results.map(({ left }) => left)), 'B'),
    holds(
      'back to the start after draining',
      results.every(({ left }) => left < LEFT_OVER),
    ),
  ];
}

async function fillAndDrain() {
  const bus = new SedaBus();
  let handled = 0;
  bus.channel('s', { capacity: ENVELOPES });
  bus.subscribe('s', () => {
    handled++;
  });
  bus.hold();
  const envelopes = Array.from({ length: ENVELOPES }, () => makeEnvelope('s', 0));
  // The first look at an envelope's route makes it: that belongs to the envelope.
  for (const envelope of envelopes) envelope.getRoute();
  const before = used();
  for (const envelope of envelopes) bus.offer(envelope);
  const each = (used() - before) / ENVELOPES;
  bus.release();
  await bus.idle();
  const left = used() - before;
  await bus.shutdown();
  if (handled !== ENVELOPES || envelopes.length !== ENVELOPES) throw new Error(`${handled} were handled`);
  return { each, left };
}

function used() {
  for (let pass = 0; pass < 3; pass++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
