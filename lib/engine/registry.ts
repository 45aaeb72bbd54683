import { UnknownStageError } from './errors.js';
import { nearestNames } from './nearest.js';
import type { Stage } from './stage.js';

/** The stages by name, and which stage's dead letters go where. */
export class Registry {
  private readonly stages = new Map<string, Stage>();
  private readonly channels = new Map<string, Stage>();
  /** Those that are being removed, and where their dead letters go: no longer found by name, not gone before they are drained. */
  private readonly leaving = new Map<Stage, Stage | undefined>();
  /** What stages that are gone have abandoned. */
  private abandonedByTheGone = 0;
  /** Stages that exist because something referred to them; `channel` may still say what they are. */
  private readonly implied = new Set<string>();
  /** Where the dead letters of stages without a channel of their own go. */
  commonChannel: Stage | undefined;

  get all(): Iterable<Stage> {
    return this.leaving.size === 0 ? this.stages.values() : [...this.stages.values(), ...this.leaving.keys()];
  }

  get(name: string): Stage | undefined {
    return this.stages.get(name);
  }

  /** @throws UnknownStageError */
  require(name: string): Stage {
    const stage = this.stages.get(name);
    if (stage === undefined) throw this.unknown(name);
    return stage;
  }

  /** The error for a name that no stage has; `undefined` for an envelope that names none. */
  unknown(name: string | undefined): UnknownStageError {
    return new UnknownStageError(name, name === undefined ? [] : nearestNames(name, this.stages.keys()));
  }

  add(stage: Stage, implied: boolean): void {
    this.stages.set(stage.name, stage);
    if (implied) this.implied.add(stage.name);
  }

  isImplied(name: string): boolean {
    return this.implied.has(name);
  }

  declare(name: string): void {
    this.implied.delete(name);
  }

  /** Another stage takes the place of one of the same name. */
  replace(old: Stage, stage: Stage): void {
    this.stages.set(old.name, stage);
    for (const [source, channel] of this.channels) if (channel === old) this.channels.set(source, stage);
    if (this.commonChannel === old) this.commonChannel = stage;
  }

  setChannel(source: string, channel: Stage): void {
    this.channels.set(source, channel);
  }

  /** All that was ever abandoned, by stages that are gone, too. */
  get abandoned(): number {
    let sum = this.abandonedByTheGone;
    for (const { books } of this.all) sum += books.droppedBy.abandoned;
    return sum;
  }

  /** From now on its name is unknown. */
  retire(stage: Stage): void {
    this.leaving.set(stage, this.channelOf(stage));
    this.stages.delete(stage.name);
    this.implied.delete(stage.name);
    this.channels.delete(stage.name);
  }

  /** The stage of that name that is being removed. */
  leavingNamed(name: string): Stage | undefined {
    for (const stage of this.leaving.keys()) if (stage.name === name) return stage;
    return undefined;
  }

  /** Ends {@link retire}. */
  forget(stage: Stage): void {
    this.leaving.delete(stage);
    this.abandonedByTheGone += stage.books.droppedBy.abandoned;
  }

  /** The name of something whose dead letters go there; `undefined` when there is nothing. */
  sourceOf(channel: Stage): string | undefined {
    if (channel === this.commonChannel) return 'all stages without a channel of their own';
    for (const [source, each] of this.channels) if (each === channel) return `stage '${source}'`;
    for (const [{ name }, each] of this.leaving) if (each === channel) return `stage '${name}'`;
    return undefined;
  }

  channelOf(stage: Stage): Stage | undefined {
    if (this.leaving.has(stage)) return this.leaving.get(stage);
    return this.channels.get(stage.name) ?? (stage.parks ? undefined : this.commonChannel);
  }
}
