import { type Clock, systemClock } from './clock.js';
import { InvalidOptionError } from './errors.js';
import type { PayloadCodec } from './store/envelope-codec.js';
import type { StoreDescription } from './store/volume.js';

/** What a full stage does with one more envelope. */
export enum Backpressure {
  /** The publisher waits, first come first served, until room, `timeoutMs` or `signal`. */
  Block = 'block',
  /** `false` at once, counted as `rejected`. */
  Reject = 'reject',
  /** `false` at once, counted as `drop-newest`. */
  DropNewest = 'drop-newest',
  /** The oldest queued envelope goes, counted as `drop-oldest`; the new one is accepted. */
  DropOldest = 'drop-oldest',
}

/** Who handles an envelope of a stage with several consumers. */
export enum Delivery {
  /** One consumer, round-robin. */
  PointToPoint = 'p2p',
  /** Every consumer, each with its own copy. */
  PubSub = 'pubsub',
}

/** How often an envelope may reach its consumer. Effectively once, in the end: see `docs/guarantees.md`. */
const SERVICE_LEVELS = Object.freeze(['AtMostOnce', 'AtLeastOnce', 'ExactlyOnce'] as const);

/** A service level by its name; `ra-common`'s `ServiceLevel` has the same values. */
export type ServiceLevelName = (typeof SERVICE_LEVELS)[number];

/** The pause before an envelope that was nacked is tried again. Without one it is tried again at once. */
export interface BackoffOptions {
  /** `fixed`: always `delayMs`. `exponential`: `delayMs × factor^(attempt − 1)`, at most `maxDelayMs`. */
  readonly type: 'fixed' | 'exponential';
  /** Milliseconds before the second attempt. Finite, ≥ 0. */
  readonly delayMs: number;
  /** Growth from attempt to attempt, exponential only. Finite, ≥ 1. @default 2 */
  readonly factor?: number;
  /** Milliseconds, the longest delay. Finite, ≥ 0. @default 30000 for exponential (`delayMs`, if longer), none for fixed */
  readonly maxDelayMs?: number;
  /**
   * Draw the delay evenly from 0 to the computed one, so that failures do not return in step ("full jitter", Brooker,
   * *Exponential Backoff and Jitter*, 2015). @default true for exponential, false for fixed
   */
  readonly jitter?: boolean;
}

/** The options of one stage. Every number is checked when it is given; a bad one throws {@link InvalidOptionError}. */
export interface StageOptions {
  /** How many envelopes may wait: queued, and waiting for a retry or a delay. Integer ≥ 1. @default 1024 */
  readonly capacity?: number;
  /** How many attempts may run at once. Integer ≥ 1. @default 1 */
  readonly concurrency?: number;
  /** @default Delivery.PointToPoint */
  readonly delivery?: Delivery | `${Delivery}`;
  /** @default Backpressure.Block */
  readonly backpressure?: Backpressure | `${Backpressure}`;
  /**
   * How often an envelope is tried before it is dead-lettered. A crash during an attempt counts as one. Integer ≥ 1.
   * @default 1; 3 on a durable stage, where the bus's defaults say no more than 1
   */
  readonly maxAttempts?: number;
  /** @default none: a nacked envelope is tried again at once */
  readonly backoff?: BackoffOptions;
  /**
   * Milliseconds an attempt may take; after that its signal is aborted and it is nacked. A handler that ignores its
   * signal goes on and overlaps its successor. A synchronous handler cannot be cut off. Finite, > 0. @default none
   */
  readonly timeoutMs?: number;
  /** Milliseconds an envelope that leaves this stage waits for room at the next. Finite, ≥ 0. @default 5000 */
  readonly hopTimeoutMs?: number;
  /** How many publishers may wait for room at once. Integer ≥ 0. @default 65536 */
  readonly maxWaiting?: number;
  /** How many envelopes are handled before another stage has its turn. Integer ≥ 1. @default 32 */
  readonly drainBatch?: number;
  /** Pub/sub: `structuredClone` the payload for each consumer instead of sharing it. @default false */
  readonly copyPayload?: boolean;
  /**
   * Whether attempts start in this process. With `false` what is admitted is left to another process that shares the
   * stage's backend; in memory it waits here and is abandoned at the end. @default true
   */
  readonly consume?: boolean;
  /**
   * `AtMostOnce`: in memory. `AtLeastOnce`: in the bus's store, and again after a crash until it is settled. `ExactlyOnce`:
   * also refuses, by accepting and not delivering, what it has admitted before: the same id with the same way ahead.
   * `envelope`: what each envelope's own `serviceLevel` says, in the store. All but the first need the bus's `store`.
   * @default 'AtMostOnce'; 'AtLeastOnce' for a dead-letter channel of a bus with a store
   */
  readonly serviceLevel?: ServiceLevelName | `${ServiceLevelName}` | 'envelope';
  /**
   * Durable: whether what an earlier process has left is delivered again by itself, or waits for `bus.replay(stage)`.
   * @default 'auto'
   */
  readonly replay?: 'auto' | 'manual';
  /**
   * Dead-letter channel: milliseconds a letter is kept. What is older goes, counted as `expired`, when the next one comes or
   * somebody looks. Finite, > 0. @default no limit
   */
  readonly maxAgeMs?: number;
  /** Durable: how many of the envelopes that wait are in memory; the rest is read in as it drains. Integer ≥ 1. @default 1024 */
  readonly windowSize?: number;
  /** `ExactlyOnce`: how many delivered envelopes are remembered. Integer ≥ 1. @default 100000 */
  readonly historySize?: number;
  /** Durable: how payloads are written down. Its name is kept with the stage. @default JSON */
  readonly codec?: PayloadCodec;
}

