import { type Envelope, type Outcome, type SedaBus, envelopePayload, makeEnvelope } from '#engine';
import { expectBalanced } from '../../support/balance.js';
import { turn } from '../../support/manual-clock.js';
import { DurableBus, durable, never } from './durable-bus.js';

const payloadOf = (envelope: Envelope): unknown => envelopePayload(envelope);
const tag = (stage: string, seen: string[]) => (envelope: Envelope) =>
  void seen.push(`${stage} ${payloadOf(envelope)}`);
const turns = async (count = 4): Promise<void> => {
  for (let left = count; left > 0; left--) await turn();
};

describe('A hop between durable stages', () => {
  it('is one transaction: the envelope is at one of them, or at the other', async () => {
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('price', durable())
        .channel('ship', durable())
        .subscribe('price', (envelope) => envelope.headers && undefined)
        .subscribe('ship', never),
    );
    await kit.bus.publish(makeEnvelope('price', 1, { slip: ['ship'] }));
    // Whatever the moment of the crash, the same envelope comes out once.
    for (let crashAt = 0; crashAt < 4; crashAt++) {
      await turn();
      const seen: string[] = [];
      const after = await kit.crashed((bus) =>
        bus
          .channel('price', durable())
          .channel('ship', durable({ maxAttempts: 100 }))
          .subscribe('price', tag('price', seen))
          .subscribe('ship', (envelope) => {
            seen.push(`ship ${payloadOf(envelope)}`);
            return never();
          }),
      );
      await turns();
      expect(seen.filter((each) => each.startsWith('ship'))).toEqual(['ship 1']);
      expectBalanced(after.bus);
    }
  });

  it('brings along what the handler has changed, and tells of the end once', async () => {
    const told: Outcome[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('price', durable())
        .channel('ship', durable())
        .subscribe('price', (envelope) => void (envelope.headers['priced'] = 'yes'))
        .subscribe('ship', (envelope) => envelope.headers['priced'] === 'yes'),
    );
    await kit.bus.publish(makeEnvelope('price', 1, { slip: ['ship'] }), { onSettled: (outcome) => told.push(outcome) });
    await kit.idle();
    expect(told).toEqual([{ status: 'completed', stage: 'ship' }]);
    expect(kit.store.entries().filter(({ key }) => (key[0] as number) >= 0x10)).toEqual([]);
  });

  it('is dead-lettered where it leaves when it cannot be written down, as it was there', async () => {
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('a')
        .channel('b', durable())
        .subscribe('a', (envelope) => {
          (payloadOf(envelope) as Record<string, unknown>)['items'] = new Map();
        })
        .subscribe('b', () => undefined)
        .setDeadLetterChannel('a', 'letters'),
    );
    const outcome = await kit.bus.publishAndWait(makeEnvelope('a', {}, { slip: ['b'] }));
    expect(outcome).toMatchObject({ status: 'dead-lettered', stage: 'a', reason: 'wrong-type' });
    expect((outcome as { error: Error }).error.message).toContain('payload.items');
    expect(kit.bus.stats()).toMatchObject({ a: { deadLettered: 1 }, b: { offered: 0 } });
    expect(kit.bus.stats()['letters']?.droppedBy['wrong-type']).toBe(1);
    expectBalanced(kit.bus);
  });
});

