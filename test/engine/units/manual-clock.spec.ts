import { ManualClock, SedaBus, makeEnvelope } from '#engine';

describe('ManualClock', () => {
  const START = 1_000;
  let clock: ManualClock;
  let fired: string[];
  beforeEach(() => {
    clock = new ManualClock(START);
    fired = [];
  });

  const set = (name: string, delayMs: number): unknown =>
    clock.setTimeout(() => fired.push(`${name} ${clock.now() - START}`), delayMs);

  it('stands still, at a fixed time unless told otherwise', () => {
    set('a', 0);
    expect([clock.now(), new ManualClock().now(), clock.pending, ...fired]).toEqual([1_000, Date.UTC(2026, 0, 1), 1]);
  });

  it('fires timers by their due time, in order of setting among equals, each at its time', async () => {
    for (const [name, delayMs] of Object.entries({ late: 30, a: 10, b: 10, past: -5, never: 51 })) set(name, delayMs);
    await clock.advance(50);
    expect(fired).toEqual(['past 0', 'a 10', 'b 10', 'late 30']);
    expect([clock.now() - START, clock.pending]).toEqual([50, 1]);
  });

  it('lets all happen that follows from a timer before the next', async () => {
    clock.setTimeout(() => {
      void Promise.resolve().then(() => set('follows', 5));
    }, 10);
    set('next', 20);
    await clock.advance(20);
    expect(fired).toEqual(['follows 15', 'next 20']);
  });

  it('fires one timer a step, and tells when none is left', () => {
    set('a', 10);
    set('b', 20);
    const end = START + 15;
    expect([clock.step(end), clock.step(end), ...fired, clock.now() - START]).toEqual([true, false, 'a 10', 15]);
    expect([clock.step(), clock.step(), ...fired, clock.now() - START]).toEqual([true, false, 'a 10', 'b 20', 20]);
  });

  it('knows whether a timer should have fired by now', () => {
    set('a', 1);
    expect(clock.overdue).toBe(false);
    set('b', 0);
    expect(clock.overdue).toBe(true);
  });

  it('never runs backwards', () => {
    clock.step(START - 10);
    expect(clock.now()).toBe(START);
  });

  it('forgets a timer that is cancelled; one it does not know is ignored', async () => {
    clock.clearTimeout(set('a', 1));
    clock.clearTimeout(undefined);
    await clock.advance(1);
    expect(fired).toEqual([]);
  });

  it('is the time of a bus', async () => {
    const bus = new SedaBus({ clock }).subscribe('a', () => fired.push(`a ${clock.now() - START}`));
    await bus.publish(makeEnvelope('a'), { delayMs: 3_600_000 });
    await clock.advance(3_600_000);
    expect(fired).toEqual(['a 3600000']);
  });
});
