import { Backpressure } from '#engine';
import type { BusState } from './bus-state.js';
import type { Answer, Entry, Letter, Publication, Waiter } from './parts.js';
import type { StageModel } from './stage-model.js';

/** What a publisher asked for. */
export interface Asked {
  readonly timeoutMs?: number;
  readonly delayMs?: number;
  readonly aborted?: boolean;
  /** `offer`: it cannot wait. */
  readonly atOnce?: boolean;
  /** `attempt.publish`, and what was accepted before the start. */
  readonly inside?: boolean;
  /** A dead letter that goes back to its source: it waits even before the start. */
  readonly redriven?: boolean;
}

type ToldLater = (accepted: boolean) => void;

/** How envelopes come in (R1), or not, and who waits for room. */
export class Doors {
  /** Accepted before the start: nobody can take that back. */
  private readonly promised = new Set<Letter>();
  private early: { readonly letter: Letter; readonly to: string; readonly delayMs: number }[] = [];

  /** Those that made room for the last one, and which it would have been before the timers. */
  private evictions:
    | {
        readonly stage: StageModel;
        readonly foretold: { readonly entry: Entry; readonly receipt: boolean }[];
        readonly otherwise: readonly Entry[];
      }
    | undefined;

  constructor(private readonly bus: BusState) {}

  get earlyArrivals(): number {
    return this.early.length;
  }

  publish(to: string, letter: Letter, asked: Asked): Publication {
    const publication: Publication = { letter, answer: undefined };
    const stage = this.bus.stage(to);
    publication.answer =
      stage === undefined
        ? this.unknown(to, letter, asked.delayMs ?? 0)
        : this.offer(stage, letter, asked, (accepted) => (publication.answer = accepted));
    return publication;
  }

  /** A publish by way of an attempt that has ended. */
  refuseLate(to: string, letter: Letter): boolean {
    const stage = this.bus.stage(to);
    return stage === undefined ? this.unknown(to, letter, 0) : this.refuse(stage, letter, 'closed');
  }

  /** At once where it can be, else by `told`. */
  offer(stage: StageModel, letter: Letter, asked: Asked, told: ToldLater): boolean | 'throws' | undefined {
    const refusal = this.refusal(stage, asked);
    if (refusal !== undefined) return this.refuse(stage, letter, refusal);
    const line = asked.inside ? stage.insiders : stage.publishers;
    if (stage.hasRoom && stage.insiders.length + line.length === 0) return this.accept(stage, letter, asked.delayMs);
    const { backpressure, maxWaiting } = stage.options;
    if (stage.evicts) return (this.makeRoom(stage), this.accept(stage, letter, asked.delayMs));
    if (backpressure === Backpressure.DropNewest) return this.refuse(stage, letter, 'drop-newest');
    if (backpressure === Backpressure.Reject || asked.atOnce) return this.refuse(stage, letter, 'rejected');
    if (this.bus.state === 'starting' && !asked.inside && !asked.redriven)
      return this.refuse(stage, letter, 'rejected') || 'throws';
    if (asked.timeoutMs === 0) return this.refuse(stage, letter, 'timeout');
    if (line.length >= maxWaiting) return this.refuse(stage, letter, 'rejected');
    this.wait(stage, line, letter, asked, told);
    return undefined;
  }

  accept(stage: StageModel, letter: Letter, delayMs = 0): true {
    stage.counts.offered++;
    stage.enqueue(letter, delayMs);
    return true;
  }

  receiveDeadLetter(channel: StageModel, letter: Letter): void {
    const newest = channel.options.backpressure === Backpressure.DropNewest;
    if (channel.evicts) this.makeRoom(channel);
    if (channel.hasRoom) this.accept(channel, letter);
    else this.refuse(channel, letter, newest ? 'drop-newest' : 'rejected');
  }

  makeRoom(stage: StageModel): void {
    this.evictAbove(stage, stage.options.capacity - 1);
  }

  evictAbove(stage: StageModel, most: number): void {
    const count = stage.queue.length - most;
    if (count <= 0) return;
    const [foretold, otherwise] = [stage.oldest(count), stage.oldestBeforeTimers(count)];
    const wasSeen = otherwise.some(
      (entry) =>
        !foretold.includes(entry) &&
        this.bus.events.isUnexplained(`dropped@${stage.name}:drop-oldest:${entry.letter.id}`),
    );
    this.evictions = { stage, foretold: [], otherwise };
    for (const entry of wasSeen ? otherwise : foretold) this.evict(stage, entry);
  }

