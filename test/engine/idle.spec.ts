import { type SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { manualBus, numbers, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** Whether a promise has resolved by now. */
async function resolved(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  await turn();
  return done;
}

describe('idle()', () => {
  it('resolves at once when nothing is queued and nothing runs', async () => {
    const { bus } = manualBus();
    bus.channel('a');
    expect(await resolved(bus.idle())).toBe(true);
    expect(await resolved(bus.idle('a'))).toBe(true);
  });

  const busy: Record<string, (bus: SedaBus) => unknown> = {
    'an envelope is queued': (bus) => (bus.hold('a'), offerEach(bus, 'a', [1])),
    'an envelope is delayed': (bus) => bus.offer(makeEnvelope('a'), { delayMs: 1_000 }),
    'an attempt runs': (bus) => offerEach(bus, 'a', [1]),
    'a hop waits for room': (bus) => {
      bus.channel('b', { capacity: 1 });
      bus.hold('b');
      offerEach(bus, 'b', [1]);
      return bus.offer(makeEnvelope('hopping', 1, { slip: ['b'] }));
    },
  };

  it.each(Object.entries(busy))('waits while %s', async (_, occupy) => {
    const { bus } = manualBus();
    bus.subscribe('a', () => new Gate().opened).subscribe('hopping', () => true);
    occupy(bus);
    await turn();
    expect(await resolved(bus.idle())).toBe(false);
    bus.shutdownNow();
    expect(await resolved(bus.idle())).toBe(true);
  });

  it('of one stage looks at nothing else', async () => {
    const { bus } = manualBus();
    bus.subscribe('a', () => new Gate().opened).subscribe('b', () => true);
    offerEach(bus, 'a', [1]);
    offerEach(bus, 'b', [1]);
    expect(await resolved(bus.idle('b'))).toBe(true);
    expect(await resolved(bus.idle('a'))).toBe(false);
  });

  it('resolves when the last attempt has ended, with its callbacks called', async () => {
    const { bus } = manualBus();
    const gate = new Gate();
    let settled = 0;
    bus.subscribe('a', () => gate.opened);
    for (const n of numbers(3)) bus.offer(makeEnvelope('a', n), { onSettled: () => settled++ });
    const idle = bus.idle();
    gate.open();
    await idle;
    expect([settled, bus.stats()['a']?.delivered]).toEqual([3, 3]);
  });

  it('does not resolve between two stages of an itinerary', async () => {
    const { bus } = manualBus();
    const way: string[] = [];
    for (const name of ['a', 'b', 'c']) bus.subscribe(name, async () => void way.push(name));
    bus.offer(makeEnvelope('a', 1, { slip: ['b', 'c'] }));
    await bus.idle();
    expect(way).toEqual(['a', 'b', 'c']);
  });

  it('counts parked dead letters as at rest, and those that a handler is to have not', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.subscribe('a', () => false);
    offerEach(bus, 'a', [1]);
    await bus.idle();
    const consumer = (): boolean => true;
    bus.hold('dead');
    bus.subscribe('dead', consumer);
    const idle = bus.idle();
    expect(await resolved(idle)).toBe(false);
    bus.unsubscribe('dead', consumer);
    expect(await resolved(idle)).toBe(true);
    expectBalanced(bus);
  });

  it('resolves for one who waits when the stage turns out to be a channel that parks', async () => {
    const { bus } = manualBus();
    bus.channel('dead');
    bus.hold('dead');
    offerEach(bus, 'dead', [1]);
    const idle = bus.idle();
    expect(await resolved(idle)).toBe(false);
    bus.setDeadLetterChannel('a', 'dead');
    expect(await resolved(idle)).toBe(true);
  });

  it('resolves when the last envelope is purged, and when it is abandoned', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.subscribe('a', () => false).subscribe('dead', () => true);
    bus.hold('dead');
    await bus.publishAndWait(makeEnvelope('a'));
    const purged = bus.idle();
    expect(await resolved(purged)).toBe(false);
    await bus.deadLetters('dead').purge('all');
    expect(await resolved(purged)).toBe(true);
    bus.hold();
    offerEach(bus, 'a', [1]);
    const abandoned = bus.idle();
    expect(await resolved(abandoned)).toBe(false);
    bus.shutdownNow();
    expect(await resolved(abandoned)).toBe(true);
    expectBalanced(bus);
  });

  it('Q01 is the same promise for all who wait, and constant: 100,000 calls', async () => {
    const { bus } = manualBus();
    const gate = new Gate();
    bus.subscribe('a', () => gate.opened);
    offerEach(bus, 'a', [1]);
    const promises = new Set<Promise<void>>();
    for (let call = 0; call < 100_000; call++) promises.add(bus.idle());
    expect(promises.size).toBe(1);
    gate.open();
    await Promise.all(promises);
    for (let call = 0; call < 100_000; call++) promises.add(bus.idle());
    expect(promises.size).toBe(2);
  });
});
