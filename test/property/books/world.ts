import { type Attempt, type Envelope, type Outcome, SedaBus, type StageStats } from '#engine';
import { BusModel } from './bus-model.js';
import { checkBooks, checkCounts, checkGrowth, checkNothingLeftUndone, checkTimers } from './checks.js';
import { Handlers } from './handlers.js';
import type { Letter, Publication, Run, Script } from './parts.js';
import { DEAD, LATE, type Scenario, type StageScenario } from './scenario.js';
import type { StageModel } from './stage-model.js';
import { StepClock, settled } from './step-clock.js';

/** A publish that was made, and what its promise has said. */
interface Told {
  readonly foretold: Publication;
  /** The attempt that publishes: it is told when it has its permit again. */
  readonly run: Run | undefined;
  said: boolean | 'throws' | undefined;
}

/** A random bus and its model, side by side, and all that the bus says compared with what the model foretells. */
export class World {
  readonly clock = new StepClock();
  readonly model: BusModel;
  readonly bus: SedaBus;
  readonly letters = new Map<string, Letter>();
  readonly handlers: Handlers;
  /** Signals that can still be aborted, and who publishes with them. */
  readonly aborters: { readonly controller: AbortController; readonly letter: Letter }[] = [];
  private readonly consumers = new Map<number, (envelope: Envelope, attempt: Attempt) => unknown>();
  private publishes: Told[] = [];
  private stats: Record<string, StageStats> = {};
  private failure: unknown = undefined;
  private nextConsumer = 0;

  constructor(scenario: Scenario) {
    const { concurrency, starting } = scenario;
    this.model = new BusModel(scenario, () => this.clock.now());
    this.handlers = new Handlers(this.model, this.letters);
    const limit = concurrency === undefined ? {} : { concurrency };
    // Nothing may depend on how fast the machine is: a turn of the event loop never ends.
    this.bus = new SedaBus({ ...limit, clock: this.clock, turnMs: 1e9, autoStart: !starting });
    for (const stage of [...scenario.stages, scenario.dead]) if (stage.name !== LATE) this.register(stage);
    this.bus.setDeadLetterChannel('elsewhere', DEAD);
    this.listen();
  }

  register({ name, options, deadLetters, consumers }: StageScenario): void {
    this.bus.channel(name, options);
    if (deadLetters && name !== DEAD) this.bus.setDeadLetterChannel(name, DEAD);
    const stage = this.model.stages.find((each) => each.name === name) as StageModel;
    stage.exists = true;
    for (let left = consumers; left > 0; left--) this.subscribe(stage);
  }

  subscribe(stage: StageModel): void {
    const key = this.nextConsumer++;
    const consumer = (envelope: Envelope, attempt: Attempt): unknown => {
      this.look(`the consumer of ${stage.name}`);
      return this.handlers.called(stage, key, envelope.id, attempt);
    };
    this.consumers.set(key, consumer);
    stage.consumers.push(key);
    this.bus.subscribe(stage.name, consumer);
  }

  unsubscribe(stage: StageModel): void {
    const key = stage.consumers.pop();
    if (key !== undefined) this.bus.unsubscribe(stage.name, this.consumers.get(key) as () => unknown);
  }

  letter(script: Script, slip: readonly string[], receipt: boolean): Letter {
    const id = `e${this.letters.size}`;
    const letter: Letter = { id, script, slip: [...slip], source: undefined, receipt, outcomes: [], told: [] };
    this.letters.set(id, letter);
    return letter;
  }

  /** The `onSettled` of a letter: what it is told is compared when all is done. */
  receiptOf({ id, told, receipt }: Letter): { onSettled?: (outcome: Outcome) => void } {
    if (!receipt) return {};
    return {
      onSettled: (outcome) => {
        const { status, stage } = outcome;
        told.push(`${status}@${stage}${'reason' in outcome ? `:${outcome.reason}` : ''}`);
        this.look(`onSettled of ${id}`);
      },
    };
  }

  /** What the promise of a publish says must be what the model foretells. */
  follow(foretold: Publication, promise: Promise<boolean>, run?: Run): void {
    const told: Told = { foretold, run, said: undefined };
    this.publishes.push(told);
    promise.then(
      (said) => this.said(told, said),
      () => this.said(told, 'throws'),
    );
  }

  /** Time passes, timer by timer. */
  async advance(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    while (this.clock.step(end)) await this.check();
  }

  /** Lets everything follow that can without time passing, compares, and asks whether nothing was left undone. */
  async rest(): Promise<void> {
    await this.check();
    await this.advance(0);
    checkNothingLeftUndone(this.model, this.clock.now());
    checkTimers(this.model, this.clock.pending);
  }

  private async check(): Promise<void> {
    this.look('the command');
    await settled();
    const stats = this.look('what followed');
    const failure = this.failure ?? this.handlers.failure;
    if (failure !== undefined) throw failure;
    this.model.catchUp();
    const left = this.model.events.leftOver;
    if (left.length > 0) throw new Error(left.join(', '));
    checkGrowth(this.stats, stats);
    checkCounts(this.model, stats, this.clock.overdue);
    this.stats = stats;
    this.checkAnswers();
    this.checkOutcomes();
  }

  /** The books, from wherever a caller can look. Nothing is thrown here: in a callback the bus would swallow it. */
  private look(where: string): Record<string, StageStats> {
    try {
      return checkBooks(this.bus, this.model);
    } catch (error) {
      this.failure ??= new Error(`in ${where}: ${(error as Error).message}`);
      return {};
    }
  }

  private said(told: Told, said: boolean | 'throws'): void {
    told.said = said;
    const { run } = told;
    if (run === undefined || run.over || run.holdsPermit) return;
    run.holdsPermit = true;
    if (this.model.permitsUsed > this.model.permits)
      this.failure ??= new Error('an attempt took a permit that there was not');
  }

  private checkAnswers(): void {
    const { permitsUsed, permits } = this.model;
    for (const { foretold, said, run } of this.publishes) {
      const waitsForPermit = said === undefined && run !== undefined && permitsUsed >= permits;
      if (said !== foretold.answer && !waitsForPermit)
        throw new Error(`the publish of ${foretold.letter.id} said ${said}, not ${foretold.answer}`);
    }
    this.publishes = this.publishes.filter(({ said }) => said === undefined);
  }

  private checkOutcomes(): void {
    for (const { id, told, outcomes } of this.letters.values())
      if (told.length !== outcomes.length || told[0] !== outcomes[0])
        throw new Error(`${id} was told of ${told.join()}, not of ${outcomes.join()}`);
  }

  private listen(): void {
    this.bus
      .on('dropped', ({ stage, reason, envelope }) => this.see(`dropped@${stage}:${reason}:${envelope.id}`))
      .on('deadLetter', ({ stage, reason, envelope }) => this.see(`deadLetter@${stage}:${reason}:${envelope.id}`))
      .on('retry', ({ stage, envelope }) => this.see(`retry@${stage}:${envelope.id}`))
      .on('unroutable', ({ stage, envelope }) => this.see(`unroutable@${stage}:${envelope.id}`))
      .on('error', ({ error }) => (this.failure ??= error))
      .on('state', ({ to }) => {
        this.look(`becoming ${to}`);
        if (to === 'closed') this.model.close();
      });
  }

  /** What the model has not foretold may be the end of a time limit, if that is over. */
  private see(event: string): void {
    this.look(event);
    try {
      if (!this.model.events.see(event)) this.model.observed(event);
    } catch (error) {
      this.failure ??= error;
    }
  }
}
