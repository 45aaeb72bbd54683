import { type Envelope, type SedaBus, type ServiceLevelName, StoreError, envelopePayload, makeEnvelope } from '#engine';
import { ServiceLevel } from '#ra-common';
import { expectBalanced } from '../../support/balance.js';
import { turn } from '../../support/manual-clock.js';
import { DurableBus, durable, never } from './durable-bus.js';

const payloadOf = (envelope: Envelope): unknown => envelopePayload(envelope);
const once = { serviceLevel: 'ExactlyOnce' } as const;

/** The same envelope again, as a publisher sends it that has not heard whether the first one arrived. */
const again = (envelope: Envelope): Envelope => envelope.clone();

describe('ExactlyOnce', () => {
  const declare = (seen: unknown[]) => (bus: SedaBus) =>
    bus.channel('orders', once).subscribe('orders', (envelope) => void seen.push(payloadOf(envelope)));

  it('accepts an envelope that it has delivered, and does not deliver it again', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open(declare(seen));
    const envelope = makeEnvelope('orders', 1);
    expect(await kit.bus.publish(envelope)).toBe(true);
    await kit.idle();
    expect(await kit.bus.publish(again(envelope))).toBe(true);
    await kit.idle();
    expect(seen).toEqual([1]);
    expect(kit.bus.stats()['orders']).toMatchObject({ offered: 2, delivered: 1, droppedBy: { duplicate: 1 } });
    expectBalanced(kit.bus);
  });

  it('knows those that wait, that are being written, and that an earlier process has delivered', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open(declare(seen));
    kit.bus.hold('orders');
    const envelope = makeEnvelope('orders', 1);
    expect(await Promise.all([kit.bus.publish(envelope), kit.bus.publish(again(envelope))])).toEqual([true, true]);
    expect(await kit.bus.publish(again(envelope))).toBe(true);
    kit.bus.release('orders');
    await kit.idle();
    const second = await kit.crashed(declare(seen));
    expect(await second.bus.publish(again(envelope))).toBe(true);
    await second.idle();
    expect(seen).toEqual([1]);
  });

  it('remembers so many of the delivered, and forgets the first of them', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', { ...once, historySize: 3 })
        .subscribe('orders', (envelope) => void seen.push(payloadOf(envelope))),
    );
    const envelopes = [0, 1, 2, 3, 4].map((n) => makeEnvelope('orders', n));
    await Promise.all(envelopes.map((envelope) => kit.bus.publish(envelope)));
    await kit.idle();
    for (const envelope of envelopes.toReversed()) await kit.bus.publish(again(envelope));
    await kit.idle();
    expect(seen).toEqual([0, 1, 2, 3, 4, 1, 0]);
    expect(kit.store.entries().filter(({ key }) => key[0] === 0x30)).toHaveLength(3);
    expect(kit.store.entries().filter(({ key }) => key[0] === 0x31)).toHaveLength(3);
  });

  it('delivers the same id with another way ahead: a loop through the stage is no duplicate', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', once)
        .channel('check')
        .subscribe('check', () => undefined)
        .subscribe('orders', (envelope) => void seen.push(payloadOf(envelope))),
    );
    await kit.bus.publishAndWait(makeEnvelope('orders', 1, { slip: ['check', 'orders'] }));
    expect(seen).toEqual([1, 1]);
  });

  it('settles a duplicate hop at its source', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('source', durable())
        .channel('orders', once)
        .subscribe('source', () => undefined)
        .subscribe('orders', (envelope) => void seen.push(payloadOf(envelope))),
    );
    const envelope = makeEnvelope('source', 1, { slip: ['orders'] });
    await kit.bus.publishAndWait(envelope);
    expect(await kit.bus.publishAndWait(again(envelope))).toEqual({
      status: 'dropped',
      stage: 'orders',
      reason: 'duplicate',
    });
    expect(seen).toEqual([1]);
    expect(kit.bus.stats()).toMatchObject({ source: { delivered: 2 }, orders: { droppedBy: { duplicate: 1 } } });
    expectBalanced(kit.bus);
  });

  it('delivers a redriven dead letter, and one that was purged and is published again', async () => {
    let works = false;
    const seen: unknown[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', { ...once, maxAttempts: 1 })
        .setDeadLetterChannel('orders', 'letters')
        .subscribe('orders', (envelope) => {
          if (works) seen.push(payloadOf(envelope));
          return works;
        }),
    );
    const [one, two] = [makeEnvelope('orders', 1), makeEnvelope('orders', 2)];
    await Promise.all([kit.bus.publish(one), kit.bus.publish(two)]);
    await kit.idle();
    works = true;
    expect(await kit.bus.deadLetters('orders').redrive([one.id])).toBe(1);
    expect(await kit.bus.deadLetters('orders').purge('all')).toBe(1);
    await kit.idle();
    await kit.bus.publish(again(two));
    await kit.bus.publish(again(one));
    await kit.idle();
    expect(seen).toEqual([1, 2]);
  });

  it('answers true to a duplicate, also after another publish was refused', async () => {
    const kit = await DurableBus.open((bus) =>
      bus.channel('orders', { ...once, backpressure: 'reject' }).hold('orders'),
    );
    const envelope = makeEnvelope('orders', 1);
    await kit.bus.publish(envelope);
    kit.store.failNext(new StoreError('The disk said no.'));
    expect(await kit.bus.publish(makeEnvelope('orders', 2))).toBe(false);
    expect(await kit.bus.publish(again(envelope))).toBe(true);
  });

  it('shares the fate of what it is a duplicate of', async () => {
    const kit = await DurableBus.open((bus) => bus.channel('orders', once).hold('orders'));
    const envelope = makeEnvelope('orders', 1);
    kit.store.failNext(new StoreError('The disk said no.'));
    expect(await Promise.all([kit.bus.publish(envelope), kit.bus.publish(again(envelope))])).toEqual([false, false]);
  });

  it('takes a publish that was refused again', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', { ...once, backpressure: 'reject' })
        .subscribe('orders', (envelope) => void seen.push(payloadOf(envelope))),
    );
    const envelope = makeEnvelope('orders', 1);
    kit.store.full = true;
    expect(await kit.bus.publish(envelope)).toBe(false);
    kit.store.full = false;
    await kit.clock.advance(250);
    await turn();
    expect(await kit.bus.publish(again(envelope))).toBe(true);
    await kit.idle();
    expect(seen).toEqual([1]);
  });
});

