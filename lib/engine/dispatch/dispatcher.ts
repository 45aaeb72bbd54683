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

/**
 * Lets the ready stages have their turns, round-robin. There is no polling: a turn is scheduled when a stage has become
 * ready and none is on its way. A turn runs in a microtask; when the budget of the event loop is used up, the next one
 * waits until the loop has come round.
 */
export class Dispatcher {
  private first: Drainable | undefined;
  private last: Drainable | undefined;
  private scheduled = false;
  private start: () => void = () => undefined;

  constructor(
    private readonly permits: Permits,
    private readonly turn: Turn,
  ) {
    this.arm();
  }

  /** Puts a stage that could start an attempt at the end of the line, unless it stands there. */
  wake(stage: Drainable): void {
    if (!stage.listed) this.enlist(stage);
    this.schedule();
  }

  /** Schedules a turn if a stage is ready: a bus-wide permit was freed. */
  resume(): void {
    if (this.first !== undefined) this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.start();
  }

  /**
   * The microtask of the next turn is prepared here, before it is needed, so that it runs in this context and not in
   * the one of the publisher that happens to need it: no `AsyncLocalStorage` of one publisher reaches the handler of another.
   */
  private arm(): void {
    void new Promise<void>((resolve) => {
      this.start = resolve;
    }).then(this.begin);
  }

  private readonly begin = (): void => {
    this.arm();
    this.run();
  };

  private readonly run = (): void => {
    while (this.first !== undefined && this.permits.available) {
      if (this.turn.spent()) {
        setImmediate(this.run);
        return;
      }
      const stage = this.delist(this.first);
      if (stage.drain()) this.enlist(stage);
    }
    this.scheduled = false;
  };

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
