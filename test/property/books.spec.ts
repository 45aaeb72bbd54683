import fc from 'fast-check';
import { commands } from './books/commands.js';
import { run } from './books/run.js';
import { scenarios } from './books/scenario.js';

const RUNS = Number(process.env['SEDA_PROPERTY_RUNS'] ?? 100_000);

test('C8 the books', async () => {
  await fc.assert(fc.asyncProperty(scenarios(), commands(), run), { numRuns: RUNS / 4 });
}, 600_000);
