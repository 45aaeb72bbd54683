import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Space } from '../store/keys.js';
import { verify } from '../store/verify.js';
import type { VolumeEntry } from '../store/volume.js';
import { type Database, loadLmdb, openDatabase } from './peer.js';
import { REBUILT } from './rebuilt.js';
import { scanDatabase } from './scan.js';

/** What pages take besides records, at most; the rest of the map is never used. */
const ROOM = 64 * 2 ** 20;

/** Reads every record, in the order of the keys or not at all, and puts it into another database. */
class Copy {
  private records = 0;

  constructor(
    private readonly from: Database,
    private readonly to: Database,
  ) {}

  scan(first: Uint8Array, end: Uint8Array, limit: number): VolumeEntry[] {
    const found = scanDatabase(this.from, first, end, limit, false);
    this.to.transactionSync(() => {
      for (const [at, { key, value }] of found.entries()) {
        const before = found[at - 1]?.key;
        if (before !== undefined && Buffer.compare(before, key) >= 0) throw new Error('its keys are not in order');
        this.to.putSync(key as Buffer, value as Buffer);
      }
    });
    this.records += found.length;
    return found;
  }

  requireAll(): void {
    const { entryCount } = this.from.getStats() as { entryCount: number };
    if (this.records !== entryCount)
      throw new Error(`it says that it has ${entryCount} records, and has ${this.records}`);
  }
}

/**
 * A process of its own, because a damaged page may be the end of the process that follows it. What is read is written anew:
 * a page whose records can be read may still be one that cannot be written to. Says on standard output, in one line of JSON,
 * what it has found.
 */
async function main(path: string): Promise<void> {
  const lmdb = await loadLmdb();
  const folder = join(path, REBUILT);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  closeSync(openSync(join(folder, 'data.mdb'), 'a', 0o600));
  const { size } = statSync(join(path, 'data.mdb'));
  const from = openDatabase(lmdb, path, { readOnly: true });
  const to = openDatabase(lmdb, folder, { mapSize: 2 * size + ROOM, noSync: true, overlappingSync: false });
  const copy = new Copy(from, to);
  const { damaged, counts } = verify(copy);
  copy.scan(Buffer.of(Space.Damaged), Buffer.of(0xff), Number.MAX_SAFE_INTEGER);
  copy.requireAll();
  await from.close();
  await to.close();
  const descriptor = openSync(join(folder, 'data.mdb'), 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
  process.stdout.write(JSON.stringify({ damaged: damaged.map((key) => Buffer.from(key).toString('hex')), counts }));
}

main(process.argv[2] as string).catch((error: unknown) => {
  process.stdout.write(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
});
