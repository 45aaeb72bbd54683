import type { SedaBus, StageStats } from '#engine';
import type { BusModel } from './bus-model.js';
import type { BusState } from './bus-state.js';
import type { StageModel } from './stage-model.js';

/** What holds in every instant in which a caller can look: the books balance, and no bound is passed. */
export function checkBooks(bus: SedaBus, { dead, borrowed }: BusState): Record<string, StageStats> {
  const stats = bus.stats();
  for (const name in stats) {
    const now = stats[name] as StageStats;
    const { waiting, depth, retrying, inFlight, delivered, deadLettered, dropped } = now;
    const accounted = waiting + depth + retrying + inFlight + delivered + deadLettered + dropped;
    if (accounted !== now.offered) fail(name, `${now.offered} were offered, ${accounted} are accounted for`, now);
    if (sum(now.droppedBy) !== dropped) fail(name, 'the reasons do not add up to the dropped', now);
    if (depth + retrying > now.capacity + now.concurrency) fail(name, 'more wait than may', now);
    // A dead letter on its way back is in flight without an attempt; in its last moment the model knows that it arrives.
    const lent = name === dead.name ? borrowed + 1 : 0;
    if (inFlight > now.concurrency + lent) fail(name, 'more are in flight than may', now);
  }
  return stats;
}

const GROWING = ['offered', 'enqueued', 'delivered', 'nacked', 'deadLettered', 'dropped'] as const;

/** Counters only grow. */
export function checkGrowth(before: Record<string, StageStats>, now: Record<string, StageStats>): void {
  for (const name in before) checkGrowthOf(name, before[name] as StageStats, now[name] as StageStats);
}

function checkGrowthOf(name: string, before: StageStats, now: StageStats): void {
  for (const counter of GROWING) if (now[counter] < before[counter]) fail(name, `${counter} has shrunk`, now);
  for (const reason in now.droppedBy) {
    const key = reason as keyof StageStats['droppedBy'];
    if (now.droppedBy[key] < before.droppedBy[key]) fail(name, `${reason} has shrunk`, now);
  }
}

/**
 * Between two commands the bus has counted exactly what the model has. While timers are due that have not fired yet, an
 * envelope may still be `retrying` that could be in the queue.
 */
export function checkCounts(model: BusModel, stats: Record<string, StageStats>, timersDue: boolean): void {
  for (const stage of model.known) {
    const seen = stats[stage.name] as StageStats;
    const { counts } = stage;
    const wrong =
      seen.offered !== counts.offered ||
      seen.enqueued !== counts.enqueued ||
      seen.delivered !== counts.delivered ||
      seen.nacked !== counts.nacked ||
      seen.deadLettered !== counts.deadLettered ||
      seen.dropped !== stage.dropped ||
      seen.waiting !== stage.waiting ||
      seen.depth + seen.retrying !== stage.queue.length ||
      (seen.retrying !== stage.retrying && !timersDue) ||
      seen.inFlight !== stage.inFlight;
    if (wrong) fail(stage.name, `counted something else than ${show(stage)}`, seen);
    for (const reason in seen.droppedBy) {
      const count = seen.droppedBy[reason as keyof StageStats['droppedBy']];
      if (count !== (stage.droppedBy[reason] ?? 0)) fail(stage.name, `counted another '${reason}'`, seen);
    }
  }
}

/** Between two commands there are the timers that are needed, and after the end none. */
export function checkTimers(model: BusModel, pending: number): void {
  let needed = model.state === 'draining' ? 1 : 0;
  if (model.state !== 'closed') for (const { timers } of model.known) needed += timers;
  if (pending !== needed) fail('bus', `has ${pending} timers and needs ${needed}`);
}

/** Between two commands nothing is left undone that could be done. */
export function checkNothingLeftUndone(model: BusModel, now: number): void {
  for (const stage of model.known) {
    const { name } = stage;
    if (model.consuming && stage.mayStart && stage.ready.length > 0 && model.permitsUsed < model.permits)
      fail(name, 'has work, and nobody has woken it');
    if (model.state === 'closed') continue;
    if (stage.hasRoom && stage.insiders.length > 0) fail(name, 'has room, and a hop or an attempt waits for it');
    if (stage.hasRoom && stage.publishers.length > 0 && model.intakeOpen && !stage.paused)
      fail(name, 'has room, and a publisher waits for it');
    for (const waiter of [...stage.insiders, ...stage.publishers])
      if (waiter.deadline <= now) fail(name, `${waiter.letter.id} waits longer than it may`);
    for (const run of stage.running.values())
      if (now >= run.startedAt + stage.timeoutMs) fail(name, `an attempt runs longer than it may`);
  }
  if (model.state === 'draining' && (model.idle || now >= model.deadline))
    fail('bus', 'has nothing to wait for, and is not closed');
}

function show(stage: StageModel): string {
  const { counts, droppedBy, waiting, depth, retrying, inFlight, dropped } = stage;
  return JSON.stringify({ ...counts, dropped, waiting, depth, retrying, inFlight, droppedBy });
}

function sum(counts: Readonly<Record<string, number>>): number {
  let total = 0;
  for (const name in counts) total += counts[name] as number;
  return total;
}

function fail(stage: string, what: string, seen?: StageStats): never {
  throw new Error(`${stage}: ${what}${seen === undefined ? '' : `: ${JSON.stringify(seen)}`}`);
}
