/**
 * Prints, as JSON, how many bytes the built engine allocates for each envelope that is published and handled, and how many
 * leases and attempts there are while the bus is at rest. Needs `--expose-gc` and a young generation that is large enough
 * for no collection to come in between.
 */
import v8 from 'node:v8';
import { RunningAttempt } from '../../dist/engine/delivery/attempt.js';
import { SedaBus, makeEnvelope } from '../../dist/engine/index.js';
import { Lease } from '../../dist/engine/queue/lease.js';

const ENVELOPES = 20_000;
/** Until V8 has optimised all of it. */
const WARM_UP_RUNS = 30;

const envelopes = Array.from({ length: ENVELOPES }, (_, n) => makeEnvelope('a', n));
const bus = new SedaBus();
bus.channel('a', { capacity: ENVELOPES }).subscribe('a', () => undefined);

for (let run = 0; run < WARM_UP_RUNS; run++) await publishAll();
globalThis.gc();
const before = process.memoryUsage().heapUsed;
await publishAll();
const bytes = (process.memoryUsage().heapUsed - before) / ENVELOPES;
const count = (made) => v8.queryObjects(made, { format: 'count' });
// The prototypes of their subclasses are some, too.
const leases = count(Lease) - 1;
const attempts = count(RunningAttempt) - 1;
console.log(JSON.stringify({ bytes, leases, attempts, state: bus.state }));

async function publishAll() {
  for (const envelope of envelopes) await bus.publish(envelope);
  await bus.idle();
}
