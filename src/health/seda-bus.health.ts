import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService, type HealthIndicatorStatus } from '@nestjs/terminus';
import type { BusState, StageState, StageStats } from '#engine';
import { BusDirectory } from '../bus.directory.js';
import { judge } from './health.judgement.js';
import { type SedaHealthThresholds, checkThresholds, checkedObject } from './health.thresholds.js';

/** What the health of one stage is judged by. */
export interface StageHealth {
  readonly state: StageState;
  readonly depth: number;
  readonly capacity: number;
  readonly inFlight: number;
  readonly waiting: number;
  readonly deadLettered: number;
  readonly oldestAgeMs: number;
}

/** The details of the indicator, beside Terminus's own `status`. */
export interface SedaBusHealth extends Record<string, unknown> {
  readonly state: BusState;
  /** Why it is not simply up. */
  readonly reason?: string;
  readonly stages: Readonly<Record<string, StageHealth>>;
}

/**
 * The health of the bus for `@nestjs/terminus`, 11 and 12. Injectable wherever `SedaBus` is; importing `TerminusModule` is
 * needed for its `HealthCheckService` only.
 *
 * - `down`: the bus has not started, drains or is closed, its store is full, or a stage is past a threshold.
 * - `degraded` (`up` in Terminus 11, with the reason): a stage is held or paused, or saturated: at 90 % of its capacity, or
 *   a publisher was refused or had to wait within the last second.
 * - `up` otherwise.
 */
@Injectable()
export class SedaBusHealthIndicator {
  constructor(
    private readonly buses: BusDirectory,
    private readonly indicators: HealthIndicatorService,
  ) {}

  /**
   * The health of a bus at this instant, under `key`.
   * @throws InvalidOptionError for a threshold that is none or of a stage that does not exist, and for an unknown bus
   */
  isHealthy<const Key extends string>(
    key: Key,
    options: SedaHealthThresholds & { readonly bus?: string } = {},
  ): HealthIndicatorResult<Key, HealthIndicatorStatus, SedaBusHealth> {
    const { bus: name, ...thresholds } = checkedObject('thresholds', options);
    const { bus } = this.buses.require(name);
    const { state, storeFull = false } = bus;
    const stages = bus.stats();
    checkThresholds(thresholds, Object.keys(stages));
    const { status, reason } = judge({ state, storeFull, stages }, thresholds);
    const data: SedaBusHealth = { state, ...(reason !== undefined && { reason }), stages: healthOf(stages) };
    const session = this.indicators.check(key);
    if (status === 'down') return session.down(data);
    return status === 'degraded' && 'degraded' in session ? session.degraded(data) : session.up(data);
  }
}

function healthOf(stages: Readonly<Record<string, StageStats>>): Record<string, StageHealth> {
  const pick = ({ state, depth, capacity, inFlight, waiting, deadLettered, oldestAgeMs }: StageStats): StageHealth => ({
    state,
    depth,
    capacity,
    inFlight,
    waiting,
    deadLettered,
    oldestAgeMs,
  });
  return Object.fromEntries(Object.entries(stages).map(([name, stats]) => [name, pick(stats)]));
}