  /** Others were evicted than foretold: right, too, as long as timers that are due have not fired. */
  reconsiderEviction(stage: StageModel, id: string): void {
    const { evictions } = this;
    if (evictions?.stage !== stage || !evictions.otherwise.some(({ letter }) => letter.id === id)) return;
    const wrong = evictions.foretold.filter(({ entry }) => this.bus.awaitsEviction(stage, entry.letter));
    if (wrong.length === 0 || wrong.some(({ entry }) => entry.letter.id === id)) return;
    const right = evictions.foretold.filter((each) => !wrong.includes(each)).map(({ entry }) => entry);
    for (const { entry, receipt } of wrong) {
      stage.putBack(entry);
      this.bus.takeBackEviction(stage, entry.letter, receipt);
    }
    for (const entry of evictions.otherwise) if (!right.includes(entry)) this.evict(stage, entry);
  }

  private evict(stage: StageModel, entry: Entry): void {
    const { receipt } = entry.letter;
    stage.remove(entry);
    this.bus.drop(stage, entry.letter, 'drop-oldest');
    this.evictions?.foretold.push({ entry, receipt });
  }

  /** Work in flight goes ahead of new work. */
  admitWaiting(stage: StageModel): void {
    while (stage.hasRoom) {
      const waiter =
        stage.insiders.shift() ?? (this.intakeRefusal(stage) === undefined ? stage.publishers.shift() : undefined);
      if (waiter === undefined) return;
      waiter.called('admitted');
    }
  }

  abort(letter: Letter): void {
    if (this.promised.has(letter)) return;
    for (const stage of this.bus.known)
      for (const line of [stage.publishers, stage.insiders])
        for (const waiter of line.filter((each) => each.letter === letter && !each.hop)) leave(line, waiter, 'aborted');
  }

  /** What came before the start is offered now: it was accepted then. */
  judgeEarlyArrivals(): void {
    for (const { letter, to, delayMs } of this.early.splice(0)) {
      const stage = this.bus.stage(to);
      if (stage === undefined) this.unroutable(to, letter);
      else this.offer(stage, letter, { delayMs, inside: true }, () => undefined);
    }
  }

  abandonEarlyArrivals(): void {
    for (const { letter, to } of this.early.splice(0)) {
      const stage = this.bus.stage(to);
      if (stage === undefined) this.unroutable(to, letter);
      else this.refuse(stage, letter, 'abandoned');
    }
  }

  private unknown(to: string, letter: Letter, delayMs: number): boolean {
    const held = this.bus.state === 'starting';
    if (held) {
      this.early.push({ letter, to, delayMs });
      this.promised.add(letter);
    } else this.unroutable(to, letter);
    return held;
  }

  private unroutable(to: string, letter: Letter): void {
    this.bus.end(letter, `dropped@${to}:unroutable`);
    this.bus.events.expect(`unroutable@${to}:${letter.id}`);
  }

  private refusal(stage: StageModel, { aborted, delayMs = 0, inside }: Asked): string | undefined {
    if (aborted) return 'aborted';
    if (!inside) return this.intakeRefusal(stage);
    return this.isTooLate(delayMs) ? 'abandoned' : undefined;
  }

  private intakeRefusal(stage: StageModel): 'paused' | 'closed' | undefined {
    const { intakeOpen, state } = this.bus;
    if (!intakeOpen) return state === 'draining' || state === 'closed' ? 'closed' : 'paused';
    return stage.paused ? 'paused' : undefined;
  }

  private refuse(stage: StageModel, letter: Letter, reason: string): false {
    stage.counts.offered++;
    this.bus.drop(stage, letter, reason);
    return false;
  }

  private wait(stage: StageModel, line: Waiter[], letter: Letter, asked: Asked, told: ToldLater): void {
    const { delayMs = 0, timeoutMs = Number.POSITIVE_INFINITY } = asked;
    stage.counts.offered++;
    const called = (answer: Answer): void => {
      const end = answer === 'admitted' && this.isTooLate(delayMs) ? 'abandoned' : answer;
      if (end === 'admitted') stage.enqueue(letter, delayMs);
      else this.bus.drop(stage, letter, end);
      told(end === 'admitted');
    };
    line.push({ letter, hop: false, deadline: this.bus.now() + timeoutMs, called });
  }

  /** It would become due after the bus has closed. */
  private isTooLate(delayMs: number): boolean {
    return delayMs > 0 && this.bus.now() + delayMs > this.bus.deadline;
  }
}

/** Somebody gives up waiting. */
export function leave(line: Waiter[], waiter: Waiter, answer: Answer): void {
  line.splice(line.indexOf(waiter), 1);
  waiter.called(answer);
}
