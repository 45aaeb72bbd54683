import { loadLmdb, openDatabase } from './peer.js';
import { scanDatabase } from './scan.js';
import { verify } from '../store/verify.js';

/**
 * A process of its own, because a damaged page may be the end of the process that follows it. Says on standard output, in one
 * line of JSON, what it has found.
 */
async function main(path: string): Promise<void> {
  const database = openDatabase(await loadLmdb(), path, { readOnly: true });
  let records = 0;
  const { damaged, counts } = verify({
    scan: (from, to, limit) => {
      const found = scanDatabase(database, from, to, limit, false);
      records += found.length;
      for (let at = 1; at < found.length; at++) {
        const order = Buffer.compare(found[at - 1]?.key as Uint8Array, found[at]?.key as Uint8Array);
        if (order >= 0) throw new Error('its keys are not in order');
      }
      return found;
    },
  });
  const aside = scanDatabase(database, Buffer.of(0x40), Buffer.of(0xff), Number.MAX_SAFE_INTEGER, false).length;
  const { entryCount } = database.getStats() as { entryCount: number };
  if (records + aside !== entryCount)
    throw new Error(`it says that it has ${entryCount} records, and has ${records + aside}`);
  await database.close();
  process.stdout.write(JSON.stringify({ damaged: damaged.map((key) => Buffer.from(key).toString('hex')), counts }));
}

main(process.argv[2] as string).catch((error: unknown) => {
  process.stdout.write(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
});
