import { type Outcome, type UnknownStageError, makeEnvelope } from '#engine';
import { manualBus } from '../support/manual-bus.js';

describe('R1.5 an envelope for a stage that does not exist', () => {
  const strict = () =>
    manualBus({ unknownStage: 'throw' }).bus.channel('orders.price').channel('orders.ship').channel('mail');

  it('R1.5 is refused, counted on the bus, told to listeners, and settled', async () => {
    const { bus } = manualBus();
    bus.channel('a');
    const told: unknown[] = [];
    const ends: Outcome[] = [];
    bus.on('unroutable', ({ stage, envelope }) => told.push([stage, envelope.content()]));
    const onSettled = (outcome: Outcome): void => void ends.push(outcome);
    expect(await bus.publish(makeEnvelope('nowhere', 1), { onSettled })).toBe(false);
    expect(bus.offer(makeEnvelope('nowhere', 2), { onSettled })).toBe(false);
    expect(told).toEqual([
      ['nowhere', 1],
      ['nowhere', 2],
    ]);
    expect(ends).toEqual([1, 2].map(() => ({ status: 'dropped', stage: 'nowhere', reason: 'unroutable' })));
    expect(bus.totals()).toEqual({ unroutable: 2, early: 0, callbackErrors: 0, abandoned: 0, damaged: 0 });
    expect(bus.stats()['a']).toMatchObject({ offered: 0 });
  });

  it('R1.5 rejects with `unknownStage: throw`, naming the nearest names, best first', async () => {
    const error = (await strict()
      .publish(makeEnvelope('orders.prise'))
      .catch((thrown: unknown) => thrown)) as UnknownStageError;
    expect(error).toMatchObject({ name: 'UnknownStageError', code: 'SEDA_UNKNOWN_STAGE', stage: 'orders.prise' });
    expect(error.nearest).toEqual(['orders.price', 'orders.ship']);
    expect(error.message).toBe("No stage is named 'orders.prise'. Did you mean 'orders.price' or 'orders.ship'?");
  });

  it('R1.5 throws from offer, and rejects publishAndWait, in the same way, counted each time', async () => {
    const bus = strict();
    expect(() => bus.offer(makeEnvelope('zzzzzzzzzz'))).toThrow("No stage is named 'zzzzzzzzzz'.");
    await expect(bus.publishAndWait(makeEnvelope('Mail'))).rejects.toMatchObject({ nearest: ['mail'] });
    expect(bus.totals().unroutable).toBe(2);
  });

  it('R1.5 is settled before it rejects', async () => {
    const ends: Outcome[] = [];
    const publish = strict().publish(makeEnvelope('x'), { onSettled: (outcome) => ends.push(outcome) });
    await expect(publish).rejects.toMatchObject({ code: 'SEDA_UNKNOWN_STAGE' });
    expect(ends).toEqual([{ status: 'dropped', stage: 'x', reason: 'unroutable' }]);
  });

  it('R1.5 an external route is no address here, whatever it is named', async () => {
    const { bus } = manualBus();
    bus.subscribe('a', () => true);
    const envelope = makeEnvelope('a');
    envelope.getRoute();
    envelope.addExternalRoute('a');
    envelope.ratchet();
    expect(await bus.publish(envelope)).toBe(false);
    expect(bus.totals().unroutable).toBe(1);
    expect(bus.stats()['a']).toMatchObject({ offered: 0 });
  });

  it('R1.5 an envelope without any route names no stage', async () => {
    const { bus } = manualBus({ unknownStage: 'throw' });
    const { Envelope } = await import('#engine');
    await expect(bus.publish(Envelope.document())).rejects.toMatchObject({
      stage: undefined,
      message: 'The envelope has no route to a stage.',
    });
  });

  it.each(['pause', 'hold', 'idle', 'deadLetters'] as const)(
    'R1.5 bus.%s of it throws, with the nearest names',
    (call) => {
      const bus = strict();
      expect(() => bus[call]('Mail')).toThrow("No stage is named 'Mail'. Did you mean 'mail'?");
      expect(bus.stage('Mail')).toBeUndefined();
    },
  );

  it('R1.5 on a bus that has ended a refusal is just that, also with `unknownStage: throw`', async () => {
    const bus = strict();
    bus.shutdownNow();
    expect(await bus.publish(makeEnvelope('Mail'))).toBe(false);
    expect(bus.offer(makeEnvelope('Mail'))).toBe(false);
  });
});
