import type { Core } from '../core.js';
import type { Stage } from '../stage.js';
import { untilOrLate } from './deadline.js';

/** How a bus ends: it drains until it is idle or the time is over, and then it is closed. Every way leads here once. */
export class Ending {
  private drained: Promise<boolean> | undefined;
  private result: boolean | undefined;
  private abandonedBefore = 0;
  private released: Promise<void> | undefined;

  constructor(private readonly core: Core) {}

  /** Whether everything admitted was finished. A second call gets the first one's answer. */
  drain(timeoutMs: number): Promise<boolean> {
    if (this.drained === undefined) {
      let finished: (result: boolean) => void = () => undefined;
      // Known before the first listener hears of it: one that shuts down, too, joins in.
      this.drained = new Promise((resolve) => (finished = resolve));
      void this.drainOnce(timeoutMs).then(finished);
    }
    return this.drained;
  }

  /** Closes now. */
  now(): boolean {
    if (this.result === undefined) {
      this.result = this.nothingIsLost();
      this.close();
    }
    return this.result;
  }

  /** Resolves when a bus that has closed has let go of its store. */
  async release(): Promise<void> {
    await this.released;
  }

  private async drainOnce(timeoutMs: number): Promise<boolean> {
    const { lifecycle, clock } = this.core;
    // A bus that has not started to consume never will: there is nothing to wait for.
    if (lifecycle.state === 'starting' || lifecycle.ended) return this.nowReleased();
    this.abandonedBefore = this.core.registry.abandoned;
    const deadline = (this.core.deadline = clock.now() + timeoutMs);
    lifecycle.drain();
    for (const stage of this.core.registry.all) {
      stage.admission.dismissPublishers();
      if (stage.storing === undefined) stage.dropQueued('abandoned', (lease) => lease.dueAt > deadline);
      else stage.storing.relinquish();
    }
    await untilOrLate(this.core, this, () => this.allIdle(), deadline);
    return this.nowReleased();
  }

  private async nowReleased(): Promise<boolean> {
    const finished = this.now();
    await this.released;
    return finished;
  }

  private close(): void {
    const { lifecycle, registry, intake, idleWatch, durable } = this.core;
    const stages = [...registry.all];
    lifecycle.close();
    intake.abandonEarlyArrivals();
    for (const stage of stages) stage.admission.dismissPublishers();
    for (const stage of stages) stage.admission.dismissInsiders();
    for (const stage of stages) {
      stage.interrupt();
      if (stage.storing === undefined)
        stage.dropQueued('abandoned', ({ envelope, parked }) => !stage.keeps(envelope, parked));
      else stage.tellKept();
      stage.backend.close();
    }
    this.released = durable.close();
    this.warnOfDeadLetters(stages);
    idleWatch.changed();
  }

  /** Asked before the first listener hears of the end: all who ask get the same answer, those listeners, too. */
  private nothingIsLost(): boolean {
    const { lifecycle, registry, intake } = this.core;
    const lostBefore = lifecycle.state === 'draining' && this.core.registry.abandoned > this.abandonedBefore;
    return !lostBefore && intake.early.count === 0 && ![...registry.all].some((stage) => stage.unfinished);
  }

  private allIdle(): boolean {
    for (const stage of this.core.registry.all) if (!stage.idle) return false;
    return true;
  }

  private warnOfDeadLetters(stages: readonly Stage[]): void {
    let left = 0;
    for (const { backend } of stages) left += backend.capabilities.survivesRestart ? 0 : backend.depth;
    if (left === 0) return;
    const message = `${left} dead letter(s) end with the bus: their channel is in memory.`;
    this.core.listeners.emit('warning', { code: 'SEDA_DEAD_LETTERS_LEFT', message });
  }
}
