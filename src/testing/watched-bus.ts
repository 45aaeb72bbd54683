import {
  BusClosedError,
  type Checked,
  type Consumer,
  InvalidOptionError,
  type PayloadOf,
  type SedaBus,
  type StageStats,
} from '#engine';
import type { BusProbe } from '../bus.probe.js';
import type { RecordedDelivery } from './delivery.js';
import { isCount } from './options.js';
import type { StageGate } from './stage-gate.js';
import { WatchedStage } from './watched-stage.js';

/** What a test sees of the handlers of one bus, and does to them. */
export interface TestedBus {
  /**
   * The attempts at the handlers of a stage, in the order in which they began; as they are now. Of a stage that `Stages` does
   * not know the payload may be said: `deliveries<Order>(name)`.
   * @throws UnknownStageError
   */
  deliveries<Name extends string, Payload extends PayloadOf<Name>>(stage: Checked<Name>): RecordedDelivery<Payload>[];
  deliveries<Payload = never>(stage: [Payload] extends [never] ? never : string): RecordedDelivery<Payload>[];
  /**
   * Lets the next attempts at a stage fail with this error, `times` of them, instead of calling the handler. Attempts that
   * wait at a gate are among the next ones; what several calls have in store comes one after the other.
   * @throws UnknownStageError, InvalidOptionError
   * @throws BusClosedError once the bus is closed
   */
  failNext<Name extends string>(stage: Checked<Name>, error: unknown, times?: number): void;
  /**
   * Closes a gate at a stage: attempts wait there, with their permits, before the handler is called. The same gate until it
   * is opened, then a new one.
   * @throws UnknownStageError
   * @throws BusClosedError once the bus is closed, or its gates were opened because it drains
   */
  gate<Name extends string>(stage: Checked<Name>): StageGate;
}

/** A stage that is not done, and what there is to do. */
export interface WorkLeft {
  readonly stage: string;
  readonly what: string;
  /** Whether a handler runs that may be waiting for something outside. */
  readonly mayEnd: boolean;
}

/** One bus under test. */
export class WatchedBus implements TestedBus, BusProbe {
  private readonly stages = new Map<string, WatchedStage>();
  private bus: SedaBus | undefined;
  private changes = 0;
  private released = false;

  /**
   * @param keep how many deliveries of each stage are kept
   * @param draining called when the bus begins to drain
   */
  constructor(
    private readonly keep: number,
    private readonly draining: () => void,
  ) {}

  attach(bus: SedaBus): void {
    this.bus = bus;
    bus.on('state', ({ to }) => {
      if (to === 'draining') this.draining();
    });
  }

  wrap(stage: string, handler: Consumer): Consumer {
    const watched = this.watch(stage);
    return (envelope, attempt) => watched.run(handler, envelope, attempt);
  }

  get attached(): boolean {
    return this.bus !== undefined;
  }

  get isDraining(): boolean {
    return this.bus?.state === 'draining';
  }

  deliveries<Payload>(stage: string): RecordedDelivery<Payload>[] {
    return this.known(stage).deliveries as RecordedDelivery<Payload>[];
  }

  failNext(stage: string, error: unknown, times = 1): void {
    if (!isCount(times)) throw new InvalidOptionError('failNext: times', 'an integer ≥ 1', times);
    const watched = this.known(stage);
    if (this.bus?.state === 'closed') throw new BusClosedError(`failNext('${stage}')`);
    watched.fail(error, times);
  }

  gate(stage: string): StageGate {
    const watched = this.known(stage);
    if (this.released || this.bus?.state === 'closed') throw new BusClosedError(`gate('${stage}')`);
    return watched.close();
  }

  reset(): void {
    for (const stage of this.stages.values()) stage.reset();
  }

  /** Opens all gates for good. */
  release(): void {
    this.released = true;
    for (const stage of this.stages.values()) stage.open();
  }

  /** The same as before as long as nothing happens. */
  get fingerprint(): string {
    if (this.bus === undefined) return '';
    const { unroutable, early, callbackErrors } = this.bus.totals();
    const counts = Object.values(this.bus.stats()).flatMap(countsOf);
    return [this.bus.state, this.changes, unroutable, early, callbackErrors, ...counts].join();
  }

  /** Whether an attempt runs, or waits for room at its next stage. */
  get isBusy(): boolean {
    return this.bus !== undefined && Object.values(this.bus.stats()).some(({ inFlight }) => inFlight > 0);
  }

  /** What is queued or runs. Timers that are not due do not count, and what is at rest, as parked dead letters are. */
  async workLeft(): Promise<WorkLeft[]> {
    const { bus } = this;
    if (bus === undefined) return [];
    const { early } = bus.totals();
    const stages = Object.entries(bus.stats());
    const idle = await Promise.all(stages.map(([name]) => isIdle(bus, name)));
    const left = stages.filter((_, index) => !idle[index]).flatMap(([name, stats]) => this.leftAt(name, stats));
    if (early > 0)
      left.push({ stage: '?', what: `${early} for stages that are not known before the start`, mayEnd: false });
    return left;
  }

  private leftAt(stage: string, stats: StageStats): WorkLeft[] {
    const { inFlight, waiting, depth, keepsDeadLetters, retrying, state } = stats;
    const watched = this.stages.get(stage);
    const atGate = watched?.waiting ?? 0;
    const inHandler = watched === undefined ? inFlight : watched.running;
    // A channel that waits for a retry and has parked letters, too, is at rest but for that.
    const queued = keepsDeadLetters && retrying > 0 ? 0 : depth;
    if (inFlight + waiting + queued === 0) return [];
    const counts: [number, string][] = [
      [atGate, 'at a closed gate'],
      [inHandler, 'in the handler'],
      [atGate + inHandler === 0 ? inFlight : 0, 'waiting for room at the next stage'],
      [queued, state === 'open' ? 'queued' : `queued (the stage is ${state})`],
      [waiting, 'waiting to come in'],
    ];
    const what = counts.filter(([count]) => count > 0).map(([count, where]) => `${count} ${where}`);
    return [{ stage, what: what.join(', '), mayEnd: inHandler > 0 }];
  }

  private watch(stage: string): WatchedStage {
    let watched = this.stages.get(stage);
    if (watched === undefined) {
      watched = new WatchedStage(this.keep, () => this.changes++);
      this.stages.set(stage, watched);
    }
    return watched;
  }

  /** @throws UnknownStageError */
  private known(stage: string): WatchedStage {
    // Whoever asks for the dead letters of a stage that does not exist is told the nearest names.
    if (!this.stages.has(stage) && this.bus?.stage(stage) === undefined) this.bus?.deadLetters(stage);
    return this.watch(stage);
  }
}

function countsOf(stats: StageStats): number[] {
  const { offered, waiting, depth, retrying, inFlight, enqueued, delivered, nacked, deadLettered, dropped } = stats;
  return [offered, waiting, depth, retrying, inFlight, enqueued, delivered, nacked, deadLettered, dropped];
}

/** Whether `bus.idle` is resolved now. */
async function isIdle(bus: SedaBus, stage: string): Promise<boolean> {
  let idle = false;
  void bus.idle(stage).then(() => (idle = true));
  await Promise.resolve();
  return idle;
}
