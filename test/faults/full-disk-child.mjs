// Fills a store until it takes no more, finishes what it has taken, and publishes again. Says what came of it.
import { SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';

const bus = new SedaBus({ store: lmdbStore({ path: process.argv[2] }) });
const warnings = [];
bus.on('warning', ({ code }) => warnings.push(code));
bus.channel('bulk', { serviceLevel: 'AtLeastOnce', capacity: 1_000_000, backpressure: 'reject', concurrency: 16 });
bus.hold('bulk');
await bus.ready();
const text = 'x'.repeat(20_000);
let accepted = 0;
while (accepted < 5_000 && (await bus.publish(makeEnvelope('bulk', text)))) accepted++;
const full = bus.storeFull;
let delivered = 0;
bus.subscribe('bulk', () => void delivered++);
bus.release('bulk');
await bus.idle();
while (bus.storeFull) await new Promise((resolve) => setTimeout(resolve, 20));
const again = await bus.publish(makeEnvelope('bulk', text));
await bus.idle();
const drained = await bus.shutdown();
console.log(JSON.stringify({ accepted, full, delivered, again, drained, warnings }));
