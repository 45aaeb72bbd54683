/**
 * Machines are shared and noisy, so only what is measured side by side in one process counts: the contestants take turns,
 * round after round, after a warm-up that is not counted.
 */

/** @typedef {() => Promise<number> | number} Contestant Runs its work once and returns its measure, e.g. operations per second. */

/**
 * @param {Record<string, Contestant>} contestants
 * @param {{ rounds: number, warmups?: number }} options
 * @returns {Promise<Record<string, number[]>>} every measure of every contestant, one for each round
 */
export async function takeTurns(contestants, { rounds, warmups = 1 }) {
  const measures = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = -warmups; round < rounds; round++) {
    for (const [name, run] of inOrderOf(round, Object.entries(contestants))) {
      collectGarbage();
      const measure = await run();
      if (round >= 0) measures[name].push(measure);
    }
  }
  return measures;
}

/** Every other round the other way round: nobody is always first after the collection. */
function inOrderOf(round, entries) {
  return round % 2 === 0 ? entries : entries.toReversed();
}

/** Ratios of rounds, not of medians: what disturbed a round disturbed both sides of it. */
export function ratio(measures, baselines) {
  return spread(measures.map((measure, round) => measure / baselines[round]));
}

/** @returns {{ median: number, min: number, max: number }} */
export function spread(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted[sorted.length - 1] };
}

/** @param {ArrayLike<number>} values @param {number} share e.g. 0.99 */
export function percentile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Also for what a contestant has made before its clock starts. */
export function collectGarbage() {
  globalThis.gc?.();
}
