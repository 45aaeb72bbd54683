import { SedaError } from '../errors.js';

/** The store could not do what it was asked; the `cause` says why. The base of the store's other errors. */
export class StoreError extends SedaError {
  override readonly name: string = 'StoreError';

  constructor(message: string, cause?: unknown, code = 'SEDA_STORE') {
    super(code, message, cause);
  }
}

/** The disk, or the most that the store may take of it, is used up. It goes on when there is room. */
export class StoreFullError extends StoreError {
  override readonly name = 'StoreFullError';

  constructor(store: string, cause?: unknown) {
    super(`The store ${store} has no room for more.`, cause, 'SEDA_STORE_FULL');
  }
}

/** Another process, or another bus of this one, holds the store. */
export class StoreLockedError extends StoreError {
  override readonly name = 'StoreLockedError';

  constructor(
    store: string,
    /** Who holds it. */
    readonly pid: number,
    readonly since: string,
    waitedMs: number,
  ) {
    const waited = waitedMs > 0 ? ` and did not let go within ${waitedMs} ms` : '';
    super(`The store ${store} is held by process ${pid} since ${since}${waited}.`, undefined, 'SEDA_STORE_LOCKED');
  }
}

/** The store's bytes cannot be trusted, and nothing of it was touched. */
export class StoreCorruptedError extends StoreError {
  override readonly name = 'StoreCorruptedError';

  constructor(
    readonly file: string,
    /** What is wrong there. */
    readonly detail: string,
    /** The place in the file, in bytes, where one is known. */
    readonly offset?: number,
    cause?: unknown,
  ) {
    super(
      `The store's file ${file} is damaged${offset === undefined ? '' : ` at byte ${offset}`}: ${detail}.`,
      cause,
      'SEDA_STORE_CORRUPTED',
    );
  }
}

/** The store was written by a later release, in a format that this one does not know. */
export class StoreVersionError extends StoreError {
  override readonly name = 'StoreVersionError';

  constructor(
    store: string,
    readonly found: number,
    readonly known: number,
  ) {
    super(
      `The store ${store} has format version ${found}; this release knows up to ${known}.`,
      undefined,
      'SEDA_STORE_VERSION',
    );
  }
}

/** An optional peer that is not installed. */
export class MissingPeerError extends SedaError {
  override readonly name = 'MissingPeerError';

  constructor(
    readonly peer: string,
    neededBy: string,
    cause?: unknown,
  ) {
    super('SEDA_MISSING_PEER', `${neededBy} needs the package '${peer}'. Install it: npm install ${peer}`, cause);
  }
}
