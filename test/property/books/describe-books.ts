import fc from 'fast-check';
import { commands } from './commands.js';
import { run } from './run.js';
import { type Wanted, scenarios } from './scenario.js';

/** Random sequences of commands, all in all; each test has its share. */
const RUNS = Number(process.env['SEDA_PROPERTY_RUNS'] ?? 100_000);

/** A kind of bus, and which share of all sequences is run on such buses. */
export interface Kind {
  readonly bus: string;
  readonly wanted: Wanted;
  readonly share: number;
}

/** C8, for each kind of bus. In several files, so that they can run side by side. */
export function describeBooks(kinds: readonly Kind[]): void {
  const { stackTraceLimit } = Error;

  describe('C8 whatever happens', () => {
    // Thousands of errors are made, and nobody reads where.
    beforeAll(() => void (Error.stackTraceLimit = 0));
    afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

    it.each(kinds)(
      'the books of $bus balance at every instant, each envelope has one end, and nothing is left undone',
      async ({ wanted, share }) => {
        await fc.assert(fc.asyncProperty(scenarios(wanted), commands(), run), { numRuns: Math.ceil(RUNS * share) });
      },
      600_000,
    );
  });
}
