// Opens a store that may be damaged, and says what comes out of it, or with which error it was refused.
import { SedaBus, envelopePayload, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';

const [path, mode] = process.argv.slice(2);
const bus = new SedaBus({ store: lmdbStore({ path, lockWaitMs: 5_000 }) });
const seen = [];
bus.channel('orders', { serviceLevel: 'AtLeastOnce', capacity: 100_000, windowSize: 64 });
bus.subscribe('orders', (envelope) => void seen.push(envelopePayload(envelope).n));
if (mode === 'fill') bus.hold('orders');
try {
  await bus.ready();
  if (mode === 'fill') {
    const text = 'x'.repeat(100);
    await Promise.all(Array.from({ length: 600 }, (_, n) => bus.publish(makeEnvelope('orders', { n, text }))));
    // Some pages are free, some records were moved: a database that has lived.
    bus.release('orders');
    while (seen.length < 100) await new Promise((resolve) => setImmediate(resolve));
    bus.hold('orders');
    await new Promise((resolve) => setTimeout(resolve, 50));
  } else {
    await bus.idle();
    // It can still be written, too.
    if (!(await bus.publish(makeEnvelope('orders', { n: 'new' })))) throw new Error('the store takes nothing');
    await bus.idle();
  }
  const { damaged } = bus.totals();
  await bus.shutdown();
  console.log(JSON.stringify({ seen, damaged }));
} catch (error) {
  console.log(JSON.stringify({ error: error.code ?? error.message, message: error.message }));
  bus.shutdownNow();
  await bus.shutdown();
}
