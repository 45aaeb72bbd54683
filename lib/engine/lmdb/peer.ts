import type * as Lmdb from 'lmdb';
import { MissingPeerError } from '../store/errors.js';

/** What is used of a database: bytes to bytes. */
export type Database = Lmdb.RootDatabase<Buffer, Buffer>;

/**
 * The optional peer, loaded when the first store is opened.
 * @throws MissingPeerError (as a rejection)
 */
export async function loadLmdb(load: () => Promise<typeof Lmdb> = () => import('lmdb')): Promise<typeof Lmdb> {
  try {
    return await load();
  } catch (error) {
    throw new MissingPeerError('lmdb', 'lmdbStore()', error);
  }
}

/** Opens the database in a folder: raw bytes, no cache of values, and a map that is as large as it will ever be. */
export function openDatabase(
  { open }: typeof Lmdb,
  path: string,
  options: Pick<Lmdb.RootDatabaseOptionsWithPath, 'mapSize' | 'readOnly' | 'noSync' | 'overlappingSync'>,
): Database {
  return open<Buffer, Buffer>({ path, encoding: 'binary', keyEncoding: 'binary', cache: false, ...options });
}
