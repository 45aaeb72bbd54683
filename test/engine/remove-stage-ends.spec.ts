import { type Outcome, type SedaEvents, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { manualBus, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** Two stages in a row, the second full and at a gate; what is told of drops and dead letters. */
async function jammed() {
  const gate = new Gate();
  const { bus, clock } = manualBus({ deadLetterChannel: 'common' });
  bus.channel('a', { capacity: 5, hopTimeoutMs: 60_000 }).subscribe('a', () => true);
  bus.channel('b', { capacity: 1 }).subscribe('b', () => gate.opened);
  const told: string[] = [];
  bus.on('dropped', ({ stage, reason, envelope }) => told.push(`${envelope.content()} dropped at ${stage}: ${reason}`));
  bus.on('deadLetter', (event) => told.push(deadLetterOf(event)));
  offerEach(bus, 'b', ['in flight']);
  await turn();
  offerEach(bus, 'b', ['queued']);
  return { bus, clock, gate, told };
}

const deadLetterOf = ({ stage, reason, channel, envelope }: SedaEvents['deadLetter']): string =>
  `${envelope.content()} of ${stage} in ${channel}: ${reason}`;

describe('removing a stage whose envelopes wait for room at their next hop', () => {
  it('waits for them, and then answers true', async () => {
    const { bus, gate, told } = await jammed();
    bus.offer(makeEnvelope('a', 'hop', { slip: ['b'] }));
    await turn();
    const removed = bus.removeStage('a');
    gate.open();
    expect(await removed).toBe(true);
    await bus.idle();
    expect([told, bus.stats()['b']?.delivered]).toEqual([[], 3]);
  });

  it('abandons them when the time is over, and says so to all', async () => {
    const { bus, clock, told } = await jammed();
    const ends: Outcome[] = [];
    bus.offer(makeEnvelope('a', 'hop', { slip: ['b'] }), { onSettled: (end) => ends.push(end) });
    await turn();
    const removed = bus.removeStage('a', { timeoutMs: 100 });
    await clock.advance(100);
    expect(await removed).toBe(false);
    expect(told).toEqual(['hop dropped at a: abandoned']);
    expect(ends).toEqual([{ status: 'dropped', stage: 'a', reason: 'abandoned' }]);
    expect(bus.totals()).toMatchObject({ abandoned: 1 });
    expectBalanced(bus);
  });

  it('while it is leaving its dead letters go to its own channel, whoever takes its name later', async () => {
    const { bus, clock, told } = await jammed();
    bus
      .setDeadLetterChannel('c', 'dead-c')
      .channel('c', { hopTimeoutMs: 50 })
      .subscribe('c', () => true);
    bus.offer(makeEnvelope('c', 'late', { slip: ['b'] }));
    await turn();
    const removed = bus.removeStage('c', { timeoutMs: 100 });
    bus.setDeadLetterChannel('c', 'other');
    await expect(bus.removeStage('dead-c')).rejects.toMatchObject({ code: 'SEDA_STAGE_IN_USE' });
    await clock.advance(50);
    expect(await removed).toBe(true);
    expect(told).toEqual(['late of c in dead-c: hop-timeout']);
    bus.subscribe('c', () => false);
    offerEach(bus, 'c', ['new']);
    await bus.idle('c');
    expect(told).toContain('new of c in other: max-attempts');
  });
});

describe('removing a stage at which others wait', () => {
  it('a hop is dead-lettered where it was leaving, as unroutable; an attempt.publish answers false', async () => {
    const { bus, gate, told } = await jammed();
    const answers: boolean[] = [];
    bus.subscribe('from', async (_, attempt) => answers.push(await attempt.publish(makeEnvelope('b', 'inner'))));
    bus.offer(makeEnvelope('a', 'hop', { slip: ['b'] }));
    bus.offer(makeEnvelope('from', 'outer'));
    await turn();
    const removed = bus.removeStage('b');
    gate.open();
    expect(await removed).toBe(true);
    await bus.idle();
    expect(told).toEqual(['hop of a in common: unroutable', 'inner dropped at b: closed']);
    expect(answers).toEqual([false]);
    expectBalanced(bus);
  });
});

describe('removing a channel while one of its letters is redriven', () => {
  async function redriving() {
    const { bus, clock, gate, told } = await jammed();
    bus.setDeadLetterChannel('b', 'old');
    const failing = (): boolean => false;
    bus.channel('s', { capacity: 1 }).setDeadLetterChannel('s', 'old').subscribe('s', failing);
    offerEach(bus, 's', ['letter']);
    await bus.idle('s');
    bus.unsubscribe('s', failing).hold('s');
    offerEach(bus, 's', ['full']);
    bus.setDeadLetterChannel('s', 'new').setDeadLetterChannel('b', 'new');
    const redriven = bus.deadLetters('old').redrive('all');
    await turn();
    told.length = 0;
    return { bus, clock, gate, told, redriven };
  }

  it('the letter that does not come in any more is abandoned, and counted', async () => {
    const { bus, clock, told, redriven } = await redriving();
    const removed = bus.removeStage('old', { timeoutMs: 100 });
    await clock.advance(100);
    expect(await removed).toBe(false);
    bus.shutdownNow();
    expect(await redriven).toBe(0);
    expect(told).toContain('letter dropped at old: abandoned');
  });
});

describe('removing a stage when the bus is not simply open', () => {
  it('on a closed bus it rejects, and dead letters stay listed', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.shutdownNow();
    await expect(bus.removeStage('dead')).rejects.toMatchObject({ code: 'SEDA_CLOSED' });
    expect(Object.keys(bus.stats())).toEqual(['dead']);
  });

  it('on a bus that has not started it does not wait for a start', async () => {
    const { bus } = manualBus({ autoStart: false });
    bus.channel('a').channel('b');
    offerEach(bus, 'a', [1]);
    expect([await bus.removeStage('a'), await bus.removeStage('b')]).toEqual([false, true]);
    expect(bus.totals()).toMatchObject({ abandoned: 1 });
  });

  it('a stage that is held by itself goes on, and is shown as draining', async () => {
    const { bus } = manualBus();
    const seen: unknown[] = [];
    bus.subscribe('a', (envelope) => void seen.push(envelope.content())).hold('a');
    offerEach(bus, 'a', [1]);
    const removed = bus.removeStage('a');
    expect(bus.stats()['a']).toMatchObject({ state: 'draining' });
    await bus.idle('a');
    expect([await removed, seen]).toEqual([true, [1]]);
  });

  it('a shutdown that abandons what it has answers false for both', async () => {
    const { bus, clock } = await jammed();
    const removed = bus.removeStage('b');
    const drained = bus.shutdown({ timeoutMs: 50 });
    await clock.advance(50);
    expect(await Promise.all([removed, drained])).toEqual([false, false]);
    expect(bus.stats()['b']).toMatchObject({ droppedBy: { abandoned: 2 } });
  });

  it('a removal that abandoned something during a drain has the shutdown answer false', async () => {
    const { bus, clock, gate } = await jammed();
    const removed = bus.removeStage('b', { timeoutMs: 10 });
    const drained = bus.shutdown({ timeoutMs: 1_000 });
    await clock.advance(10);
    gate.open();
    expect(await Promise.all([removed, drained])).toEqual([false, false]);
    expect(bus.totals()).toMatchObject({ abandoned: 2 });
  });
});

describe('N36 dead letters that this process does not consume', () => {
  it('stay where they are at the end, and are no loss', async () => {
    const { bus } = manualBus();
    bus
      .setDeadLetterChannel('a', 'dead')
      .channel('dead', { consume: false })
      .subscribe('dead', () => true);
    bus.subscribe('a', () => false);
    offerEach(bus, 'a', [1]);
    await bus.idle();
    expect(await bus.shutdown()).toBe(true);
    expect((await bus.deadLetters('dead').list()).items).toHaveLength(1);
  });

  it('a publisher that waits at a full stage which is not consumed here does not keep the bus busy', async () => {
    const { bus } = manualBus();
    bus.channel('a', { consume: false, capacity: 1 });
    offerEach(bus, 'a', [1]);
    const waiting = bus.publish(makeEnvelope('a', 2));
    await bus.idle();
    expect(await bus.shutdown()).toBe(false);
    expect(await waiting).toBe(false);
  });
});
