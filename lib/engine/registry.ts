import { UnknownStageError } from './errors.js';
import { nearestNames } from './nearest.js';
import type { Stage } from './stage.js';

/** The stages by name, and which stage's dead letters go where. */
export class Registry {
  private readonly stages = new Map<string, Stage>();
  private readonly channels = new Map<string, Stage>();
  /** Stages that exist because something referred to them; `channel` may still say what they are. */
  private readonly implied = new Set<string>();
  /** Where the dead letters of stages without a channel of their own go. */
  commonChannel: Stage | undefined;

  get all(): Iterable<Stage> {
    return this.stages.values();
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

  setChannel(source: string, channel: Stage): void {
    this.channels.set(source, channel);
  }

  channelOf(stage: Stage): Stage | undefined {
    return this.channels.get(stage.name) ?? (stage.parks ? undefined : this.commonChannel);
  }
}
