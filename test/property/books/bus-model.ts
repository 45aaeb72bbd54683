import { Attempts } from './attempts.js';
import { BusState } from './bus-state.js';
import { Doors, leave } from './doors.js';
import type { Entry, Letter } from './parts.js';
import type { Scenario } from './scenario.js';
import type { StageModel } from './stage-model.js';

/**
 * What the bus must do, rule by rule, without its machinery. What follows from a command is foretold; which attempt
 * starts when, and which time limit ends first, is observed, and must have been allowed.
 */
export class BusModel extends BusState {
  readonly permits: number;
  readonly doors = new Doors(this);
  readonly attempts: Attempts;
  /** What the end has to answer. */
  drained: boolean | undefined;
  private abandonedBefore = 0;

  constructor(scenario: Scenario, now: () => number) {
    super(scenario, now);
    this.permits = scenario.concurrency ?? Number.POSITIVE_INFINITY;
    this.attempts = new Attempts(this, this.doors, this.permits);
  }

  /** A time limit is over, or a stage without consumers had its turn; an event says so before the model knows. */
  observed(event: string): void {
    const [kindAt, reasonOrId, id = reasonOrId] = event.split(':') as [string, string, string?];
    const [kind, name] = kindAt.split('@') as [string, string];
    const stage = this.stage(name);
    if (stage === undefined) return;
    if (kind === 'dropped' && reasonOrId === 'timeout') this.timeOut(stage, id, false);
    else if (reasonOrId === 'drop-oldest') this.doors.reconsiderEviction(stage, id);
    else if (reasonOrId === 'hop-timeout') for (const next of this.known) this.timeOut(next, id, true);
    else if (reasonOrId === 'no-consumer') this.refuseForWantOfConsumers(stage, id);
    else this.attemptsTimeOut(stage, id);
  }

  start(): void {
    if (this.state !== 'starting') return;
    this.state = this.pauseAtStart ? 'paused' : 'open';
    this.doors.judgeEarlyArrivals();
  }

  pause(stage: StageModel | undefined): void {
    if (stage !== undefined) stage.paused = true;
    else if (this.state === 'starting') this.pauseAtStart = true;
    else if (this.state === 'open') this.state = 'paused';
  }

  resume(stage: StageModel | undefined): void {
    if (stage !== undefined) stage.paused = false;
    else if (this.state === 'starting') this.pauseAtStart = false;
    else if (this.state === 'paused') this.state = 'open';
    for (const each of stage === undefined ? this.known : [stage]) this.doors.admitWaiting(each);
  }

  dropQueued(stage: StageModel, reason: string, entries: readonly Entry[]): void {
    for (const entry of entries) {
      stage.remove(entry);
      this.drop(stage, entry.letter, reason);
    }
    this.doors.admitWaiting(stage);
  }

  /** A dead letter goes to its source again; it is in flight until its source has answered. */
  redrive(channel: StageModel, entry: Entry): void {
    const source = this.stage(entry.letter.source) as StageModel;
    const letter: Letter = { ...entry.letter, source: undefined };
    channel.remove(entry);
    channel.borrowed++;
    const giveBack = (accepted: boolean): void => {
      if (accepted) this.giveBack(channel, entry, true);
      else this.later.push(() => this.giveBack(channel, entry, false));
    };
    const answer = this.doors.offer(source, letter, { redriven: true }, giveBack);
    if (typeof answer === 'boolean') giveBack(answer);
  }

  drain(timeoutMs: number): void {
    if (this.state === 'starting' || this.state === 'draining' || this.state === 'closed') return;
    this.abandonedBefore = this.abandoned;
    const deadline = (this.deadline = this.now() + timeoutMs);
    this.state = 'draining';
    for (const stage of this.known) {
      for (const waiter of stage.publishers.splice(0)) waiter.called('closed');
      const tooLate = stage.queue.filter(({ dueAt }) => dueAt > deadline);
      this.dropQueued(stage, 'abandoned', tooLate);
    }
  }

  /** The bus says that it is closed. */
  close(): void {
    if (this.state === 'draining') this.catchUp();
    const lostBefore = this.state === 'draining' && this.abandoned > this.abandonedBefore;
    const loses = this.doors.earlyArrivals > 0 || this.known.some((stage) => stage.unfinished);
    this.drained = !lostBefore && !loses;
    this.state = 'closed';
    this.doors.abandonEarlyArrivals();
    for (const stage of this.known) for (const waiter of stage.publishers.splice(0)) waiter.called('closed');
    for (const stage of this.known) for (const waiter of stage.insiders.splice(0)) waiter.called('abandoned');
    for (const stage of this.known) {
      stage.frozenAt = this.now();
      this.attempts.interrupt(stage);
      const lost = stage.queue.filter((entry) => !stage.keeps(entry));
      this.dropQueued(stage, 'abandoned', lost);
    }
  }

  private giveBack(channel: StageModel, entry: Entry, accepted: boolean): void {
    channel.borrowed--;
    if (accepted) channel.counts.delivered++;
    else this.comesBack(channel, entry);
    const { capacity, concurrency } = channel.options;
    const returning = Math.max(0, concurrency - channel.inFlight);
    if (channel.evicts) this.doors.evictAbove(channel, capacity + returning);
    this.doors.admitWaiting(channel);
  }

  private comesBack(channel: StageModel, entry: Entry): void {
    if (entry.dueAt <= this.now()) entry.dueAt = 0;
    channel.putBack(entry);
  }

  private timeOut(stage: StageModel, id: string, hop: boolean): void {
    for (const line of [stage.publishers, stage.insiders])
      for (const waiter of line.filter((each) => each.letter.id === id && each.hop === hop))
        if (waiter.deadline <= this.now()) leave(line, waiter, 'timeout');
  }

  private attemptsTimeOut(stage: StageModel, id: string): void {
    const run = stage.running.get(id);
    if (run === undefined || this.now() < run.startedAt + stage.timeoutMs) return;
    for (const consumer of run.open) this.attempts.ended(stage, run, consumer, 'timeout');
  }

  private refuseForWantOfConsumers(stage: StageModel, id: string): void {
    if (stage.consumers.length > 0 || stage.parks) return;
    this.attempts.bury(stage, this.attempts.take(stage, id), 'no-consumer');
  }
}
