import { collectGarbage } from '../harness/rounds.mjs';

/**
 * The work of `ports` through one bus. Load it once for each bus, with a query of its own: what V8 learns here of one bus
 * would slow down the other.
 */

/** An application has its bus for as long as it runs: what V8 has learnt of it is not collected between two rounds. */
const kept = [];

/** Envelopes by producer, each producer's for one stage. */
export function makeEnvelopes(make, { producers, stages, envelopes }) {
  const each = envelopes / producers;
  return Array.from({ length: producers }, (_, producer) =>
    Array.from({ length: each }, () => make(`s${producer % stages}`, 0)),
  );
}

/** Envelopes are made, and what was needed for it is collected, before the clock starts; it stops when all is drained. */
export async function throughBus(Bus, make, shape) {
  const shares = makeEnvelopes(make, shape);
  const latencies = new Float64Array(shape.envelopes);
  let count = 0;
  const bus = new Bus();
  kept.push(bus);
  for (let stage = 0; stage < shape.stages; stage++) {
    bus.channel(`s${stage}`, { capacity: shape.capacity, concurrency: shape.concurrency });
    bus.subscribe(`s${stage}`, (envelope) => {
      latencies[count++] = performance.now() - envelope.content();
    });
  }
  const produce = async (envelopes) => {
    for (const envelope of envelopes) {
      envelope.addContent(performance.now());
      await bus.publish(envelope);
    }
  };
  collectGarbage();
  const started = performance.now();
  await Promise.all(shares.map(produce));
  const drained = await bus.shutdown({ timeoutMs: 600_000 });
  const seconds = (performance.now() - started) / 1_000;
  return { perSecond: shape.envelopes / seconds, whole: drained && count === shape.envelopes, latencies };
}
