import { type SedaEventName, type SedaEvents, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** Does something that each event tells of. */
async function provokeAll(bus: ReturnType<typeof manualBus>['bus']): Promise<void> {
  bus.channel('a', { maxAttempts: 2, capacity: 1, backpressure: 'reject' }).subscribe('a', () => false);
  offerEach(bus, 'a', ['x']);
  await bus.idle();
  bus.offer(makeEnvelope('nowhere'));
  bus.hold('a');
  offerEach(bus, 'a', ['y', 'z']);
  bus.release('a');
  await bus.idle();
  bus.pause();
  await bus.shutdown();
}

const PROVOKED: readonly SedaEventName[] = [
  'dropped',
  'deadLetter',
  'retry',
  'unroutable',
  'state',
  'stageState',
  'warning',
];

describe('Events', () => {
  it('tell what happened, when it has happened', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    const told: [string, object][] = [];
    for (const name of PROVOKED)
      bus.on(name, (event: SedaEvents[typeof name]) => void told.push([name, { ...event, envelope: 0 }]));
    await provokeAll(bus);
    const retry = { stage: 'a', attempt: 1, delayMs: 0, error: expect.objectContaining({ code: 'SEDA_NACKED' }) };
    const dead = { stage: 'a', channel: 'dead', reason: 'max-attempts', attempts: 2, error: expect.any(Object) };
    const expected = [
      ['retry', retry],
      ['deadLetter', dead],
      ['unroutable', { stage: 'nowhere' }],
      ['stageState', { stage: 'a', from: 'open', to: 'held' }],
      ['dropped', { stage: 'a', reason: 'rejected' }],
      ['stageState', { stage: 'a', from: 'held', to: 'open' }],
      ['retry', retry],
      ['deadLetter', dead],
      ['state', { from: 'open', to: 'paused' }],
      ['state', { from: 'paused', to: 'draining' }],
      ['state', { from: 'draining', to: 'closed' }],
      ['warning', { code: 'SEDA_DEAD_LETTERS_LEFT', message: expect.any(String) }],
    ];
    expect(told.map(([name, event]) => [name, { ...event, envelope: 1 }])).toEqual(
      expected.map(([name, event]) => [name, { ...(event as object), envelope: 1 }]),
    );
  });

  it('a stageState is told for the stage itself and for the bus that is held, each real change once', () => {
    const { bus } = manualBus();
    const told: string[] = [];
    bus.channel('a').channel('b');
    bus.on('stageState', ({ stage, from, to }) => told.push(`${stage}: ${from} → ${to}`));
    bus.pause('a');
    bus.pause('a');
    bus.hold();
    bus.hold('a');
    bus.release();
    bus.release('a');
    bus.resume('a');
    expect(told).toEqual([
      'a: open → paused',
      'a: paused → held',
      'b: open → held',
      'b: held → open',
      'a: held → paused',
      'a: paused → open',
    ]);
  });

  it('listeners are called at once, in order, the same one as often as it was added, and off removes one', () => {
    const { bus } = manualBus();
    let calls = '';
    const x = (): void => void (calls += 'x');
    const y = (): void => void (calls += 'y');
    expect(bus.on('state', x).on('state', y).on('state', x)).toBe(bus);
    bus.pause();
    expect(calls).toBe('xyx');
    bus
      .off('state', x)
      .off('state', () => undefined)
      .off('dropped', x);
    bus.resume();
    expect(calls).toBe('xyxyx');
  });

  it('a listener that adds or removes others does not disturb the present event', () => {
    const { bus } = manualBus();
    let calls = '';
    const last = (): void => void (calls += 'z');
    bus.on('state', () => {
      calls += 'x';
      bus.off('state', last).on('state', () => void (calls += 'n'));
    });
    bus.on('state', last);
    bus.pause();
    expect(calls).toBe('xz');
    bus.resume();
    expect(calls).toBe('xzxn');
  });

  it('an event nobody listens to is no error, `error` included', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    await provokeAll(bus);
    expect(bus.totals().callbackErrors).toBe(0);
    expectBalanced(bus);
  });
});

describe('Q10 listeners that fail', () => {
  const failures: Record<string, () => unknown> = {
    throws: () => {
      throw new Error('of the user');
    },
    rejects: async () => {
      await Promise.resolve();
      throw new Error('of the user');
    },
    'throws no error': () => {
      throw undefined;
    },
  };

  it.each(PROVOKED.flatMap((name) => Object.keys(failures).map((how) => [name, how] as const)))(
    'Q10 a listener of `%s` that %s changes nothing, is counted and told',
    async (name, how) => {
      const { bus } = manualBus({ deadLetterChannel: 'dead' });
      const told: unknown[] = [];
      let after = 0;
      bus.on(name, failures[how] as () => unknown).on(name, () => after++);
      bus.on('error', ({ where }) => told.push(where));
      await provokeAll(bus);
      await turn();
      expect(after).toBeGreaterThan(0);
      expect(told).toEqual(numbers(after).map(() => `listener of '${name}'`));
      expect(bus.totals().callbackErrors).toBe(after);
      expect(bus.stats()).toMatchObject({ a: { deadLettered: 2, dropped: 1 }, dead: { depth: 2 } });
      expectBalanced(bus);
    },
  );

  it.each(Object.keys(failures))('Q10 a listener of `error` that %s is counted and not told of itself', async (how) => {
    const { bus } = manualBus();
    let calls = 0;
    bus.on('error', () => {
      calls++;
      return failures[how]?.();
    });
    bus.on('state', () => {
      throw new Error('first');
    });
    bus.pause();
    await turn();
    expect([calls, bus.totals().callbackErrors]).toEqual([1, 2]);
  });
});
