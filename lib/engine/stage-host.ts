import type { AsyncLocalStorage } from 'node:async_hooks';
import type { AbortWatch } from './admission/abort-watch.js';
import type { RunningAttempt } from './delivery/attempt.js';
import type { Calendar, Clock } from './clock.js';
import type { Dispatcher } from './dispatch/dispatcher.js';
import type { Permits } from './dispatch/permits.js';
import type { Turn } from './dispatch/turn.js';
import type { EnvelopeShape } from './envelope.js';
import type { Listeners } from './events.js';
import type { Lifecycle } from './lifecycle/lifecycle.js';
import type { PublishOptions } from './intake/publish-options.js';
import type { Stage } from './stage.js';

/** What a stage asks of the bus it belongs to. */
export interface StageHost {
  readonly clock: Clock;
  /** Cheaper to ask than the clock, and a few steps behind it at most. */
  readonly calendar: Calendar;
  readonly random: () => number;
  readonly permits: Permits;
  readonly dispatcher: Dispatcher;
  readonly turn: Turn;
  readonly lifecycle: Lifecycle;
  readonly listeners: Listeners;
  readonly aborts: AbortWatch;
  /** Whether the whole bus is held. */
  readonly held: boolean;
  /** While draining: when it ends, in milliseconds of the clock. */
  readonly deadline: number | undefined;
  stageNamed(name: string): Stage | undefined;
  deadLetterChannelOf(stage: Stage): Stage | undefined;
  /** The attempt that the present code runs in; only where `publishWhileDraining` pays for it. */
  readonly attempts: AsyncLocalStorage<RunningAttempt> | undefined;
  /** `attempt.publish`. */
  publishFrom(attempt: RunningAttempt, envelope: EnvelopeShape, options?: PublishOptions): Promise<boolean>;
  /** Records of a stage cannot be read any more. */
  recordsDamaged(stage: string, count: number, error: Error): void;
  /** A stage has less to do than before: perhaps somebody waits for it to be idle. */
  lessToDo(): void;
}
