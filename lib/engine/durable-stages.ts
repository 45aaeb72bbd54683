import type { Clock } from './clock.js';
import { targetService } from './envelope.js';
import { CapabilityError } from './errors.js';
import type { Listeners } from './events.js';
import type { StageSettings } from './options.js';
import type { Registry } from './registry.js';
import type { Stage } from './stage.js';
import { DurableBackend } from './store/durable-backend.js';
import { EnvelopeCodec } from './store/envelope-codec.js';
import type { Receipt } from './intake/receipt.js';
import { Store } from './store/store.js';
import type { EnvelopeShape } from './envelope.js';
import type { StoreDescription } from './store/volume.js';

/** What the durable stages ask of their bus. */
export interface DurableHost {
  readonly clock: Clock;
  readonly listeners: Listeners;
  readonly registry: Registry;
  recordsDamaged(stage: string, count: number, error: Error): void;
}

/** The stages of a bus that are on disk: their store, from its opening to its end. */
export class DurableStages {
  private readonly stages = new Map<Stage, DurableBackend>();
  private store: Store | undefined;
  private opening: Promise<void> | undefined;
  private closing: Promise<void> | undefined;
  /** What left a durable stage for one in memory, and waits for the bus to start. */
  private returning: (readonly [EnvelopeShape, Receipt])[] = [];
  /** Why the store could not be opened. */
  failure: Error | undefined;

  constructor(
    private readonly description: StoreDescription | undefined,
    private readonly host: DurableHost,
  ) {}

  /** Whether stages can take something in: there is no store, or it is open. */
  get open(): boolean {
    return this.description === undefined || this.store !== undefined;
  }

  /** Whether there is no room on the disk. */
  get full(): boolean {
    return this.store?.full ?? false;
  }

  /** @throws CapabilityError where the bus has no store */
  backendFor(name: string, settings: StageSettings): DurableBackend {
    const { windowSize, historySize, concurrency } = settings;
    if (this.description === undefined) throw new CapabilityError(name, 'survivesRestart');
    const { clock } = this.host;
    // What could start at once is not what waits.
    const inMemory = windowSize + Math.min(concurrency, windowSize);
    const codec = new EnvelopeCodec(name, settings.codec);
    const manualReplay = settings.replay === 'manual';
    return new DurableBackend({ codec, clock, windowSize: inMemory, historySize, manualReplay });
  }

  /** A stage was made with a backend of {@link backendFor}: it takes over what is on disk, once that can be read. */
  add(stage: Stage, backend: DurableBackend): void {
    this.stages.set(stage, backend);
    if (this.store !== undefined) this.attach(this.store, stage, backend);
  }

  /** It stands on the disk as it is, and is this bus's no more. */
  async remove(stage: Stage): Promise<void> {
    const backend = this.stages.get(stage);
    if (backend === undefined) return;
    this.stages.delete(stage);
    await this.store?.detach(backend);
  }

  /**
   * Opens the store. Twice is once.
   * @throws StoreLockedError, StoreCorruptedError, StoreVersionError, StoreError, MissingPeerError (as rejections)
   */
  openStore(): Promise<void> {
    return (this.opening ??= this.openOnce());
  }

  /** A permit of the bus is free again. */
  wanted(): void {
    this.store?.wanted();
  }

  /** The bus has started: what was in memory when an earlier process ended goes to its stages again. */
  start(): void {
    this.bringBack();
    for (const [envelope] of this.returning)
      this.warn('SEDA_STORE_UNCLAIMED', `An envelope on its way to ${targetOf(envelope)} stays in the store.`);
    const unclaimed = this.store?.unclaimed ?? [];
    if (unclaimed.length > 0)
      this.warn(
        'SEDA_STORE_UNCLAIMED',
        `The store keeps envelopes of stages that are not declared: ${list(unclaimed)}.`,
      );
  }

  /** There is a new stage on a bus that has started: what was on its way there goes there. */
  bringBack(): void {
    if (this.returning.length === 0) return;
    const { returning } = this;
    this.returning = [];
    for (const each of returning) {
      const [envelope, receipt] = each;
      const name = targetService(envelope);
      const stage = name === undefined ? undefined : this.host.registry.get(name);
      if (stage === undefined) this.returning.push(each);
      else stage.admission.readmit(envelope, receipt);
    }
  }

  /** Writes what is left to write and lets go of the store. Twice is once. */
  close(): Promise<void> {
    return (this.closing ??= this.closeOnce());
  }

  private async openOnce(): Promise<void> {
    if (this.description === undefined) return;
    try {
      const store = await Store.open(this.description, this.host.clock, {
        lockWaitMs: 0,
        warn: (code, message) => this.warn(code, message),
        roomChanged: (full) => this.roomChanged(full),
        damaged: (count, error) => this.host.recordsDamaged('', count, error),
      });
      // A bus that was shut down meanwhile wants nothing of it.
      if (this.closing !== undefined) return await store.close();
      this.store = store;
      for (const [stage, backend] of this.stages) this.attach(store, stage, backend);
    } catch (error) {
      this.failure = error as Error;
      throw error;
    }
  }

  private attach(store: Store, stage: Stage, backend: DurableBackend): void {
    stage.recover(() => {
      const recovered = store.attach(stage.name, stage.settings.codec?.name ?? 'json', backend);
      for (const [envelope, custody] of backend.entrusted()) {
        const receipt = stage.blankReceipt();
        receipt.custody = custody;
        this.returning.push([envelope, receipt]);
      }
      return recovered;
    });
  }

  private roomChanged(full: boolean): void {
    if (full) this.warn('SEDA_STORE_FULL', 'The store has no room: durable stages accept nothing until it has.');
    else for (const stage of this.stages.keys()) stage.admission.admitWaiting();
  }

  private async closeOnce(): Promise<void> {
    await this.opening?.catch(() => undefined);
    await this.store?.close();
  }

  private warn(code: string, message: string): void {
    this.host.listeners.emit('warning', { code, message });
  }
}

/** For a log. */
function targetOf(envelope: EnvelopeShape): string {
  const name = targetService(envelope);
  return name === undefined ? 'no stage' : `'${name}', which is no stage,`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
