import { CHECKSUM_BYTES, isIntact, seal } from './checksum.js';
import { Place } from './entry.js';
import type { Group } from './journal.js';
import { Space, namedKey } from './keys.js';
import { FORMAT_VERSION } from './record.js';

/** How many records of a stage there are, by place. */
export interface PlaceCounts {
  queued: number;
  delayed: number;
  parked: number;
  active: number;
}

interface Contents {
  readonly number: number;
  readonly nextSequence: number;
  readonly codec: string;
  readonly counts: PlaceCounts;
  readonly history: readonly [first: number, next: number];
}

const TEXT_AT = CHECKSUM_BYTES + 1;
const NAMES: readonly (keyof PlaceCounts | undefined)[] = [undefined, 'queued', 'delayed', 'parked', 'active'];

/** What the store knows of one stage; written with every group that changes something of it. */
export class StageRecord {
  nextSequence = 1;
  readonly counts: PlaceCounts = { queued: 0, delayed: 0, parked: 0, active: 0 };
  /** The orders of the delivered ids that are remembered: from the first to before the next. */
  historyFirst = 0;
  historyNext = 0;
  private readonly key: Buffer;

  constructor(
    readonly name: string,
    /** What its keys begin with. */
    readonly number: number,
    /** The name of the codec of its payloads. */
    readonly codec: string,
  ) {
    this.key = namedKey(Space.Stage, name);
  }

  /** `undefined` for bytes that are damaged. */
  static read(key: Uint8Array, value: Uint8Array): StageRecord | undefined {
    if (!isIntact(key, value) || value[CHECKSUM_BYTES] !== FORMAT_VERSION) return undefined;
    const contents = JSON.parse(Buffer.from(value.subarray(TEXT_AT)).toString()) as Contents;
    const record = new StageRecord(Buffer.from(key.subarray(1)).toString(), contents.number, contents.codec);
    record.nextSequence = contents.nextSequence;
    Object.assign(record.counts, contents.counts);
    [record.historyFirst, record.historyNext] = contents.history;
    return record;
  }

  moved(from: Place, to: Place): void {
    const [left, entered] = [NAMES[from], NAMES[to]];
    if (left !== undefined) this.counts[left]--;
    if (entered !== undefined) this.counts[entered]++;
  }

  /** Once for each group. */
  readonly put = (group: Group): void => {
    const { number, nextSequence, codec, counts, historyFirst, historyNext } = this;
    const contents: Contents = { number, nextSequence, codec, counts, history: [historyFirst, historyNext] };
    const text = JSON.stringify(contents);
    const value = Buffer.allocUnsafe(TEXT_AT + Buffer.byteLength(text));
    value[CHECKSUM_BYTES] = FORMAT_VERSION;
    value.write(text, TEXT_AT);
    group.put(this.key, seal(this.key, value));
  };
}
