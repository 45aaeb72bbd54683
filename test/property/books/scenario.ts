import fc from 'fast-check';
import { Backpressure, Delivery, type StageOptions } from '#engine';

type Given = 'capacity' | 'concurrency' | 'backpressure' | 'maxAttempts' | 'maxWaiting' | 'hopTimeoutMs';

/** One stage of a random bus. */
export interface StageScenario {
  readonly name: string;
  readonly options: StageOptions & Required<Pick<StageOptions, Given>>;
  readonly consumers: number;
  /** Its dead letters go to the channel `dead`. */
  readonly deadLetters: boolean;
}

/** A random bus. */
export interface Scenario {
  readonly stages: readonly StageScenario[];
  /** The dead-letter channel. */
  readonly dead: StageScenario;
  readonly concurrency: number | undefined;
  readonly starting: boolean;
}

/** The last stage is not there from the start: it comes with its first consumer. */
export const LATE = 'late';
export const DEAD = 'dead';

const POLICIES = [Backpressure.Block, Backpressure.Reject, Backpressure.DropNewest, Backpressure.DropOldest];

const stage = (name: string, place: number, timeLimits = fc.boolean()): fc.Arbitrary<StageScenario> =>
  fc
    .record({
      capacity: fc.constantFrom(1, 2, 1, 3, 4),
      concurrency: fc.integer({ min: 1, max: 3 }),
      backpressure: fc.constantFrom(...POLICIES),
      maxAttempts: fc.integer({ min: 1, max: 3 }),
      backoff: fc.boolean(),
      pubSub: fc.nat(3),
      timeout: timeLimits,
      maxWaiting: fc.integer({ min: 0, max: 3 }),
      consumers: fc.constantFrom(1, 2, 1, 0),
      deadLetters: fc.boolean(),
    })
    .map(({ backoff, pubSub, timeout, consumers, deadLetters, ...rest }) => ({
      name,
      consumers,
      deadLetters,
      options: {
        ...rest,
        hopTimeoutMs: 410 + place,
        delivery: pubSub === 3 ? Delivery.PubSub : Delivery.PointToPoint,
        ...(backoff && { backoff: { type: 'fixed', delayMs: 500 + 37 * place } as const }),
        ...(timeout && { timeoutMs: 1_700 + 41 * place }),
      },
    }));

/** A dead letter that is handled has no time limit: nothing would tell when it is over. */
const dead = stage(DEAD, 9, fc.constant(false));

/** What a property wants its buses to be like, beyond what every one is like. */
export interface Wanted {
  readonly backpressure?: Backpressure;
  readonly concurrency?: number;
  readonly starting?: boolean;
}

export const scenarios = (wanted: Wanted = {}): fc.Arbitrary<Scenario> =>
  fc
    .record({
      stages: fc.tuple(stage('a', 1), stage('b', 2), stage(LATE, 3)),
      dead,
      concurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      starting: fc.nat(3).map((draw) => draw === 3),
    })
    .map(({ stages, concurrency, starting, ...rest }) => ({
      ...rest,
      stages: stages.map((each) => ({
        ...each,
        options: { ...each.options, backpressure: wanted.backpressure ?? each.options.backpressure },
      })),
      concurrency: wanted.concurrency ?? concurrency,
      starting: wanted.starting ?? starting,
    }));
