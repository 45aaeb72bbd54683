import { Envelope, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { Recorder, manualBus } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';

function referred() {
  const { bus } = manualBus({ deadLetterChannel: 'dead' });
  const recorder = new Recorder();
  bus.channel('a', { capacity: 1 }).subscribe('a', recorder.consumer).channel('b');
  const stage = bus.stage<string>('a');
  if (stage === undefined) throw new Error('Expected the stage that was just declared');
  return { bus, stage, seen: recorder.seen };
}

describe('StageRef', () => {
  it('publishes and offers payloads, and envelopes that are addressed to it or to nobody', async () => {
    const { bus, stage, seen } = referred();
    expect(await stage.publish('payload')).toBe(true);
    await stage.idle();
    expect(await stage.publish(makeEnvelope('a', 'addressed'))).toBe(true);
    await stage.idle();
    const blank = Envelope.document();
    blank.addContent('blank');
    expect(stage.offer(blank)).toBe(true);
    await stage.idle();
    expect(await stage.publishAndWait('waited for')).toEqual({ status: 'completed', stage: 'a' });
    expect(seen).toEqual(['payload', 'addressed', 'blank', 'waited for']);
    expectBalanced(bus);
  });

  it('refuses an envelope that is addressed to another stage', async () => {
    const { stage, bus } = referred();
    const refused = { code: 'SEDA_INVALID_OPTION', option: 'envelope', value: 'b' };
    await expect(stage.publish(makeEnvelope('b'))).rejects.toMatchObject(refused);
    await expect(stage.publishAndWait(makeEnvelope('b'))).rejects.toMatchObject(refused);
    expect(() => stage.offer(makeEnvelope('b'))).toThrow(expect.objectContaining(refused));
    expect(bus.stats()['b']).toMatchObject({ offered: 0 });
  });

  it.each([null, 0, '', false, [], { getRoute: 1 }])('takes %p for a payload', async (payload) => {
    const { bus } = manualBus();
    const recorder = new Recorder();
    bus.subscribe('a', recorder.consumer);
    expect(await bus.stage('a')?.publish(payload)).toBe(true);
    await bus.idle();
    expect(recorder.seen).toEqual([payload]);
  });

  it('pauses, holds and counts its own stage only', async () => {
    const { bus, stage, seen } = referred();
    stage.pause();
    expect([await stage.publish('x'), bus.offer(makeEnvelope('b'))]).toEqual([false, true]);
    stage.resume();
    stage.hold();
    expect(await stage.publish('y')).toBe(true);
    await turn();
    expect([seen, stage.stats()]).toEqual([[], expect.objectContaining({ depth: 1, state: 'held', dropped: 1 })]);
    expect(stage.offer('z')).toBe(false);
    stage.release();
    await stage.idle();
    expect(seen).toEqual(['y']);
    expect(stage.name).toBe('a');
    expectBalanced(bus);
  });

  it('has the dead letters of its stage', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    bus.subscribe('a', () => false).subscribe('b', () => false);
    await bus.stage('a')?.publishAndWait('mine');
    await bus.stage('b')?.publishAndWait('not mine');
    const letters = await bus.stage('a')?.deadLetters.list();
    expect(letters?.items.map(({ envelope }) => envelope.content())).toEqual(['mine']);
  });
});
