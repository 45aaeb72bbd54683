import type { Permits } from './permits.js';
import type { Turn } from './turn.js';

/** A stage, as the dispatcher sees it. The two fields are the dispatcher's own. */
export interface Drainable {
  /** Whether it stands in the line of ready stages. */
  listed: boolean;
  nextListed: Drainable | undefined;
  /** Starts a bounded batch of attempts; whether more could start now. */
  drain(): boolean;
}

/** So many envelopes may come while a turn is on its way before it is hurried. */
const PATIENCE = 32;

/**
 * Lets the ready stages have their turns, round-robin. There is no polling: a turn is scheduled when a stage has become
 * ready and none is on its way.
 *
 * A turn comes when the microtasks are done; as one of them when `PATIENCE` envelopes have come together, since a loop of
 * `await publish` is never done; and when the event loop has come round, if its budget was used up.
 */
export class Dispatcher {
  private first: Drainable | undefined;
  private last: Drainable | undefined;
  private running = false;
  /** Whether a turn is on its way. */
  private scheduled = false;
  private tickComes = false;
  private arrivals = 0;
  private begin: () => void = () => undefined;

  constructor(
    private readonly permits: Permits,
    private readonly turn: Turn,
  ) {
    this.arm();
  }

  /** An envelope has come, or a permit, for a stage that can start an attempt. */
  wake(stage: Drainable): void {
    if (!stage.listed) this.enlist(stage);
    if (this.running) return;
    if (!this.scheduled) this.schedule();
    else if (++this.arrivals === PATIENCE) this.begin();
  }

  /** A bus-wide permit was freed. */
  resume(): void {
    if (this.first !== undefined && !this.running && !this.scheduled) this.schedule();
  }

  /** A turn now. Only where an asynchronous attempt ends: in a microtask of its own, in the context of the bus. */
  proceed(): void {
    if (this.first !== undefined && !this.running) this.run();
  }

  private schedule(): void {
    this.scheduled = true;
    this.arrivals = 0;
    if (this.tickComes) return;
    this.tickComes = true;
    process.nextTick(this.tick);
  }

  private readonly tick = (): void => {
    this.tickComes = false;
    this.begin();
  };

  /**
   * The microtask of the next turn is prepared here, before it is needed, so that it runs in the context of the bus and
   * not in that of the publisher that happens to need it: no `AsyncLocalStorage` of one publisher reaches the handler of
   * another.
   */
  private arm(): void {
    void new Promise<void>((resolve) => {
      this.begin = resolve;
    }).then(this.begun);
  }

  private readonly begun = (): void => {
    this.arm();
    if (!this.scheduled) return;
    this.scheduled = false;
    this.run();
  };

  private run(): void {
    this.running = true;
    while (this.first !== undefined && this.permits.available) {
      if (this.turn.spent()) {
        this.scheduled = true;
        this.turn.continueWith(() => this.begin());
        break;
      }
      const stage = this.delist(this.first);
      if (stage.drain()) this.enlist(stage);
    }
    this.running = false;
  }

  private enlist(stage: Drainable): void {
    stage.listed = true;
    if (this.last === undefined) this.first = stage;
    else this.last.nextListed = stage;
    this.last = stage;
  }

  private delist(stage: Drainable): Drainable {
    this.first = stage.nextListed;
    if (this.first === undefined) this.last = undefined;
    stage.nextListed = undefined;
    stage.listed = false;
    return stage;
  }
}