describe('A hop from a durable stage to one in memory', () => {
  const pipeline = (memory: (envelope: Envelope) => unknown, seen: string[]) => (bus: SedaBus) =>
    bus
      .channel('first', durable())
      .channel('between')
      .channel('last', durable())
      .subscribe('first', tag('first', seen))
      .subscribe('between', memory)
      .subscribe('last', tag('last', seen));

  it('leaves a copy in custody: after a crash the stage in memory runs again, the durable one does not', async () => {
    const seen: string[] = [];
    const first = await DurableBus.open(pipeline(never, seen));
    await first.bus.publish(makeEnvelope('first', 1, { slip: ['between', 'last'] }));
    await turns();
    expect(first.bus.stats()).toMatchObject({ first: { delivered: 1 }, between: { inFlight: 1 } });
    const second = await first.crashed(pipeline(tag('between', seen), seen));
    await second.idle();
    expect(seen).toEqual(['first 1', 'between 1', 'last 1']);
    expect(second.bus.stats()).toMatchObject({ between: { recovered: 1, delivered: 1 }, last: { delivered: 1 } });
    expectBalanced(second.bus);
    const third = await second.crashed(pipeline(tag('between', seen), seen));
    await third.idle();
    expect(seen).toHaveLength(3);
  });

  it('ends the custody with the itinerary, before that is told', async () => {
    const seen: string[] = [];
    const kit = await DurableBus.open(pipeline(tag('between', seen), seen));
    expect(await kit.bus.publishAndWait(makeEnvelope('first', 1, { slip: ['between'] }))).toEqual({
      status: 'completed',
      stage: 'between',
    });
    expect(kit.store.entries().filter(({ key }) => (key[0] as number) >= 0x10)).toEqual([]);
  });

  it('keeps it when the bus ends before the stage in memory was done, and says so', async () => {
    const seen: string[] = [];
    const told: Outcome[] = [];
    const first = await DurableBus.open(pipeline(never, seen));
    await first.bus.publish(makeEnvelope('first', 1, { slip: ['between', 'last'] }), {
      onSettled: (outcome) => told.push(outcome),
    });
    await turns();
    first.bus.shutdownNow();
    await first.bus.shutdown();
    expect(told).toEqual([{ status: 'kept', stage: 'between' }]);
    const second = await DurableBus.open(pipeline(tag('between', seen), seen), { store: first.store });
    await second.idle();
    expect(seen).toEqual(['first 1', 'between 1', 'last 1']);
  });

  it('goes to a stage that is declared after the start', async () => {
    const seen: string[] = [];
    const first = await DurableBus.open(pipeline(never, seen));
    await first.bus.publish(makeEnvelope('first', 1, { slip: ['between'] }));
    await turns();
    const warnings: string[] = [];
    const second = await first.crashed((bus) =>
      bus.channel('first', durable()).on('warning', ({ code }) => warnings.push(code)),
    );
    second.bus.subscribe('elsewhere', never).subscribe('between', tag('between', seen));
    await second.idle();
    expect([seen, warnings]).toEqual([['first 1', 'between 1'], ['SEDA_STORE_UNCLAIMED']]);
    expect(second.bus.stats()['between']).toMatchObject({ recovered: 1, delivered: 1 });
  });

  it('keeps it in the store where its next stage is not declared any more', async () => {
    const seen: string[] = [];
    const first = await DurableBus.open(pipeline(never, seen));
    await first.bus.publish(makeEnvelope('first', 1, { slip: ['between'] }));
    await turns();
    const warnings: string[] = [];
    const second = await first.crashed((bus) =>
      bus.channel('first', durable()).on('warning', ({ code }) => warnings.push(code)),
    );
    await second.bus.shutdown();
    expect(warnings).toEqual(['SEDA_STORE_UNCLAIMED']);
    const third = await DurableBus.open(pipeline(tag('between', seen), seen), { store: first.store });
    await third.idle();
    expect(seen).toEqual(['first 1', 'between 1']);
  });
});

