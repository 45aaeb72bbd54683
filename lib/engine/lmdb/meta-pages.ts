import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StoreCorruptedError } from '../store/errors.js';

/** As `lmdb` writes them: a page's header, then what `MDB_meta` has. */
const AT_MAGIC = 24;
const AT_VERSION = 28;
const AT_PAGE_SIZE = 48;
const AT_LAST_PAGE = 144;
const AT_TRANSACTION = 152;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;
const KNOWN_VERSION = 2;
const SMALLEST_PAGE = 256;
const LARGEST_PAGE = 65_536;

/** One of the two pages that say where everything is. */
interface MetaPage {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: bigint;
}

/**
 * Looks at the two pages that a database begins with, before anybody maps it: whoever follows a page number beyond the
 * file's end is killed by the kernel.
 * @throws StoreCorruptedError
 */
export function checkMetaPages(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const first = readMeta(descriptor, file, 0);
    const second = readMeta(descriptor, file, first.pageSize);
    // The younger one counts, and after an unclean end the older one may.
    for (const { pageSize, lastPage, transaction } of [first, second]) {
      const needed = (lastPage + 1) * pageSize;
      if (pageSize === first.pageSize && needed <= size) continue;
      const detail = `transaction ${transaction} needs ${needed} bytes, and there are ${size}`;
      throw new StoreCorruptedError(file, detail, size);
    }
  } finally {
    closeSync(descriptor);
  }
}

function readMeta(descriptor: number, file: string, offset: number): MetaPage {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(descriptor, bytes, 0, META_BYTES, offset) < META_BYTES)
    throw new StoreCorruptedError(file, 'it ends within its meta pages', offset);
  if (bytes.readUInt32LE(AT_MAGIC) !== MAGIC) throw new StoreCorruptedError(file, 'it is no LMDB database', offset);
  const version = bytes.readUInt32LE(AT_VERSION);
  if (version !== KNOWN_VERSION)
    throw new StoreCorruptedError(file, `its data version is ${version}, not ${KNOWN_VERSION}`, offset + AT_VERSION);
  const pageSize = bytes.readUInt32LE(AT_PAGE_SIZE);
  if (pageSize < SMALLEST_PAGE || pageSize > LARGEST_PAGE || (pageSize & (pageSize - 1)) !== 0)
    throw new StoreCorruptedError(file, `a page of ${pageSize} bytes`, offset + AT_PAGE_SIZE);
  return {
    pageSize,
    lastPage: Number(bytes.readBigUInt64LE(AT_LAST_PAGE)),
    transaction: bytes.readBigUInt64LE(AT_TRANSACTION),
  };
}
