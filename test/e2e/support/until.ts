import { turn } from '../../support/manual-clock.js';

const PATIENCE_MS = 50_000;

/** Asks until the answer is the wanted one, and gives it. Throws the last one when it never comes. */
export async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const givesUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > givesUpAt) throw new Error(`Waited in vain; the last answer: ${JSON.stringify(answer)}`);
    await turn();
  }
}
