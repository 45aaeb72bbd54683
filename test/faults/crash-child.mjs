// One life of a process with a durable bus, which says on standard output what it did, at once, until it is killed.
//
//     P <stage> <n>            all up to this one are being published
//     A <stage> <n>            a publish was accepted
//     S <stage> <n> <attempt>  an attempt has started
//     D <stage> <n>            its end is durable
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Envelope, SedaBus } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';

const [path, first, mode] = process.argv.slice(2);
const publishes = mode === 'publish';
const say = (...words) => writeSync(1, `${words.join(' ')}\n`);

const bus = new SedaBus({ store: lmdbStore({ path, lockWaitMs: 5_000 }) });
const declare = (stage, serviceLevel) => {
  bus.channel(stage, { serviceLevel, maxAttempts: 1_000_000, capacity: 100_000, windowSize: 16 });
  bus.subscribe(stage, async (envelope, { number }) => {
    say('S', stage, envelope.id.slice(stage.length), number);
    // Some attempts are under way for a while, others are not.
    if (Math.random() < 0.3) await delay(Math.random() * 2);
  });
};
declare('orders', 'AtLeastOnce');
declare('once', 'ExactlyOnce');
bus.channel('last', { serviceLevel: 'AtLeastOnce', maxAttempts: 1_000_000, capacity: 100_000 });
bus.subscribe('last', (envelope, { number }) => say('S', 'last', envelope.id.slice('orders'.length), number));
bus.on('warning', ({ code, message }) => say('W', code, message));
await bus.ready();
say('R');

const publish = async (stage, n) => {
  const envelope = Envelope.documentWithId(`${stage}${n}`);
  if (stage === 'orders') envelope.addRoute('last', 'RECEIVE');
  envelope.addRoute(stage, 'RECEIVE');
  envelope.ratchet();
  const onSettled = ({ status, reason }) => reason === 'duplicate' || status === 'kept' || say('D', stage, n);
  if (await bus.publish(envelope, { onSettled })) say('A', stage, n);
};

if (publishes) {
  // What was said to be accepted shortly before, and what was not: a publisher that has not heard tries again.
  for (let n = Math.max(0, first - 40); n < first; n++) await publish('once', n);
  for (let n = Number(first); ; n += 4) {
    const batch = [0, 1, 2, 3].map((more) => n + more);
    say('P', 'orders', batch.at(-1));
    await Promise.all(batch.flatMap((each) => [publish('orders', each), publish('once', each)]));
  }
} else {
  await bus.idle();
  await bus.shutdown();
  say('E');
}