/** The options of the bus. */
export interface SedaBusOptions {
  /** How many attempts may run at once over all stages. Integer ≥ 1. @default no limit */
  readonly concurrency?: number;
  /** What a stage has that does not say otherwise. */
  readonly defaults?: StageOptions;
  /** Milliseconds of uninterrupted work after which the event loop gets its turn. Real time. Finite, > 0. @default 8 */
  readonly turnMs?: number;
  /** What publishing to a stage that does not exist does: `false`, or {@link UnknownStageError}. @default 'refuse' */
  readonly unknownStage?: 'refuse' | 'throw';
  /** Where dead letters of stages without a channel of their own go; created like any dead-letter channel. @default none */
  readonly deadLetterChannel?: string;
  /**
   * Where durable stages keep their envelopes: `lmdbStore({ path })` of `./lmdb`, or `memoryStore()` in tests. The bus opens
   * it, is `starting` until it has, and closes it at its end. @default none
   */
  readonly store?: StoreDescription;
  /** Consume as soon as there is work; with `false`, only after `bus.start()`. @default true */
  readonly autoStart?: boolean;
  /**
   * Let `bus.publish` inside a handler through while the bus drains. Follows every attempt with an `AsyncLocalStorage`,
   * which costs each of them time; `attempt.publish` does the same for nothing. @default false
   */
  readonly publishWhileDraining?: boolean;
  /**
   * Run handlers and callbacks in the `AsyncLocalStorage` context of the publish: at every attempt and at every stage of
   * the itinerary, not in the handlers of dead letters. Costs each publish an object. @default false
   */
  readonly propagateContext?: boolean;
  /** @default the machine's */
  readonly clock?: Clock;
  /** What jitter is drawn from: a number in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/** A stage's options with nothing left open. */
export interface StageSettings {
  readonly capacity: number;
  readonly concurrency: number;
  readonly delivery: Delivery;
  readonly backpressure: Backpressure;
  readonly maxAttempts: number;
  readonly backoff: Required<BackoffOptions> | undefined;
  readonly timeoutMs: number | undefined;
  readonly hopTimeoutMs: number;
  readonly maxWaiting: number;
  readonly drainBatch: number;
  readonly copyPayload: boolean;
  readonly consume: boolean;
  readonly serviceLevel: ServiceLevelName | 'envelope';
  readonly replay: 'auto' | 'manual';
  readonly maxAgeMs: number | undefined;
  readonly windowSize: number;
  readonly historySize: number;
  readonly codec: PayloadCodec | undefined;
}

/** The bus's options with nothing left open. */
export interface BusSettings {
  readonly concurrency: number;
  readonly defaults: StageSettings;
  readonly turnMs: number;
  readonly unknownStage: 'refuse' | 'throw';
  readonly deadLetterChannel: string | undefined;
  readonly autoStart: boolean;
  readonly store: StoreDescription | undefined;
  readonly publishWhileDraining: boolean;
  readonly propagateContext: boolean;
  readonly clock: Clock;
  readonly random: () => number;
}

const STAGE_DEFAULTS: StageSettings = Object.freeze({
  capacity: 1024,
  concurrency: 1,
  delivery: Delivery.PointToPoint,
  backpressure: Backpressure.Block,
  maxAttempts: 1,
  backoff: undefined,
  timeoutMs: undefined,
  hopTimeoutMs: 5_000,
  maxWaiting: 65_536,
  drainBatch: 32,
  copyPayload: false,
  consume: true,
  serviceLevel: 'AtMostOnce',
  replay: 'auto',
  maxAgeMs: undefined,
  windowSize: 1_024,
  historySize: 100_000,
  codec: undefined,
});

/** How often a durable stage tries where nobody says: a crash is an attempt, too. */
const DURABLE_ATTEMPTS = 3;

/** What a dead-letter channel has that does not say otherwise. */
export const DEAD_LETTER_DEFAULTS: StageOptions = Object.freeze({
  capacity: 4_096,
  backpressure: Backpressure.DropOldest,
});

type Check = (option: string, value: unknown) => void;

/** A ring needs a power of two that an array can hold. */
const LARGEST_CAPACITY = 2 ** 30;

const positiveInteger = rule('an integer ≥ 1', (value) => Number.isSafeInteger(value) && (value as number) >= 1);
const naturalNumber = rule('an integer ≥ 0', (value) => Number.isSafeInteger(value) && (value as number) >= 0);
const boolean = rule('a boolean', (value) => typeof value === 'boolean');
const object = rule('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value));
const callable = rule('a function', (value) => typeof value === 'function');

export const durationMs: Check = rule('a finite number of milliseconds ≥ 0', (value) => finite(value) && value >= 0);
const positiveMs: Check = rule('a finite number of milliseconds > 0', (value) => finite(value) && value > 0);

const STAGE_CHECKS: Readonly<Record<keyof StageOptions, Check>> = {
  capacity: rule(
    `an integer from 1 to ${LARGEST_CAPACITY}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= LARGEST_CAPACITY,
  ),
  concurrency: positiveInteger,
  delivery: oneOf(Object.values(Delivery)),
  backpressure: oneOf(Object.values(Backpressure)),
  maxAttempts: positiveInteger,
  backoff: (option, value) => checkAll(option, value, BACKOFF_CHECKS, ['type', 'delayMs']),
  timeoutMs: positiveMs,
  hopTimeoutMs: durationMs,
  maxWaiting: naturalNumber,
  drainBatch: positiveInteger,
  copyPayload: boolean,
  consume: boolean,
  serviceLevel: oneOf([...SERVICE_LEVELS, 'envelope']),
  replay: oneOf(['auto', 'manual']),
  maxAgeMs: positiveMs,
  windowSize: positiveInteger,
  historySize: positiveInteger,
  codec: rule('an object with a name, encode and decode', isCodec),
};

const oneLevel = oneOf(SERVICE_LEVELS);

const BACKOFF_CHECKS: Readonly<Record<keyof BackoffOptions, Check>> = {
  type: oneOf(['fixed', 'exponential']),
  delayMs: durationMs,
  factor: rule('a finite number ≥ 1', (value) => finite(value) && value >= 1),
  maxDelayMs: durationMs,
  jitter: boolean,
};

const BUS_CHECKS: Readonly<Record<keyof SedaBusOptions, Check>> = {
  concurrency: positiveInteger,
  defaults: (option, value) => checkAll(option, value, STAGE_CHECKS),
  turnMs: positiveMs,
  unknownStage: oneOf(['refuse', 'throw']),
  deadLetterChannel: checkStageName,
  autoStart: boolean,
  store: rule('a store such as lmdbStore({ path }) makes', isStore),
  publishWhileDraining: boolean,
  propagateContext: boolean,
  clock: rule('an object with now, setTimeout and clearTimeout', isClock),
  random: callable,
};

/**
 * Checks a stage's options and fills in what they leave open. `undefined` counts as not given, `null` as a bad value.
 * @param owner what the options belong to, for the error's text
 * @throws InvalidOptionError
 */
export function stageSettings(
  owner: string,
  options: StageOptions | undefined,
  defaults: StageSettings,
): StageSettings {
  if (options === undefined) return defaults;
  checkAll(owner, options, STAGE_CHECKS);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  if (given.length === 0) return defaults;
  const settings = { ...defaults, ...(Object.fromEntries(given) as Partial<StageSettings>) };
  const unsaid = options.maxAttempts === undefined && defaults.maxAttempts === 1;
  return Object.freeze({
    ...settings,
    maxAttempts: unsaid && isDurable(settings) ? DURABLE_ATTEMPTS : settings.maxAttempts,
    backoff: options.backoff === undefined ? defaults.backoff : filledBackoff(options.backoff),
  });
}

/**
 * Checks a stage's options where they were given, which may be far from the bus that will use them.
 * @param owner where they stand; the error names the option as `<owner>: <option>`
 * @throws InvalidOptionError
 */
export function checkStageOptions(owner: string, options: StageOptions): void {
  checkAll(owner, options, STAGE_CHECKS, [], ': ');
}

/**
 * Checks the bus's options and fills in what they leave open.
 * @throws InvalidOptionError
 */
export function busSettings(options: SedaBusOptions = {}): BusSettings {
  checkAll('bus', options, BUS_CHECKS);
  return Object.freeze({
    concurrency: options.concurrency ?? Number.POSITIVE_INFINITY,
    defaults: stageSettings('bus.defaults', options.defaults, STAGE_DEFAULTS),
    turnMs: options.turnMs ?? 8,
    unknownStage: options.unknownStage ?? 'refuse',
    deadLetterChannel: options.deadLetterChannel,
    autoStart: options.autoStart ?? true,
    store: options.store,
    publishWhileDraining: options.publishWhileDraining ?? false,
    propagateContext: options.propagateContext ?? false,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  });
}

/** Whether what waits at such a stage outlives the process. */
export function isDurable({ serviceLevel }: Pick<StageSettings, 'serviceLevel'>): boolean {
  return serviceLevel !== 'AtMostOnce';
}

/** @throws InvalidOptionError */
export function checkServiceLevel(option: string, value: unknown): void {
  oneLevel(option, value);
}

/**
 * Stage names are addresses: any text of 1 to 256 characters.
 * @throws InvalidOptionError
 */
export function checkStageName(option: string, name: unknown): asserts name is string {
  if (typeof name !== 'string' || name.length === 0 || name.length > 256) {
    throw new InvalidOptionError(option, 'a string of 1 to 256 characters', name);
  }
}

function checkAll(
  owner: string,
  options: unknown,
  checks: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
  separator = '.',
): void {
  object(owner, options);
  const given = options as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const option = `${owner}${separator}${name}`;
    if (!Object.hasOwn(checks, name)) {
      throw new InvalidOptionError(option, `one of ${Object.keys(checks).join(', ')}`, value);
    }
    checks[name]?.(option, value);
  }
  for (const name of required) if (given[name] === undefined) checks[name]?.(`${owner}.${name}`, undefined);
}

function filledBackoff(backoff: BackoffOptions): Required<BackoffOptions> {
  return Object.freeze({
    type: backoff.type,
    delayMs: backoff.delayMs,
    factor: backoff.factor ?? 2,
    maxDelayMs: backoff.maxDelayMs ?? (backoff.type === 'fixed' ? backoff.delayMs : Math.max(backoff.delayMs, 30_000)),
    jitter: backoff.jitter ?? backoff.type === 'exponential',
  });
}

function rule(text: string, holds: (value: unknown) => boolean): Check {
  return (option, value) => {
    if (!holds(value)) throw new InvalidOptionError(option, text, value);
  };
}

function oneOf(values: readonly string[]): Check {
  return rule(`one of ${values.map((value) => `'${value}'`).join(', ')}`, (value) => values.includes(value as string));
}

function isClock(value: unknown): boolean {
  const clock = value as Partial<Clock> | null | undefined;
  return [clock?.now, clock?.setTimeout, clock?.clearTimeout].every((method) => typeof method === 'function');
}

function isCodec(value: unknown): boolean {
  const codec = value as Partial<PayloadCodec> | null | undefined;
  return (
    typeof codec?.name === 'string' && [codec.encode, codec.decode].every((method) => typeof method === 'function')
  );
}

function isStore(value: unknown): boolean {
  const store = value as Partial<StoreDescription> | null | undefined;
  return typeof store?.name === 'string' && typeof store.open === 'function';
}

function finite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