describe('The service level of one envelope', () => {
  const publish = async (kit: DurableBus, serviceLevel: ServiceLevelName): Promise<void> => {
    await kit.bus.publish(makeEnvelope('orders', serviceLevel), { serviceLevel });
  };

  it('may be lower than the stage: one that was in flight when the process ended is not delivered again', async () => {
    const first = await DurableBus.open((bus) =>
      bus.channel('orders', durable({ concurrency: 2 })).subscribe('orders', never),
    );
    for (const level of ['AtMostOnce', 'AtLeastOnce', 'AtMostOnce', 'AtLeastOnce'] as const)
      await publish(first, level);
    await turn();
    const seen: unknown[] = [];
    const second = await first.crashed((bus) =>
      bus.channel('orders', durable()).subscribe('orders', (envelope) => void seen.push(payloadOf(envelope))),
    );
    await second.idle();
    expect(seen).toEqual(['AtLeastOnce', 'AtMostOnce', 'AtLeastOnce']);
    expectBalanced(second.bus);
  });

  it('AtMostOnce is retried by its own process, and dead-lettered', async () => {
    const numbers: number[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', durable())
        .setDeadLetterChannel('orders', 'letters')
        .subscribe('orders', (_, { number }) => numbers.push(number) < 0),
    );
    await publish(kit, 'AtMostOnce');
    await kit.idle();
    expect([numbers, (await kit.bus.deadLetters('orders').list()).items.length]).toEqual([[1, 2, 3], 1]);
  });

  it('may be higher than the stage', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open((bus) =>
      bus.channel('orders', durable()).subscribe('orders', (envelope) => void seen.push(payloadOf(envelope))),
    );
    const envelope = makeEnvelope('orders', 1);
    for (const serviceLevel of ['ExactlyOnce', 'ExactlyOnce', undefined] as const)
      await kit.bus.publish(again(envelope), { ...(serviceLevel && { serviceLevel }) });
    await kit.idle();
    expect(seen).toEqual([1, 1]);
  });

  it('is the envelope’s own where the stage says so', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', { serviceLevel: 'envelope' })
        .subscribe('orders', (envelope) => void seen.push(payloadOf(envelope))),
    );
    for (const level of [ServiceLevel.ExactlyOnce, ServiceLevel.AtLeastOnce]) {
      const envelope = makeEnvelope('orders', level);
      envelope.serviceLevel = level;
      await kit.bus.publish(envelope);
      await kit.bus.publish(again(envelope));
    }
    await kit.idle();
    expect(seen).toEqual(['ExactlyOnce', 'AtLeastOnce', 'AtLeastOnce']);
  });
});
