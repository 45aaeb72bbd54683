import { type Checked, InvalidOptionError, ManualClock, type PayloadOf } from '#engine';
import { type ModuleSettings, moduleSettings } from '../seda-bus.options.js';
import { DEFAULT_BUS, SEDA_BUS_NAME, SEDA_BUS_OPTIONS, SEDA_BUS_SETTINGS } from '../seda-bus.tokens.js';
import type { RecordedDelivery } from './delivery.js';
import { SedaTestingError, installedTwice, notInstalled } from './errors.js';
import { type SedaBusTestingOptions, isDuration, testingOptions } from './options.js';
import type { StageGate } from './stage-gate.js';
import { Stillness, realNow, realPause } from './stillness.js';
import { type TestedBus, WatchedBus, type WorkLeft } from './watched-bus.js';

/** What the kit needs of the `TestingModuleBuilder` of `@nestjs/testing`, 11 or 12. */
export interface TestingBuilder {
  overrideProvider(token: unknown): {
    useFactory(options: { factory: (...injected: never[]) => unknown; inject?: unknown[] }): unknown;
  };
}

/**
 * The buses of one application under test. Their time stands still but for {@link advance}; what the application's handlers
 * get is written down, and can be made to fail or to wait. What `bus.subscribe` and `StageRegistry.add` subscribe is not seen.
 *
 * Install it before `compile()`; the rest is there from then on, and what was written down still is when the application is
 * closed. It takes the place of the options `clock` and `random` of the application.
 */
export class SedaBusTesting implements TestedBus {
  /** The time of all buses of the application. */
  readonly clock: ManualClock;
  private readonly options: Required<SedaBusTestingOptions>;
  private readonly buses = new Map<string, WatchedBus>();
  private readonly stillness: Stillness;
  private installed = false;
  private runsOn = false;

  /** @throws InvalidOptionError */
  constructor(options?: SedaBusTestingOptions) {
    this.options = testingOptions(options);
    this.clock = new ManualClock(this.options.startAt);
    this.stillness = new Stillness(this.clock, () => this.all.map(({ fingerprint }) => fingerprint).join(';'));
  }

  /**
   * Puts the kit into the application that the builder is going to make; returns the builder.
   * @throws SedaTestingError when it was put into one before
   */
  install<Builder extends TestingBuilder>(builder: Builder): Builder {
    if (this.installed) throw installedTwice();
    this.installed = true;
    builder.overrideProvider(SEDA_BUS_SETTINGS).useFactory({
      factory: (...given: Parameters<typeof moduleSettings>) => this.watched(moduleSettings(...given)),
      inject: [SEDA_BUS_OPTIONS, SEDA_BUS_NAME],
    });
    return builder;
  }

  /** The time of all buses, in milliseconds since the Unix epoch. */
  get now(): number {
    return this.clock.now();
  }

  /**
   * Resolves when nothing is queued and nothing runs, on any bus; retries, delays and time limits that are not due do not
   * count. A handler that waits for something outside is waited for, as long as `patienceMs` says.
   * @throws SedaTestingError (as a rejection) when nothing happens any more and there is work left; it names the stages
   */
  async settled(): Promise<void> {
    this.requireAny('settled');
    const left = await this.rest(realNow());
    if (left.length > 0) throw notSettled(left);
  }

  /**
   * Lets so many milliseconds pass: fires what becomes due, one after the other, and before and after each lets all happen
   * that follows without time passing; handlers that wait for something outside are waited for as in {@link settled}. Work
   * that waits, at a gate, say, waits on and is no error: whether all is done says `settled`.
   * @throws InvalidOptionError (as a rejection) unless it is a finite number ≥ 0
   */
  async advance(ms: number): Promise<void> {
    if (!isDuration(ms)) throw new InvalidOptionError('advance: ms', 'a finite number of milliseconds ≥ 0', ms);
    this.requireAny('advance');
    const end = this.now + ms;
    const askedAt = realNow();
    do await this.rest(askedAt);
    while (this.clock.step(end));
  }

