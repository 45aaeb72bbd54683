import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atMost, figure } from '../harness/report.mjs';
import { ratio, spread, takeTurns } from '../harness/rounds.mjs';

const PROVIDERS = 100;
const STAGES_EACH = 2;
const BOOT = fileURLToPath(new URL('../support/boot.mjs', import.meta.url));

/** An application boots once, with code that has never run: each boot has a process of its own. */
export async function run({ rounds }) {
  const measures = await takeTurns({ with: () => boot(STAGES_EACH), without: () => boot(0) }, { rounds: rounds * 4 });
  return [
    figure(`start-up, ${PROVIDERS} providers, ${PROVIDERS * STAGES_EACH} stages`, spread(measures.with), 'ms'),
    figure('start-up, the same providers without stages', spread(measures.without), 'ms'),
    atMost('start-up with stages / without', 1.5, ratio(measures.with, measures.without), '×'),
  ];
}

function boot(stagesEach) {
  return Number(execFileSync(process.execPath, [BOOT, String(PROVIDERS), String(stagesEach)], { encoding: 'utf8' }));
}
