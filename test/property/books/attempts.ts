import type { BusState } from './bus-state.js';
import type { Doors } from './doors.js';
import { ACK, type Answer, type Ending, type Entry, NACK, REASON, type Run, type Verdict, VERDICTS } from './parts.js';
import type { StageModel } from './stage-model.js';

/** Which attempts may start (R3, R4), and what their verdicts lead to: next hop, retry, dead letter, end (R5 to R7). */
export class Attempts {
  constructor(
    private readonly bus: BusState,
    private readonly doors: Doors,
    private readonly permits: number,
  ) {}

  /** A consumer was called. Returns the run that its attempt belongs to. */
  called(stage: StageModel, id: string, consumer: number): Run {
    const run = stage.running.get(id) ?? this.start(stage, id, consumer);
    if (run.toCall.shift() !== consumer)
      throw new Error(`consumer ${consumer} of ${stage.name} was called out of turn`);
    run.open.add(consumer);
    return run;
  }

  /** Takes out the one that starts, which must be the first by admission. */
  take(stage: StageModel, id: string): Entry {
    const { bus } = this;
    const find = (): Entry | undefined => stage.ready.find(({ letter }) => letter.id === id);
    if (!stage.mayStart || find() === undefined) bus.catchUp();
    if (!bus.consuming || !stage.mayStart) throw new Error(`${id} started at ${stage.name}, which may not start any`);
    if (bus.permitsUsed >= this.permits) throw new Error(`${id} started at ${stage.name} without a permit`);
    const entry = find();
    if (entry === undefined) throw new Error(`${id} started at ${stage.name}, where it is not ready`);
    const before = stage.ready.find(({ dueAt }) => dueAt < bus.now());
    if (before !== undefined && before.sequence < entry.sequence)
      throw new Error(`${id} started at ${stage.name} before ${before.letter.id}`);
    stage.remove(entry);
    this.doors.admitWaiting(stage);
    return entry;
  }

  /** An attempt has its verdict; with the last one its run has it, too. */
  ended(stage: StageModel, run: Run, consumer: number, ending: Ending | 'timeout'): void {
    if (run.over || !run.open.delete(consumer)) return;
    const verdict = ending === 'timeout' ? NACK : VERDICTS[ending];
    if (verdict === ACK) run.unacked.delete(consumer);
    if (verdict.rank > run.verdict.rank) run.verdict = verdict;
    if (run.open.size === 0 && run.toCall.length === 0) this.conclude(stage, run, run.verdict);
  }

  bury(stage: StageModel, entry: Entry, reason: string): void {
    const { letter } = entry;
    if (stage.isDeadLetter(letter)) {
      entry.parked = true;
      stage.putBack(entry);
      return;
    }
    stage.counts.deadLettered++;
    letter.source = stage.name;
    if (stage.scenario.deadLetters && !stage.parks)
      this.doors.receiveDeadLetter(this.bus.dead, { ...letter, receipt: false });
    this.bus.end(letter, `dead-lettered@${stage.name}:${reason}`);
    this.bus.events.expect(`deadLetter@${stage.name}:${reason}:${letter.id}`);
  }

  /** The bus shuts down: what runs has no verdict any more. */
  interrupt(stage: StageModel): void {
    for (const run of stage.running.values()) {
      run.over = true;
      this.bus.drop(stage, run.entry.letter, 'abandoned');
    }
    stage.running.clear();
  }

  private start(stage: StageModel, id: string, consumer: number): Run {
    const entry = this.take(stage, id);
    if (!stage.consumers.includes(consumer)) throw new Error(`${id} was given to a consumer that is gone`);
    const consumers = stage.pubSub
      ? (entry.remaining?.filter((each) => stage.consumers.includes(each)) ?? [...stage.consumers])
      : [consumer];
    const run: Run = {
      entry,
      startedAt: this.bus.now(),
      toCall: consumers,
      open: new Set(),
      unacked: new Set(consumers),
      verdict: ACK,
      holdsPermit: true,
      over: false,
    };
    entry.attempt++;
    stage.running.set(id, run);
    return run;
  }

  private conclude(stage: StageModel, run: Run, verdict: Verdict): void {
    const { entry } = run;
    run.over = true;
    stage.running.delete(entry.letter.id);
    if (stage.pubSub) entry.remaining = [...run.unacked];
    if (verdict.rank === 0) this.advance(stage, entry);
    else if (verdict.rank === 3) this.bury(stage, entry, REASON);
    else this.retry(stage, entry, verdict.rank === 2 ? verdict.delayMs : stage.backoffMs);
  }

  private advance(stage: StageModel, entry: Entry): void {
    const { letter } = entry;
    if (stage.isDeadLetter(letter) || letter.slip.length === 0) {
      stage.counts.delivered++;
      this.bus.end(letter, `completed@${stage.name}`);
      return;
    }
    const next = this.bus.stage(letter.slip[0]);
    if (next === undefined) this.bury(stage, entry, 'unroutable');
    else this.hop(stage, entry, next);
  }

  private hop(stage: StageModel, entry: Entry, next: StageModel): void {
    const { letter } = entry;
    const arrive = (): void => {
      letter.slip.shift();
      this.doors.accept(next, letter);
      stage.counts.delivered++;
    };
    if (next.evicts && next !== stage) this.doors.makeRoom(next);
    if (next === stage || (next.hasRoom && next.insiders.length === 0)) return arrive();
    stage.hopping++;
    const called = (answer: Answer): void => {
      stage.hopping--;
      if (answer === 'admitted') arrive();
      else if (answer === 'abandoned') this.bus.drop(stage, letter, 'abandoned');
      else this.bury(stage, entry, 'hop-timeout');
    };
    next.insiders.push({ letter, hop: true, deadline: this.bus.now() + stage.options.hopTimeoutMs, called });
  }

  private retry(stage: StageModel, entry: Entry, delayMs: number): void {
    stage.counts.nacked++;
    if (entry.attempt >= stage.options.maxAttempts) return this.bury(stage, entry, 'max-attempts');
    const dueAt = this.bus.now() + delayMs;
    if (dueAt > this.bus.deadline) return this.bus.drop(stage, entry.letter, 'abandoned');
    entry.dueAt = dueAt;
    stage.putBack(entry);
    this.bus.events.expect(`retry@${stage.name}:${entry.letter.id}`);
  }
}
