import { InvalidOptionError } from '#engine';

/** The options of `SedaBusTesting`. A bad one throws `InvalidOptionError`. */
export interface SedaBusTestingOptions {
  /** What time it is at first, in milliseconds since the Unix epoch. Finite. @default 2026-01-01T00:00:00Z */
  readonly startAt?: number;
  /** What jitter is drawn from: a number in [0, 1). @default the highest there is, so that jitter shortens no delay */
  readonly random?: () => number;
  /**
   * Real milliseconds for which `settled` and `advance` wait, while nothing else moves, for a handler that waits for
   * something outside: a database, a timer of its own. A handler that never ends takes as long; one that is to hang for the
   * sake of the test had better wait at a gate, which takes none. Finite, ≥ 0. @default 1000
   */
  readonly patienceMs?: number;
  /** How many deliveries of each stage are kept: the latest. Integer ≥ 1. @default 10000 */
  readonly keep?: number;
  /**
   * When a bus drains, open its gates, and let time pass by itself until it is closed: `app.close()` in the middle of a test
   * waits for nothing that only the test could bring about. With `false` that is left to the test, which can then look at
   * the shutdown itself. @default true
   */
  readonly releaseOnClose?: boolean;
}

type Rule = readonly [text: string, holds: (value: unknown) => boolean];

const RULES: Readonly<Record<keyof SedaBusTestingOptions, Rule>> = {
  startAt: ['a finite number of milliseconds', Number.isFinite],
  random: ['a function', (value) => typeof value === 'function'],
  patienceMs: ['a finite number of milliseconds ≥ 0', isDuration],
  keep: ['an integer ≥ 1', isCount],
  releaseOnClose: ['a boolean', (value) => typeof value === 'boolean'],
};

const DEFAULTS: Required<SedaBusTestingOptions> = Object.freeze({
  startAt: Date.UTC(2026, 0, 1),
  random: () => 1 - Number.EPSILON,
  patienceMs: 1_000,
  keep: 10_000,
  releaseOnClose: true,
});

/** @throws InvalidOptionError */
export function testingOptions(options: SedaBusTestingOptions = {}): Required<SedaBusTestingOptions> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!Object.hasOwn(RULES, name)) refuse(name, `one of ${Object.keys(RULES).join(', ')}`, value);
    const [text, holds] = RULES[name as keyof SedaBusTestingOptions];
    if (!holds(value)) refuse(name, text, value);
  }
  return { ...DEFAULTS, ...(Object.fromEntries(given) as SedaBusTestingOptions) };
}

export function isDuration(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function refuse(option: string, rule: string, value: unknown): never {
  throw new InvalidOptionError(`SedaBusTesting.${option}`, rule, value);
}
