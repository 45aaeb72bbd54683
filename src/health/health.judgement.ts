import type { BusState, StageStats } from '#engine';
import type { SedaHealthThresholds, StageThresholds } from './health.thresholds.js';

/** From this share of its capacity on, a stage counts as saturated. */
const SATURATED_RATIO = 0.9;
/** So long a refusal, a wait or an eviction counts. */
const PRESSED_MS = 1_000;

export interface Judgement {
  readonly status: 'up' | 'degraded' | 'down';
  /** What is wrong, for a reader; `undefined` when nothing is. */
  readonly reason: string | undefined;
}

/** What there is to judge. */
export interface Subject {
  readonly state: BusState;
  /** Whether the disk of its durable stages is full. */
  readonly storeFull: boolean;
  readonly stages: Readonly<Record<string, StageStats>>;
}

/** The health of a bus. What makes it down goes before what degrades it. */
export function judge(subject: Subject, thresholds: SedaHealthThresholds): Judgement {
  const down = [
    ...downByState(subject.state),
    ...(subject.storeFull ? ['store-full: durable stages accept nothing'] : []),
    ...everyStage(subject, (name) => exceeded(subject, name, thresholds)),
  ];
  if (down.length > 0) return { status: 'down', reason: down.join('; ') };
  const degraded = everyStage(subject, (name, stats) => impaired(name, stats));
  if (degraded.length > 0) return { status: 'degraded', reason: degraded.join('; ') };
  return subject.state === 'paused'
    ? { status: 'degraded', reason: 'the bus is paused' }
    : { status: 'up', reason: undefined };
}

function downByState(state: BusState): string[] {
  if (state === 'starting') return ['the bus has not started'];
  return state === 'draining' || state === 'closed' ? [`the bus is ${state}`] : [];
}

function exceeded(subject: Subject, name: string, thresholds: SedaHealthThresholds): string[] {
  const { depth, capacity, deadLettered, oldestAgeMs } = subject.stages[name] as StageStats;
  const { maxDepthRatio, maxDeadLetters, maxOldestAgeMs } = thresholdsOf(subject, name, thresholds);
  return [
    ...past(name, 'depth / capacity', depth / capacity, maxDepthRatio),
    ...past(name, 'dead letters', deadLettered, maxDeadLetters),
    ...past(name, 'age of the oldest in ms', oldestAgeMs, maxOldestAgeMs),
  ];
}

/** What waits in a dead-letter channel is at rest: its age says nothing unless it is asked for by name. */
function thresholdsOf(subject: Subject, name: string, thresholds: SedaHealthThresholds): StageThresholds {
  const { stages = {}, maxOldestAgeMs, ...all } = thresholds;
  const aged =
    maxOldestAgeMs === undefined || subject.stages[name]?.keepsDeadLetters === true ? {} : { maxOldestAgeMs };
  return { ...all, ...aged, ...(Object.hasOwn(stages, name) ? stages[name] : {}) };
}

function past(name: string, what: string, value: number, most: number | undefined): string[] {
  return most !== undefined && value > most ? [`stage '${name}': ${what} is ${round(value)}, more than ${most}`] : [];
}

function impaired(name: string, stats: StageStats): string[] {
  const { state, depth, capacity, pressedAgoMs } = stats;
  if (state === 'held' || state === 'paused') return [`stage '${name}' is ${state}`];
  if (depth >= SATURATED_RATIO * capacity) return [`stage '${name}' is saturated: depth ${depth} of ${capacity}`];
  return pressedAgoMs < PRESSED_MS ? [`stage '${name}' made publishers wait or refused them just now`] : [];
}

function everyStage({ stages }: Subject, judged: (name: string, stats: StageStats) => string[]): string[] {
  return Object.entries(stages).flatMap(([name, stats]) => judged(name, stats));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
