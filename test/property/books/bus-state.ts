import type { Letter } from './parts.js';
import { DEAD, LATE, type Scenario } from './scenario.js';
import { StageModel } from './stage-model.js';
import { Tally } from './tally.js';

type State = 'starting' | 'open' | 'paused' | 'draining' | 'closed';

/** What the model of a bus knows, and how an envelope ends in it. */
export class BusState {
  state: State;
  held = false;
  pauseAtStart = false;
  deadline = Number.POSITIVE_INFINITY;
  readonly events = new Tally();
  readonly stages: readonly StageModel[];
  /** What the bus does some steps later than the model. */
  readonly later: (() => void)[] = [];

  constructor(
    scenario: Scenario,
    readonly now: () => number,
  ) {
    this.state = scenario.starting ? 'starting' : 'open';
    this.stages = [...scenario.stages, scenario.dead].map(
      (each) => new StageModel(each, each.name === DEAD, each.name !== LATE, now),
    );
  }

  get known(): StageModel[] {
    return this.stages.filter(({ exists }) => exists);
  }

  get dead(): StageModel {
    return this.stages.at(-1) as StageModel;
  }

  get consuming(): boolean {
    return this.state !== 'starting' && this.state !== 'closed' && !this.held;
  }

  get intakeOpen(): boolean {
    return this.state === 'open' || (this.state === 'starting' && !this.pauseAtStart);
  }

  get idle(): boolean {
    return this.known.every((stage) => stage.idle);
  }

  get abandoned(): number {
    return this.known.reduce((sum, { droppedBy }) => sum + (droppedBy['abandoned'] ?? 0), 0);
  }

  get permitsUsed(): number {
    let used = 0;
    for (const stage of this.stages) for (const run of stage.running.values()) if (run.holdsPermit) used++;
    return used;
  }

  get borrowed(): number {
    return this.stages.reduce((sum, { borrowed }) => sum + borrowed, 0);
  }

  stage(name: string | undefined): StageModel | undefined {
    return this.stages.find((stage) => stage.name === name && stage.exists);
  }

  /** Does what the bus must have done by now. */
  catchUp(): void {
    for (const late of this.later.splice(0)) late();
  }

  drop(stage: StageModel, letter: Letter, reason: string): void {
    stage.droppedBy[reason] = (stage.droppedBy[reason] ?? 0) + 1;
    this.end(letter, `dropped@${stage.name}:${reason}`);
    this.events.expect(`dropped@${stage.name}:${reason}:${letter.id}`);
  }

  awaitsEviction(stage: StageModel, { id }: Letter): boolean {
    return this.events.awaits(`dropped@${stage.name}:drop-oldest:${id}`);
  }

  takeBackEviction(stage: StageModel, letter: Letter, receipt: boolean): void {
    stage.droppedBy['drop-oldest'] = (stage.droppedBy['drop-oldest'] ?? 0) - 1;
    if (receipt) letter.outcomes.pop();
    letter.receipt = receipt;
    this.events.see(`dropped@${stage.name}:drop-oldest:${letter.id}`);
  }

  /** What its publisher must be told, once. */
  end(letter: Letter, outcome: string): void {
    if (!letter.receipt) return;
    letter.receipt = false;
    letter.outcomes.push(outcome);
  }
}
