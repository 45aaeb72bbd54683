import {
  DEAD_LETTER_DEFAULTS,
  InvalidOptionError,
  StageConflictError,
  type StageOptions,
  checkStageName,
  checkStageOptions,
} from '#engine';
import type { ModuleSettings, StageFeature } from './seda-bus.options.js';
import type { HandlerDeclaration } from './stage.explorer.js';
import { isConsumed } from './stage.role.js';

/** Every stage of the application, with the options it is declared with, and where dead letters go. */
export interface StagePlan {
  readonly stages: ReadonlyMap<string, StageOptions>;
  /** The dead-letter channel of each stage that has one of its own. */
  readonly channels: ReadonlyMap<string, string>;
}

/** Options of a stage and who gives them. */
interface Layer {
  readonly owner: string;
  readonly options: StageOptions;
}

/**
 * Puts together what `forFeature`, the decorators and `forRoot` say of each stage; what comes later wins.
 * @throws InvalidOptionError, StageConflictError naming who gave the option
 */
export function planStages(
  settings: ModuleSettings,
  features: readonly StageFeature[],
  handlers: readonly HandlerDeclaration[],
): StagePlan {
  const channels = new Map(handlers.flatMap(({ source, stage }) => (source === undefined ? [] : [[source, stage]])));
  const deadLetterChannels = new Set(channels.values());
  if (settings.deadLetterChannel !== undefined) deadLetterChannels.add(settings.deadLetterChannel);
  for (const handler of handlers) checkHandler(handler, deadLetterChannels);
  const featuresOf = byKey(features, ({ name }) => name);
  const handlersOf = byKey(handlers, ({ stage }) => stage);
  const stages = new Map<string, StageOptions>();
  for (const name of stageNames(settings, features, handlers)) {
    const options = deadLetterChannels.has(name) ? letterOptions(settings) : {};
    const ranks = [
      (featuresOf.get(name) ?? []).map(featureLayer),
      (handlersOf.get(name) ?? []).map(handlerLayer),
      name === settings.deadLetterChannel ? [layer('deadLetters', settings.deadLetters)] : [],
      rootLayers(settings, name),
    ];
    for (const layers of ranks) if (layers.length > 0) Object.assign(options, agreed(name, layers));
    if (!isConsumed(name, settings.consumed)) Object.assign(options, { consume: false });
    stages.set(name, options);
  }
  return { stages, channels };
}

/** Where something is on disk, dead letters are, too, unless somebody says otherwise. */
function letterOptions({ bus }: ModuleSettings): StageOptions {
  return { ...DEAD_LETTER_DEFAULTS, ...(bus.store !== undefined && { serviceLevel: 'AtLeastOnce' as const }) };
}

function stageNames(
  settings: ModuleSettings,
  features: readonly StageFeature[],
  handlers: readonly HandlerDeclaration[],
): Set<string> {
  const { deadLetterChannel, stages } = settings;
  return new Set([
    ...(deadLetterChannel === undefined ? [] : [deadLetterChannel]),
    ...features.map(({ name }) => name),
    ...handlers.map(({ stage }) => stage),
    ...Object.keys(stages),
  ]);
}

function byKey<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Layers of one rank have to agree: neither goes before the other. */
function agreed(stage: string, layers: readonly Layer[]): StageOptions {
  for (const { owner, options } of layers) checkStageOptions(owner, options);
  const merged: Record<string, unknown> = {};
  const owners: Record<string, string> = {};
  for (const { owner, options } of layers) {
    for (const [option, value] of Object.entries(options)) {
      if (value === undefined) continue;
      const earlier = owners[option];
      if (earlier !== undefined && show(merged[option]) !== show(value)) {
        const detail = `${earlier}: ${option} ${show(merged[option])}, ${owner}: ${option} ${show(value)}`;
        throw new StageConflictError(stage, detail);
      }
      merged[option] = value;
      owners[option] = owner;
    }
  }
  return merged;
}

function featureLayer({ name, ...options }: StageFeature): Layer {
  return layer(`forFeature('${name}')`, options);
}

function handlerLayer({ owner, source, stage, options }: HandlerDeclaration): Layer {
  return layer(
    source === undefined ? `@Stage('${stage}') on ${owner}` : `@DeadLetter('${source}') on ${owner}`,
    options,
  );
}

function rootLayers({ stages }: ModuleSettings, name: string): Layer[] {
  const options = Object.hasOwn(stages, name) ? stages[name] : undefined;
  return options === undefined ? [] : [layer(`stages['${name}']`, options)];
}

function layer(owner: string, options: StageOptions): Layer {
  return { owner, options };
}

/** A dead letter is never dead-lettered again: a handler for those of a channel would wait for ever. */
function checkHandler({ owner, stage, source, keep }: HandlerDeclaration, channels: ReadonlySet<string>): void {
  if (source === undefined) {
    checkStageName(`@Stage on ${owner}: name`, stage);
    return;
  }
  checkStageName(`@DeadLetter on ${owner}: source`, source);
  if (channels.has(source)) {
    const rule = 'a stage that is no dead-letter channel itself; the handler of a channel is a @Stage';
    throw new InvalidOptionError(`@DeadLetter on ${owner}: source`, rule, source);
  }
  if (typeof keep !== 'boolean') throw new InvalidOptionError(`@DeadLetter on ${owner}: keep`, 'a boolean', keep);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
