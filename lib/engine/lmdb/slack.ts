import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';

/** How much larger the file is than what is in use, at least. */
const LEAST = 4 * 2 ** 20;
const STEP = 4 * 2 ** 20;
const ZEROS = new Uint8Array(2 ** 20);

/**
 * Room on the disk that is the database's before it needs it. On a full disk even a removal needs pages, since none is changed
 * in its place: what is finished is written into this, and nothing new is accepted without it.
 *
 * It only ever writes behind the end of the file, where the database has never been.
 */
export class Slack {
  private readonly descriptor: number;
  private size: number;

  constructor(file: string) {
    this.descriptor = openSync(file, 'r+');
    this.size = fstatSync(this.descriptor).size;
  }

  /** Whether there is room for so many bytes more than are in use, and for what finishes them. */
  reaches(used: number, bytes: number): boolean {
    const wanted = used + 2 * bytes + LEAST;
    if (wanted <= this.size) return true;
    this.size = fstatSync(this.descriptor).size;
    try {
      while (this.size < wanted + STEP) this.size += writeSync(this.descriptor, ZEROS, 0, ZEROS.length, this.size);
    } catch (error) {
      if (!isNoRoom(error)) throw error;
    }
    return wanted <= this.size;
  }

  /** Gives back what nobody has used: the database ends at `end`, and is closed. */
  close(end: number): void {
    ftruncateSync(this.descriptor, Math.min(end, fstatSync(this.descriptor).size));
    closeSync(this.descriptor);
  }
}

function isNoRoom(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}
