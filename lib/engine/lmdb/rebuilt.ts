import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The folder in a store's folder where a database is written anew. */
export const REBUILT = 'rebuilt';

/** What was written anew takes the place of what it was read from. */
export function putRebuiltInPlace(folder: string): void {
  renameSync(join(folder, REBUILT, 'data.mdb'), join(folder, 'data.mdb'));
  // Of readers of the old one, and nobody reads it any more.
  rmSync(join(folder, 'lock.mdb'), { force: true });
  rmSync(join(folder, REBUILT), { recursive: true, force: true });
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
