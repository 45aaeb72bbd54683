import type { Custody } from '../intake/receipt.js';
import { seal } from './checksum.js';
import type { Change, Group, Journal } from './journal.js';

/** A copy of an envelope on disk, from the group that its durable stage lets go of it in. */
export class StoredCustody implements Custody, Change {
  listed = false;
  private ended = false;

  /** @param bytes to be written; `undefined` where an earlier process has */
  constructor(
    private readonly journal: Journal,
    private readonly key: Uint8Array,
    private readonly bytes: Buffer | undefined,
  ) {
    if (bytes !== undefined) journal.add(this);
  }

  end(told?: (durable: boolean) => void): void {
    if (!this.ended) {
      this.ended = true;
      this.journal.add(this);
    }
    if (told !== undefined) this.journal.afterwards(told);
  }

  write(group: Group): void {
    if (this.ended) group.remove(this.key);
    else if (this.bytes !== undefined) group.put(this.key, seal(this.key, this.bytes));
  }

  stored(): void {}

  failed(): boolean {
    return true;
  }
}