describe('A dead letter of a durable stage', () => {
  const declare = (bus: SedaBus): unknown =>
    bus
      .channel('orders', durable({ maxAttempts: 1 }))
      .subscribe('orders', (envelope) => {
        envelope.headers['touched'] = 'yes';
        return false;
      })
      .setDeadLetterChannel('orders', 'letters');

  it('survives restarts, as the envelope was admitted', async () => {
    const first = await DurableBus.open(declare);
    await first.publish('orders', 1, 2, 3);
    await first.idle();
    const second = await first.crashed(declare);
    await turns();
    const { items } = await second.bus.deadLetters('orders').list();
    expect(items.map(({ envelope, reason, attempts }) => [payloadOf(envelope), reason, attempts])).toEqual([
      [1, 'max-attempts', 1],
      [2, 'max-attempts', 1],
      [3, 'max-attempts', 1],
    ]);
    expect(items.map(({ envelope }) => envelope.headers['touched'])).toEqual([undefined, undefined, undefined]);
  });

  it('is redriven in one transaction, and purged from the disk', async () => {
    const first = await DurableBus.open(declare);
    await first.publish('orders', ...'abcd');
    await first.idle();
    const seen: unknown[] = [];
    const whole = (bus: SedaBus): unknown =>
      bus
        .channel('orders', durable())
        .subscribe('orders', (envelope, { number }) => void seen.push([payloadOf(envelope), number]))
        .setDeadLetterChannel('orders', 'letters');
    const second = await first.crashed(whole);
    const letters = second.bus.deadLetters('orders');
    const { items } = await letters.list({ limit: 2 });
    expect(await letters.redrive(items.map(({ id }) => id))).toBe(2);
    expect(await letters.purge('all')).toBe(2);
    await second.idle();
    expect(seen).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(second.bus.stats()['letters']).toMatchObject({ delivered: 2, dropped: 2, depth: 0 });
    expectBalanced(second.bus);
    const third = await second.crashed(whole);
    await third.idle();
    expect([seen.length, (await third.bus.deadLetters('orders').list()).items]).toEqual([2, []]);
  });

  it('is listed in pages from the disk, more than there are in memory', async () => {
    const first = await DurableBus.open((bus) => {
      bus.channel('letters', durable({ windowSize: 4, capacity: 100 }));
      declare(bus);
    });
    await first.publish('orders', ...Array.from({ length: 30 }, (_, n) => n));
    await first.idle();
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await first.bus.deadLetters('orders').list({ limit: 7, cursor });
      seen.push(...page.items.map(({ envelope }) => payloadOf(envelope)));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(await first.bus.deadLetters('orders').redrive('all')).toBe(30);
    await first.idle();
    expect((await first.bus.deadLetters('orders').list({ limit: 100 })).items).toHaveLength(30);
    expectBalanced(first.bus);
  });

  it.each(['AtLeastOnce', 'AtMostOnce'] as const)('is bounded by its age (%s)', async (serviceLevel) => {
    const kit = await DurableBus.open((bus) => {
      bus.channel('letters', { serviceLevel, maxAgeMs: 1_000, windowSize: 2 });
      declare(bus);
    });
    const letters = async (): Promise<unknown[]> =>
      (await kit.bus.deadLetters('orders').list()).items.map(({ envelope }) => payloadOf(envelope));
    await kit.publish('orders', 1, 2, 3, 4);
    await kit.idle();
    await kit.clock.advance(900);
    await kit.publish('orders', 5);
    await kit.idle();
    await kit.clock.advance(100);
    expect(await letters()).toEqual([1, 2, 3, 4, 5]);
    await kit.clock.advance(1);
    expect(await letters()).toEqual([5]);
    await kit.clock.advance(1_000);
    await kit.publish('orders', 6);
    await kit.idle();
    expect(kit.bus.stats()['letters']).toMatchObject({ depth: 1, droppedBy: { expired: 5 } });
    await kit.clock.advance(1_001);
    expect(await kit.bus.deadLetters('orders').redrive('all')).toBe(0);
    expectBalanced(kit.bus);
  });

  it('is bounded: the oldest goes, from the disk, too', async () => {
    const first = await DurableBus.open((bus) => {
      bus.channel('letters', durable({ windowSize: 2, capacity: 5, backpressure: 'drop-oldest' }));
      declare(bus);
    });
    await first.publish('orders', ...Array.from({ length: 12 }, (_, n) => n));
    await first.idle();
    const second = await first.crashed(declare);
    const { items } = await second.bus.deadLetters('orders').list();
    expect(items.map(({ envelope }) => payloadOf(envelope))).toEqual([7, 8, 9, 10, 11]);
    expect(first.bus.stats()['letters']?.droppedBy['drop-oldest']).toBe(7);
  });
});
