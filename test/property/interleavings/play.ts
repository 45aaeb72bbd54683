import type fc from 'fast-check';
import { type Attempt, type Consumer, Envelope, type EnvelopeShape, SedaBus, type SedaBusOptions } from '#engine';
import { StepClock, settled } from '../books/step-clock.js';

type Act = (envelope: Envelope, attempt: Attempt) => unknown;

/**
 * A bus whose handlers and publishers go on when the scheduler says so, one at a time and in every order. What must
 * never be is looked for in each step: more attempts than permits, the same envelope twice.
 */
export class Play {
  readonly clock = new StepClock();
  readonly bus: SedaBus;
  /** `stage id` of every attempt that has ended well. */
  readonly handled: string[] = [];
  /** What went wrong. */
  readonly faults: string[] = [];
  private readonly limit: number;
  private readonly atWork = new Map<string, Set<string>>();

  constructor(
    readonly scheduler: fc.Scheduler,
    options: SedaBusOptions = {},
  ) {
    this.limit = options.concurrency ?? Number.POSITIVE_INFINITY;
    this.bus = new SedaBus({ clock: this.clock, turnMs: 1e9, ...options });
  }

  /** A step that happens when its turn comes. */
  step(label: string): Promise<void> {
    return this.scheduler.schedule(Promise.resolve(), label);
  }

  /** A handler that does something when its turn comes, and is done at a later one. */
  handler(stage: string, concurrency: number, act: Act = () => undefined): Consumer {
    return async (envelope, attempt) => {
      this.begin(stage, envelope.id, concurrency);
      try {
        await this.step(`${stage} handles ${envelope.id}`);
        const result = await act(envelope, attempt);
        this.handled.push(`${stage} ${envelope.id}`);
        return result;
      } finally {
        this.finish(stage, envelope.id);
      }
    };
  }

  /** Publishes from within an attempt: while it waits, its bus-wide permit is free for others. */
  async publishFrom(stage: string, by: string, attempt: Attempt, envelope: EnvelopeShape): Promise<boolean> {
    this.finish(stage, by);
    const accepted = await attempt.publish(envelope);
    this.begin(stage, by, Number.POSITIVE_INFINITY);
    return accepted;
  }

  /** Publishers that go side by side, each one envelope after the other; which of them were accepted. */
  async publishEach(
    lists: readonly (readonly Envelope[])[],
    publish: (envelope: Envelope) => Promise<boolean> = (envelope) => this.bus.publish(envelope),
  ): Promise<string[]> {
    const accepted: string[] = [];
    const one = async (list: readonly Envelope[]): Promise<void> => {
      for (const envelope of list) {
        await this.step(`${envelope.id} is published`);
        if (await publish(envelope)) accepted.push(envelope.id);
      }
    };
    await Promise.all(lists.map(one));
    return accepted;
  }

  /** Everything that can happen without time passing has happened, in the order that the scheduler chose. */
  async toTheEnd(): Promise<void> {
    await settled();
    while (this.scheduler.count() > 0) {
      await this.scheduler.waitAll();
      await settled();
    }
  }

  /** Everything that can happen at all has happened. */
  async toTheEndOfTime(): Promise<void> {
    await this.toTheEnd();
    while (this.clock.pending > 0) {
      this.clock.step(Number.MAX_SAFE_INTEGER);
      await this.toTheEnd();
    }
  }

  private begin(stage: string, id: string, concurrency: number): void {
    const here = this.atWork.get(stage) ?? new Set();
    this.atWork.set(stage, here);
    if (here.has(id)) this.faults.push(`${id} is handled twice at once at ${stage}`);
    here.add(id);
    if (here.size > concurrency) this.faults.push(`${here.size} attempts at ${stage}`);
    let all = 0;
    for (const { size } of this.atWork.values()) all += size;
    if (all > this.limit) this.faults.push(`${all} attempts on the bus`);
  }

  private finish(stage: string, id: string): void {
    this.atWork.get(stage)?.delete(id);
  }
}

/** An envelope for each id, on its way through the stages. */
export function letters(ids: readonly string[], ...[to, ...slip]: [string, ...string[]]): Envelope[] {
  return ids.map((id) => {
    const envelope = Envelope.documentWithId(id);
    for (const hop of slip.toReversed()) envelope.addRoute(hop, 'RECEIVE');
    envelope.addRoute(to, 'RECEIVE');
    return envelope;
  });
}

/** Of the names a, b, … `count`, each with a number behind. */
export const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);