  deliveries<Name extends string, Payload extends PayloadOf<Name>>(stage: Checked<Name>): RecordedDelivery<Payload>[];
  deliveries<Payload = never>(stage: [Payload] extends [never] ? never : string): RecordedDelivery<Payload>[];
  deliveries<Payload>(stage: string): RecordedDelivery<Payload>[] {
    return this.require('deliveries').deliveries<Payload>(stage);
  }

  failNext<Name extends string>(stage: Checked<Name>, error: unknown, times?: number): void {
    this.require('failNext').failNext(stage, error, times);
  }

  gate<Name extends string>(stage: Checked<Name>): StageGate {
    return this.require('gate').gate(stage);
  }

  /**
   * The same for a bus with a name: `seda.bus('audit').deliveries('entries')`.
   * @throws InvalidOptionError for a bus that the application does not have
   */
  bus(name: string): TestedBus {
    return this.require('bus', name);
  }

  /** Forgets deliveries and failures in store, and opens all gates, for another test of the same application. */
  reset(): void {
    for (const bus of this.all) bus.reset();
  }

  private get all(): WatchedBus[] {
    return [...this.buses.values()];
  }

  private watched(settings: ModuleSettings): ModuleSettings {
    const { random, keep, releaseOnClose } = this.options;
    const probe = new WatchedBus(keep, () => {
      if (releaseOnClose) void this.runOn(probe);
    });
    this.buses.set(settings.name, probe);
    return { ...settings, bus: { ...settings.bus, clock: this.clock, random }, probe };
  }

  /** @throws SedaTestingError before there is a bus */
  private requireAny(what: string): Map<string, WatchedBus> {
    const attached = new Map([...this.buses].filter(([, bus]) => bus.attached));
    if (attached.size === 0) throw notInstalled(what, this.installed);
    return attached;
  }

  /** @throws SedaTestingError before there is a bus, InvalidOptionError for a name that none has */
  private require(what: string, name: string = DEFAULT_BUS): WatchedBus {
    const attached = this.requireAny(what);
    const bus = attached.get(name);
    if (bus !== undefined) return bus;
    throw new InvalidOptionError('bus', `the name of a bus: ${[...attached.keys()].join(', ')}`, name);
  }

  /** Waits until nothing happens any more without time passing; what is left then. */
  private async rest(askedAt: number): Promise<WorkLeft[]> {
    for (;;) {
      await this.stillness.reached();
      const left = await this.workLeft();
      const stillForMs = realNow() - Math.max(askedAt, this.stillness.movedAt);
      if (!left.some(({ mayEnd }) => mayEnd) || stillForMs >= this.options.patienceMs) return left;
      await realPause();
    }
  }

  private async workLeft(): Promise<WorkLeft[]> {
    const ofEach = [...this.buses].map(async ([name, bus]) => {
      const left = await bus.workLeft();
      return name === DEFAULT_BUS ? left : left.map((each) => ({ ...each, stage: `${name}: ${each.stage}` }));
    });
    return (await Promise.all(ofEach)).flat();
  }

  /** Time passes by itself until the buses that drain are closed: as on the machine while an attempt runs, otherwise at once. */
  private async runOn(draining: WatchedBus): Promise<void> {
    draining.release();
    if (this.runsOn) return;
    this.runsOn = true;
    while (this.all.some(({ isDraining }) => isDraining)) {
      await this.stillness.reached();
      const busy = this.all.some(({ isDraining, isBusy }) => isDraining && isBusy);
      if (!busy && this.clock.step()) continue;
      const end = (await realPause()) + this.now;
      while (this.clock.step(end));
    }
    this.runsOn = false;
  }
}

function notSettled(left: readonly WorkLeft[]): SedaTestingError {
  const what = left.map(({ stage, what: work }) => `'${stage}': ${work}`).join('; ');
  const stages = left.map(({ stage }) => stage);
  const message = `Nothing happens any more, and not all is done. ${what}.`;
  return new SedaTestingError('SEDA_TESTING_NOT_SETTLED', message, stages);
}
