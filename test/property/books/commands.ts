import fc from 'fast-check';

/** What can happen to a bus. `a` and `b` say to what and how; what they mean is each command's own. */
export interface Command {
  readonly do: CommandName;
  readonly a: number;
  readonly b: number;
}

const WEIGHTS = {
  publish: 26,
  offer: 8,
  settle: 24,
  advance: 8,
  attemptPublish: 5,
  abort: 3,
  pause: 2,
  resume: 3,
  hold: 2,
  release: 3,
  subscribe: 2,
  unsubscribe: 2,
  redrive: 3,
  purge: 1,
  start: 3,
  shutdown: 0.5,
  shutdownNow: 0.25,
} as const;

export type CommandName = keyof typeof WEIGHTS;

/** A name as often as its weight says, so that one number draws it. */
const NAMES = Object.entries(WEIGHTS).flatMap(([name, weight]) =>
  Array.from({ length: weight * 4 }, () => name as CommandName),
);

const command: fc.Arbitrary<Command> = fc
  .tuple(fc.nat(NAMES.length - 1), fc.nat(255), fc.nat(4_095))
  .map(([draw, a, b]) => ({ do: NAMES[draw] as CommandName, a, b }));

export const commands = (maxLength = 30): fc.Arbitrary<Command[]> => fc.array(command, { maxLength, size: 'max' });
