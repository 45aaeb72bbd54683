import { type MemoryStore, SedaBus, type SedaBusOptions, type StageOptions, makeEnvelope, memoryStore } from '#engine';
import { ManualClock, turn } from '../../support/manual-clock.js';

/** A bus on a store in memory, and what comes after it on the same store. */
export class DurableBus {
  private constructor(
    readonly store: MemoryStore,
    readonly clock: ManualClock,
    readonly bus: SedaBus,
  ) {}

  /** @param declare says what stages there are, before the store is open */
  static async open(
    declare: (bus: SedaBus) => unknown,
    {
      store = memoryStore(),
      clock = new ManualClock(),
      ...options
    }: SedaBusOptions & { store?: MemoryStore; clock?: ManualClock } = {},
  ): Promise<DurableBus> {
    const bus = new SedaBus({ ...options, store, clock });
    declare(bus);
    await bus.ready();
    return new DurableBus(store, clock, bus);
  }

  /** As after SIGKILL: what the old bus still does reaches nobody. */
  crashed(declare: (bus: SedaBus) => unknown, options: SedaBusOptions = {}): Promise<DurableBus> {
    this.store.crash();
    return DurableBus.open(declare, { ...options, store: this.store, clock: this.clock });
  }

  publish(stage: string, ...payloads: readonly unknown[]): Promise<boolean[]> {
    return Promise.all(payloads.map((payload) => this.bus.publish(makeEnvelope(stage, payload))));
  }

  /** Waits until nothing is queued and nothing runs, and all of that is written. */
  async idle(): Promise<void> {
    await this.bus.idle();
    for (let turns = 0; turns < 5; turns++) await turn();
  }
}

export const durable = (options: StageOptions = {}): StageOptions => ({ serviceLevel: 'AtLeastOnce', ...options });

/** A handler that never answers. */
export const never = (): Promise<never> => new Promise(() => undefined);
