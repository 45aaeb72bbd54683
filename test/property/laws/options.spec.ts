import fc from 'fast-check';
import { InvalidOptionError, SedaBus } from '#engine';

/** Numbers at and around the edges of every rule, and values that are no numbers. */
const values = fc.oneof(
  fc.integer({ min: -2, max: 5 }),
  fc.double(),
  fc.constantFrom<unknown>(0, -0, 1.5, 2 ** 30, 2 ** 30 + 1, 2 ** 53, NaN, Infinity, -Infinity, '3', null, true, false),
  fc.constantFrom<unknown>({}, [], [1], 'block', 'p2p', 'pubsub', 'reject', 'drop-oldest', 'Block', '', 10n),
);

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const integerFrom =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (value: unknown): boolean =>
    isNumber(value) && Math.trunc(value) === value && value >= least && value <= most;
const atLeast =
  (least: number) =>
  (value: unknown): boolean =>
    isNumber(value) && value >= least;
const above0 = (value: unknown): boolean => isNumber(value) && value > 0;
const isBoolean = (value: unknown): boolean => value === true || value === false;
const among =
  (...names: string[]) =>
  (value: unknown): boolean =>
    names.some((name) => name === value);

/** The rules of R1.6, written a second time. */
const STAGE_RULES = {
  capacity: integerFrom(1, 2 ** 30),
  concurrency: integerFrom(1),
  delivery: among('p2p', 'pubsub'),
  backpressure: among('block', 'reject', 'drop-newest', 'drop-oldest'),
  maxAttempts: integerFrom(1),
  timeoutMs: above0,
  hopTimeoutMs: atLeast(0),
  maxWaiting: integerFrom(0),
  drainBatch: integerFrom(1),
  copyPayload: isBoolean,
};

const BACKOFF_RULES = {
  type: among('fixed', 'exponential'),
  delayMs: atLeast(0),
  factor: atLeast(1),
  maxDelayMs: atLeast(0),
  jitter: isBoolean,
};

type Rules = Readonly<Record<string, (value: unknown) => boolean>>;

/** Options with a value for some of the rules; whether they are right. */
const drawn = (rules: Rules): fc.Arbitrary<{ options: Record<string, unknown>; right: boolean }> =>
  fc
    .dictionary(fc.constantFrom(...Object.keys(rules)), values, { maxKeys: 2 })
    .map((options) => ({ options, right: Object.entries(options).every(([name, value]) => rules[name]?.(value)) }));

/** Whether they were accepted. A refusal names the option and leaves no stage behind. */
function accepted(options: Record<string, unknown>): boolean {
  const bus = new SedaBus();
  try {
    bus.channel('s', options);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(bus.stage('s')).toBeUndefined();
    return false;
  }
  return true;
}

describe('The options of a stage', () => {
  it('are accepted if, and only if, each keeps its rule', () => {
    fc.assert(
      fc.property(drawn(STAGE_RULES), ({ options, right }) => accepted(options) === right),
      { numRuns: 4_000 },
    );
  });

  it('are accepted with a backoff if, and only if, each part of it keeps its rule', () => {
    const base = { type: 'fixed', delayMs: 1 };
    fc.assert(
      fc.property(
        drawn(BACKOFF_RULES),
        ({ options, right }) => accepted({ backoff: { ...base, ...options } }) === right,
      ),
      { numRuns: 2_000 },
    );
  });

  it('are refused with a name that is none of theirs', () => {
    const known = [...Object.keys(STAGE_RULES), 'backoff'];
    const unknown = fc.string().filter((name) => !known.includes(name));
    fc.assert(fc.property(unknown, (name) => !accepted({ [name]: 1 })));
  });
});
