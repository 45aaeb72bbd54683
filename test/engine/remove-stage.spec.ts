import { type SedaBusOptions, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Gate } from '../support/gate.js';
import { Recorder, manualBus, offerEach } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

/** A stage whose first attempt waits at a gate while others are queued behind it. */
function busy(options: SedaBusOptions = {}) {
  const gate = new Gate();
  const seen: unknown[] = [];
  const { bus, clock } = manualBus(options);
  bus.channel('a', { capacity: 2 }).subscribe('a', async (envelope) => {
    await gate.opened;
    seen.push(envelope.content());
  });
  return { bus, clock, gate, seen };
}

describe('removing a stage', () => {
  it('finishes what the stage has admitted, then it is gone', async () => {
    const { bus, gate, seen } = busy();
    offerEach(bus, 'a', [1, 2]);
    const removed = bus.removeStage('a');
    await turn();
    expect(bus.stats()['a']).toMatchObject({ offered: 2 });
    gate.open();
    expect(await removed).toBe(true);
    expect(seen).toEqual([1, 2]);
    expect(bus.stats()).toEqual({});
    expect(bus.stage('a')).toBeUndefined();
  });

  it('its name is unknown at once, for publishers and for hops', async () => {
    const { bus, gate } = busy();
    bus.subscribe('before', () => true);
    offerEach(bus, 'a', [1]);
    const removed = bus.removeStage('a');
    expect(bus.offer(makeEnvelope('a', 2))).toBe(false);
    expect(await bus.publishAndWait(makeEnvelope('before', 3, { slip: ['a'] }))).toMatchObject({
      reason: 'unroutable',
    });
    gate.open();
    expect(await removed).toBe(true);
    expect(bus.totals().unroutable).toBe(1);
  });

  it('sends away the publishers that wait for room', async () => {
    const { bus, gate } = busy();
    offerEach(bus, 'a', [1]);
    await turn();
    offerEach(bus, 'a', [2, 3]);
    const waiting = bus.publish(makeEnvelope('a', 4));
    const removed = bus.removeStage('a');
    expect(await waiting).toBe(false);
    expect(bus.stats()['a']).toMatchObject({ dropped: 1, droppedBy: { closed: 1 } });
    expectBalanced(bus);
    gate.open();
    expect(await removed).toBe(true);
  });

  it('after the time limit the rest is abandoned, with a reason, and the answer is false', async () => {
    const { bus, clock } = busy();
    const dropped: unknown[] = [];
    bus.on('dropped', ({ reason, envelope }) => dropped.push([envelope.content(), reason]));
    offerEach(bus, 'a', [1]);
    await turn();
    offerEach(bus, 'a', [2]);
    const removed = bus.removeStage('a', { timeoutMs: 100 });
    await clock.advance(99);
    expect(dropped).toEqual([]);
    await clock.advance(1);
    expect(await removed).toBe(false);
    expect(dropped).toEqual([
      [1, 'abandoned'],
      [2, 'abandoned'],
    ]);
    expect(bus.stats()).toEqual({});
  });

  it('a bus that shuts down meanwhile waits for it, and both answer', async () => {
    const { bus, gate, seen } = busy();
    offerEach(bus, 'a', [1]);
    const removed = bus.removeStage('a');
    const drained = bus.shutdown();
    gate.open();
    expect(await Promise.all([removed, drained])).toEqual([true, true]);
    expect(seen).toEqual([1]);
  });

  it('its name can be declared again when it is gone, not before', async () => {
    const { bus, gate } = busy();
    offerEach(bus, 'a', [1]);
    const removed = bus.removeStage('a');
    expect(() => bus.channel('a')).toThrow(expect.objectContaining({ code: 'SEDA_STAGE_IN_USE' }));
    gate.open();
    await removed;
    const recorder = new Recorder();
    bus.channel('a', { capacity: 9 }).subscribe('a', recorder.consumer);
    offerEach(bus, 'a', ['new']);
    await bus.idle();
    expect(recorder.seen).toEqual(['new']);
    expect(bus.stats()['a']).toMatchObject({ capacity: 9, offered: 1 });
  });

  it('rejects for a stage that is unknown, one that is leaving, and a channel that is in use', async () => {
    const { bus } = busy({ deadLetterChannel: 'dead' });
    bus.setDeadLetterChannel('a', 'dead-a');
    await expect(bus.removeStage('nowhere')).rejects.toMatchObject({ code: 'SEDA_UNKNOWN_STAGE' });
    await expect(bus.removeStage('dead')).rejects.toMatchObject({ code: 'SEDA_STAGE_IN_USE' });
    await expect(bus.removeStage('dead-a')).rejects.toMatchObject({
      code: 'SEDA_STAGE_IN_USE',
      message: expect.stringContaining("'a'"),
    });
    await expect(bus.removeStage('a', { timeoutMs: -1 })).rejects.toMatchObject({ code: 'SEDA_INVALID_OPTION' });
    const [first, second] = [bus.removeStage('a'), bus.removeStage('a')];
    await expect(second).rejects.toMatchObject({ code: 'SEDA_UNKNOWN_STAGE' });
    expect(await first).toBe(true);
    expect(await bus.removeStage('dead-a')).toBe(true);
  });
});
