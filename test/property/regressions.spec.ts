import { Backpressure, type SedaBus, makeEnvelope } from '#engine';
import { Gate } from '../support/gate.js';
import { manualBus } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** Counterexamples that properties found, shrunk, each as a plain test. */
describe('Found by a property:', () => {
  const fails = (): boolean => false;
  const statsOf = (bus: SedaBus, name: string): unknown => bus.stats()[name];

  it('a delayed publish refused while the bus drains is closed out, and no loss', async () => {
    const { bus } = manualBus();
    bus.channel('s').subscribe('s', () => undefined);
    const finished = bus.shutdown({ timeoutMs: 100 });
    expect(await bus.publish(makeEnvelope('s'), { delayMs: 200 })).toBe(false);
    expect(statsOf(bus, 's')).toMatchObject({ droppedBy: { closed: 1, abandoned: 0 } });
    expect(await finished).toBe(true);
  });

  it('an envelope accepted before its stage was there is not given up at the start', async () => {
    const { bus, clock } = manualBus({ autoStart: false });
    const controller = new AbortController();
    const options = { signal: controller.signal, timeoutMs: 0 };
    const accepted = ['first', 'second'].map((payload) => bus.offer(makeEnvelope('late', payload), options));
    controller.abort();
    const seen: unknown[] = [];
    bus.channel('late', { capacity: 1 }).subscribe('late', (envelope) => void seen.push(envelope.content()));
    await bus.start();
    await clock.advance(1);
    expect([accepted, seen]).toEqual([
      [true, true],
      ['first', 'second'],
    ]);
  });

  it('the place of a dead letter that waits to be redriven is kept, and is not there for others', async () => {
    const { bus } = manualBus();
    bus.channel('dead', { capacity: 1 }).channel('s', { capacity: 1 }).setDeadLetterChannel('s', 'dead');
    bus.subscribe('s', fails).offer(makeEnvelope('s'));
    await turn();
    bus.hold('s');
    bus.offer(makeEnvelope('s'));
    const redriven = bus.deadLetters('dead').redrive('all');
    expect(bus.offer(makeEnvelope('dead'))).toBe(false);
    bus.shutdownNow();
    expect(await redriven).toBe(0);
    expect(statsOf(bus, 'dead')).toMatchObject({ depth: 1, inFlight: 0 });
  });

  it('a refused redrive costs no dead letter, though more are kept than there is room for', async () => {
    const { bus } = manualBus();
    const gate = new Gate();
    bus.channel('dead', { capacity: 1, backpressure: Backpressure.DropOldest }).setDeadLetterChannel('s', 'dead');
    bus.subscribe('s', fails).subscribe('dead', () => gate.opened.then(fails));
    for (const payload of ['handled meanwhile', 'queued meanwhile']) {
      bus.offer(makeEnvelope('s', payload));
      await turn();
    }
    gate.open();
    await turn();
    bus.pause('s');
    expect(await bus.deadLetters('dead').redrive('all')).toBe(0);
    expect(statsOf(bus, 'dead')).toMatchObject({ depth: 2, dropped: 0 });
  });

  it('a delayed envelope that becomes due where it only rests leaves the bus idle', async () => {
    const { bus, clock } = manualBus();
    bus.setDeadLetterChannel('s', 'dead').offer(makeEnvelope('dead'), { delayMs: 50 });
    const [idle, finished] = [bus.idle(), bus.shutdown({ timeoutMs: 100 })];
    await clock.advance(50);
    await idle;
    expect(bus.state).toBe('closed');
    expect(await finished).toBe(false);
  });

  it('a stage that becomes a dead-letter channel is at rest, and the bus idle', async () => {
    const { bus } = manualBus({ autoStart: true });
    bus.channel('dead').hold('dead');
    bus.offer(makeEnvelope('dead'));
    const idle = bus.idle();
    bus.setDeadLetterChannel('s', 'dead');
    await idle;
    expect(statsOf(bus, 'dead')).toMatchObject({ depth: 1 });
  });
});
