import { Turn } from '../../../lib/engine/dispatch/turn.js';

const round = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Keeps the machine busy for real, as the budget is in real time. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('Turn', () => {
  it('R3.4 is not spent while there is budget', () => {
    const turn = new Turn(1e9);
    for (let step = 0; step < 10_000; step++) expect(turn.spent()).toBe(false);
  });

  it('R3.4 is spent when the budget is used up, by few slow steps', () => {
    const turn = new Turn(2);
    expect(turn.spent()).toBe(false);
    let steps = 0;
    do {
      work(1);
      steps++;
    } while (!turn.spent());
    expect(steps).toBeLessThanOrEqual(4);
  });

  it('R3.4 is spent when the budget is used up, by many quick steps', () => {
    const turn = new Turn(1);
    const most = 50_000_000;
    let steps = 0;
    while (!turn.spent() && steps < most) steps++;
    expect(steps).toBeLessThan(most);
    expect(turn.spent()).toBe(true);
  });

  it('R3.4 begins anew when the event loop has come round', async () => {
    const turn = new Turn(1);
    turn.spent();
    work(2);
    while (!turn.spent());
    await round();
    expect(turn.spent()).toBe(false);
  });

  it('R3.4 next() resolves when the loop has come round, the same promise for all who ask in one turn', async () => {
    const turn = new Turn(1);
    let rounds = 0;
    setImmediate(() => rounds++);
    const next = turn.next();
    expect(turn.next()).toBe(next);
    expect(await next).toBe(true);
    expect(rounds).toBe(1);
    expect(turn.next()).not.toBe(next);
    await turn.next();
  });

  it('R8.6 keeps nothing alive after its turn', async () => {
    const immediates = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Immediate').length;
    const before = immediates();
    const turn = new Turn(1);
    turn.spent();
    expect(immediates()).toBe(before + 1);
    await round();
    expect(immediates()).toBeLessThanOrEqual(before);
  });
});
