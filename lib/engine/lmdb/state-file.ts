import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';

/** What is known of a database before anybody looks into it. */
export type PastState = 'new' | 'closed' | 'unknown';

/** A file beside a database that says how it was left: in order, and as what file, or not. */
export class StateFile {
  constructor(
    private readonly path: string,
    private readonly data: string,
  ) {}

  /** `closed`: its last end was orderly, and nobody has touched its file since. `new`: there never was a database. */
  get past(): PastState {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch {
      return statSync(this.data).size === 0 ? 'new' : 'unknown';
    }
    return text === this.closed ? 'closed' : 'unknown';
  }

  /** From now on an end is not orderly. */
  markOpen(): void {
    this.write('open');
  }

  markClosed(): void {
    this.write(this.closed);
  }

  private get closed(): string {
    const { size, mtimeNs, ino } = statSync(this.data, { bigint: true });
    return `closed ${ino} ${size} ${mtimeNs}`;
  }

  private write(text: string): void {
    const descriptor = openSync(this.path, 'w', 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}
