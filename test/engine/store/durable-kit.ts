import { type Envelope, type EnvelopeShape, envelopePayload, makeEnvelope } from '#engine';
import type { Recovered, Service } from '../../../lib/engine/backend/backend.js';
import type { Receipt } from '../../../lib/engine/intake/receipt.js';
import type { Lease } from '../../../lib/engine/queue/lease.js';
import { DurableBackend } from '../../../lib/engine/store/durable-backend.js';
import { EnvelopeCodec } from '../../../lib/engine/store/envelope-codec.js';
import { Journal } from '../../../lib/engine/store/journal.js';
import { Space, namedKey } from '../../../lib/engine/store/keys.js';
import { type MemoryStore, memoryStore } from '../../../lib/engine/store/memory-volume.js';
import { StageRecord } from '../../../lib/engine/store/stage-record.js';
import { opened } from '../../conformance/volume.js';
import { ManualClock, turn } from '../../support/manual-clock.js';

const AT_LEAST_ONCE: Service = { atMostOnce: false, digest: undefined };

interface Publishing {
  readonly told?: (accepted: boolean) => unknown;
  readonly dueAt?: number;
  readonly receipt?: Receipt;
  readonly service?: Service;
}

/** A durable backend on a store in memory, and a stage that has `permits` free. */
export class DurableKit {
  permits = 0;
  wakes = 0;

  private constructor(
    readonly store: MemoryStore,
    readonly clock: ManualClock,
    readonly journal: Journal,
    readonly backend: DurableBackend,
    readonly recovered: Recovered,
    readonly damaged: readonly string[],
    readonly aside: readonly string[],
  ) {}

  static async open({
    store = memoryStore(),
    clock = new ManualClock(),
    permits = 0,
    windowSize = 4,
  } = {}): Promise<DurableKit> {
    const volume = await opened(store);
    const key = namedKey(Space.Stage, 'orders');
    const held = volume.get(key);
    const record = (held && StageRecord.read(key, held)) ?? new StageRecord('orders', 1, 'json');
    let kit: DurableKit | undefined = undefined as DurableKit | undefined;
    const damaged: string[] = [];
    const aside: string[] = [];
    const journal = new Journal(volume, 'always', clock, {
      prepare: () => backend.prepare(),
      roomChanged: () => undefined,
      troubled: () => undefined,
    });
    const codec = new EnvelopeCodec('orders', undefined);
    const backend = new DurableBackend({ codec, clock, windowSize, historySize: 3, manualReplay: false });
    backend.open({
      demand: () => kit?.permits ?? permits,
      wake: () => void (kit === undefined || kit.wakes++),
      lost: (count, error) => void damaged.push(...Array<string>(count).fill(error.message)),
    });
    const setAside = (damagedKey: Uint8Array): void => void aside.push(Buffer.from(damagedKey).toString('hex'));
    const recovered = backend.attach({ volume, journal, record, setAside, recount: () => undefined });
    kit = new DurableKit(store, clock, journal, backend, recovered, damaged, aside);
    kit.permits = permits;
    return kit;
  }

  /** As after SIGKILL. */
  crashed(options: { permits?: number; windowSize?: number } = {}): Promise<DurableKit> {
    this.store.crash();
    this.backend.close();
    return DurableKit.open({ store: this.store, clock: this.clock, ...options });
  }

  /** Appends an envelope for each payload; resolves with the answers. */
  append(...payloads: readonly unknown[]): Promise<boolean[]> {
    return Promise.all(payloads.map((payload) => this.publish(makeEnvelope('orders', payload))));
  }

  /** One envelope comes in, and `told` hears whether it was admitted. */
  publish(
    envelope: EnvelopeShape,
    { told = () => undefined, dueAt = 0, receipt, service = AT_LEAST_ONCE }: Publishing = {},
  ): Promise<boolean> {
    return this.backend.append({ envelope, receipt, dueAt, service }, (refusal) => told(refusal === undefined));
  }

  async allow(permits: number): Promise<this> {
    this.permits = permits;
    this.backend.wanted();
    await this.journal.settled();
    await turn();
    await this.journal.settled();
    return this;
  }

  take(): Lease {
    const lease = this.backend.take();
    if (lease === undefined) throw new Error('there was nothing to take');
    this.permits--;
    return lease;
  }

  takeAll(): unknown[] {
    const taken: unknown[] = [];
    while (this.backend.ready) taken.push(payloadOf(this.take()));
    return taken;
  }

  /** Has the stage work off everything, one at a time. */
  async drain(): Promise<unknown[]> {
    const seen: unknown[] = [];
    for (let idle = 0; idle < 2; idle++) {
      await this.allow(1);
      while (this.backend.ready) {
        const lease = this.take();
        seen.push(payloadOf(lease));
        this.backend.settle(lease, 'done');
        idle = 0;
        await this.allow(1);
      }
    }
    return seen;
  }

  get counts(): readonly [depth: number, retrying: number, arriving: number] {
    const { depth, retrying, arriving } = this.backend;
    return [depth, retrying, arriving];
  }

  /** The stage record that is on disk. */
  get countsOnDisk(): unknown {
    const key = namedKey(Space.Stage, 'orders');
    const entry = this.store.entries().find((each) => Buffer.from(each.key).equals(key));
    return entry && StageRecord.read(key, entry.value)?.counts;
  }
}

export const payloadOf = (lease: Lease): unknown => envelopePayload(lease.envelope as Envelope);
