// Writes more than its file may hold, with no look at the room before, and then less. Says what came of it.
import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';

const volume = await lmdbStore({ path: process.argv[2] }).open({ warn: () => undefined, lockWaitMs: 0 });
const keys = Array.from({ length: 200 }, (_, n) => Buffer.from([0x10, n]));
const write = (chosen, bytes) => {
  const { stored, durable } = volume.write({
    keys: chosen,
    values: chosen.map(() => Buffer.alloc(bytes)),
    reserved: true,
  });
  return Promise.allSettled([stored, durable]);
};
const failed = await write(keys, 100_000);
const left = volume.scan(Buffer.alloc(0), Buffer.of(0xff), 10).length;
const written = await write(keys.slice(0, 1), 10);
const after = volume.scan(Buffer.alloc(0), Buffer.of(0xff), 10).length;
await volume.close();
console.log(
  JSON.stringify({
    failed: failed.map(({ reason }) => reason?.code),
    left,
    written: written.map(({ status }) => status),
    after,
  }),
);
