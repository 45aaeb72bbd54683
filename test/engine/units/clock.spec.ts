import { systemClock } from '#engine';
import { turn } from '../../support/manual-clock.js';

describe('systemClock', () => {
  it('R6 takes a delay that no timer of the platform can have, without firing at once', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    let fired = false;
    const timer = systemClock.setTimeout(() => (fired = true), 60 * 86_400_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await turn();
    systemClock.clearTimeout(timer);
    process.removeListener('warning', note);
    expect([fired, warnings]).toEqual([false, []]);
  });

  it('reads the time since the epoch, and it never runs backwards', () => {
    const times = Array.from({ length: 1_000 }, () => systemClock.now());
    expect(times.every((time, index) => index === 0 || time >= (times[index - 1] as number))).toBe(true);
    expect(Math.abs((times[0] as number) - Date.now())).toBeLessThan(3_600_000);
  });

  it('cancels, and ignores a timer that is gone', () => {
    const timer = systemClock.setTimeout(() => undefined, 10_000);
    systemClock.clearTimeout(timer);
    systemClock.clearTimeout(timer);
    systemClock.clearTimeout(undefined);
    expect(Object.isFrozen(systemClock)).toBe(true);
  });
});
