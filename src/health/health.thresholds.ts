import { type ByStage, InvalidOptionError } from '#engine';

/** What a stage may have before it counts as down. */
export interface StageThresholds {
  /** Its `depth` as a share of its `capacity`. Finite, > 0. @default none */
  readonly maxDepthRatio?: number;
  /** The envelopes it has dead-lettered since the start. Integer ≥ 0. @default none */
  readonly maxDeadLetters?: number;
  /** Milliseconds since the oldest of its queue was admitted. Finite, ≥ 0. @default none */
  readonly maxOldestAgeMs?: number;
}

/** Thresholds for all stages, and for single ones in their place. */
export interface SedaHealthThresholds extends StageThresholds {
  readonly stages?: ByStage<StageThresholds>;
}

type Rule = readonly [text: string, holds: (value: number) => boolean];

const RULES: Readonly<Record<keyof StageThresholds, Rule>> = {
  maxDepthRatio: ['a finite number > 0', (value) => Number.isFinite(value) && value > 0],
  maxDeadLetters: ['an integer ≥ 0', (value) => Number.isSafeInteger(value) && value >= 0],
  maxOldestAgeMs: ['a finite number of milliseconds ≥ 0', (value) => Number.isFinite(value) && value >= 0],
};

/**
 * Checks thresholds, and that the stages they name are known.
 * @throws InvalidOptionError
 */
export function checkThresholds(thresholds: SedaHealthThresholds, known: readonly string[]): void {
  const { stages = {}, ...all } = checkedObject('thresholds', thresholds);
  checkOne('thresholds', all);
  for (const [name, ofStage] of Object.entries(checkedObject('thresholds.stages', stages))) {
    if (!known.includes(name)) throw new InvalidOptionError('thresholds.stages', `of ${known.join(', ')}`, name);
    checkOne(`thresholds.stages['${name}']`, checkedObject(`thresholds.stages['${name}']`, ofStage));
  }
}

function checkOne(owner: string, thresholds: object): void {
  for (const [name, value] of Object.entries(thresholds)) {
    if (!Object.hasOwn(RULES, name)) {
      throw new InvalidOptionError(`${owner}.${name}`, `one of ${Object.keys(RULES).join(', ')}, stages`, value);
    }
    const [text, holds] = RULES[name as keyof StageThresholds];
    if (value !== undefined && !holds(value as number)) throw new InvalidOptionError(`${owner}.${name}`, text, value);
  }
}

/** @throws InvalidOptionError */
export function checkedObject<T extends object>(option: string, value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidOptionError(option, 'an object', value);
  }
  return value;
}
