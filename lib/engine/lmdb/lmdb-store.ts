import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InvalidOptionError } from '../errors.js';
import { StoreError } from '../store/errors.js';
import type { StoreDescription, Sync, Volume, VolumeContext } from '../store/volume.js';
import { LmdbVolume } from './lmdb-volume.js';
import { LockFile } from './lock-file.js';
import { checkMetaPages } from './meta-pages.js';
import { loadLmdb, openDatabase } from './peer.js';
import { putRebuiltInPlace } from './rebuilt.js';
import { Slack } from './slack.js';
import { StateFile } from './state-file.js';
import { verifyInChild } from './verification.js';

const DEFAULT_SIZE = 4 * 2 ** 30;
const SMALLEST_SIZE = 2 ** 20;
/** What a full store still needs to finish what it has: pages are copied before they are freed. */
const RESERVE = 64 * 2 ** 20;

/** Where a store is, and how it is kept. */
export interface LmdbStoreOptions {
  /** A folder of its own, on a local disk; made with mode 0700 when it is missing, its files with 0600. */
  readonly path: string;
  /** What a publish waits for; see `StoreDescription`. @default 'always' */
  readonly sync?: Sync;
  /**
   * What may be in use, in bytes; beyond it the store is full. The file may be half as large again, and 64 MiB. While the
   * store is open it is at least 4 MiB larger than what is in use, so that a full disk stops no work that was accepted.
   * Integer ≥ 1 MiB. @default 4 GiB
   */
  readonly maxSizeBytes?: number;
  /**
   * Milliseconds to wait for another process that holds the store. Finite, ≥ 0.
   * @default 0; 10000 in the Nest module, where at a reload the old process is still ending
   */
  readonly lockWaitMs?: number;
}

/**
 * A store embedded in the process, on LMDB. Nothing is touched before the bus opens it. One process at a time has it.
 *
 * After an end that was not orderly, a child process reads all of it first; see `docs/store-format.md`.
 * @throws InvalidOptionError
 */
export function lmdbStore(options: LmdbStoreOptions): StoreDescription {
  const { path, sync = 'always', maxSizeBytes = DEFAULT_SIZE, lockWaitMs } = checked(options);
  const folder = resolve(path);
  return Object.freeze({
    name: folder,
    sync,
    open: (context: VolumeContext) => openVolume(folder, maxSizeBytes, lockWaitMs ?? context.lockWaitMs),
  });
}

async function openVolume(folder: string, maxSizeBytes: number, lockWaitMs: number): Promise<Volume> {
  const lmdb = await loadLmdb();
  const file = join(folder, 'data.mdb');
  makeFolder(folder);
  const lock = new LockFile(join(folder, 'owner.json'), folder);
  await lock.acquire(lockWaitMs);
  try {
    makePrivate(folder);
    const state = new StateFile(join(folder, 'state'), file);
    const { past } = state;
    if (past !== 'new') checkMetaPages(file);
    const verification = past === 'unknown' ? await verifyInChild(folder, file, statSync(file).size) : undefined;
    if (verification !== undefined) {
      putRebuiltInPlace(folder);
      makePrivate(folder);
    }
    const mapSize = Math.ceil((maxSizeBytes * 1.5 + RESERVE) / 65_536) * 65_536;
    const database = openDatabase(lmdb, folder, { mapSize });
    state.markOpen();
    return new LmdbVolume(database, folder, maxSizeBytes, new Slack(file), lock, state, verification);
  } catch (error) {
    lock.release();
    if (error instanceof StoreError) throw error;
    throw new StoreError(`The store ${folder} cannot be opened.`, error);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreError(`The store's folder ${folder} cannot be made.`, error);
  }
}

/** The files exist before LMDB makes them for all to read. */
function makePrivate(folder: string): void {
  for (const name of ['data.mdb', 'lock.mdb']) {
    const path = join(folder, name);
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  }
}

function checked(options: LmdbStoreOptions): LmdbStoreOptions {
  if (typeof options !== 'object' || options === null) throw new InvalidOptionError('lmdbStore', 'an object', options);
  const { path, sync, maxSizeBytes, lockWaitMs, ...unknown } = options;
  const [other] = Object.keys(unknown);
  if (other !== undefined)
    refuse(other, 'one of path, sync, maxSizeBytes, lockWaitMs', (unknown as Record<string, unknown>)[other]);
  if (typeof path !== 'string' || path === '') refuse('path', 'a text that is not empty', path);
  if (sync !== undefined && sync !== 'always' && !isInterval(sync))
    refuse('sync', "'always' or { intervalMs } with a finite number > 0", sync);
  if (maxSizeBytes !== undefined && !(Number.isSafeInteger(maxSizeBytes) && maxSizeBytes >= SMALLEST_SIZE))
    refuse('maxSizeBytes', `an integer ≥ ${SMALLEST_SIZE}`, maxSizeBytes);
  if (lockWaitMs !== undefined && !(isFinite(lockWaitMs) && lockWaitMs >= 0))
    refuse('lockWaitMs', 'a finite number of milliseconds ≥ 0', lockWaitMs);
  return options;
}

function refuse(option: string, rule: string, value: unknown): never {
  throw new InvalidOptionError(`lmdbStore.${option}`, rule, value);
}

function isInterval(sync: unknown): boolean {
  const intervalMs = (sync as { intervalMs?: unknown } | null)?.intervalMs;
  return isFinite(intervalMs) && intervalMs > 0;
}

function isFinite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
