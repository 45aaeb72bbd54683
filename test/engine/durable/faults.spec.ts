import {
  type Outcome,
  PayloadError,
  type SedaBus,
  StoreError,
  envelopePayload,
  makeEnvelope,
  memoryStore,
} from '#engine';
import { expectBalanced } from '../../support/balance.js';
import { turn } from '../../support/manual-clock.js';
import { DurableBus, durable } from './durable-bus.js';

const turns = async (count = 4): Promise<void> => {
  for (let left = count; left > 0; left--) await turn();
};

describe('A store without room', () => {
  const collecting =
    (seen: unknown[], options = {}) =>
    (bus: SedaBus) =>
      bus
        .channel('orders', durable(options))
        .subscribe('orders', (envelope) => void seen.push(envelopePayload(envelope)));

  it.each(['reject', 'drop-newest', 'drop-oldest'] as const)('refuses under %s, reason store-error', async (policy) => {
    const told: Outcome[] = [];
    const kit = await DurableBus.open(collecting([], { backpressure: policy }));
    kit.store.full = true;
    const onSettled = (outcome: Outcome): unknown => told.push(outcome);
    expect(await kit.bus.publish(makeEnvelope('orders', 1), { onSettled })).toBe(false);
    expect(kit.bus.storeFull).toBe(true);
    // The next one is refused without a look at the disk.
    expect(await kit.bus.publish(makeEnvelope('orders', 2), { onSettled })).toBe(false);
    expect(told).toEqual([1, 2].map(() => ({ status: 'dropped', stage: 'orders', reason: 'store-error' })));
    expect(kit.bus.stats()['orders']).toMatchObject({ offered: 2, depth: 0, droppedBy: { 'store-error': 2 } });
    expectBalanced(kit.bus);
  });

  it('lets publishers wait under block, first come first served, until there is room', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open(collecting(seen));
    kit.store.full = true;
    const answers: string[] = [];
    const publishing = [1, 2, 3].map(async (n) => {
      const accepted = await kit.bus.publish(makeEnvelope('orders', n));
      answers.push(`${n} ${accepted}`);
    });
    await turns();
    expect(kit.bus.stats()['orders']).toMatchObject({ offered: 3, waiting: 3, depth: 0, dropped: 0 });
    expectBalanced(kit.bus);
    kit.store.full = false;
    await kit.clock.advance(250);
    await Promise.all(publishing);
    await kit.idle();
    expect([answers, seen]).toEqual([
      ['1 true', '2 true', '3 true'],
      [1, 2, 3],
    ]);
    expectBalanced(kit.bus);
  });

  it('ends the wait under block when its time is over, at an abort, and at the end of the bus', async () => {
    const kit = await DurableBus.open(collecting([]));
    kit.store.full = true;
    const controller = new AbortController();
    const answers = [
      kit.bus.publish(makeEnvelope('orders', 1), { timeoutMs: 100 }),
      kit.bus.publish(makeEnvelope('orders', 2), { signal: controller.signal }),
      kit.bus.publish(makeEnvelope('orders', 3)),
      kit.bus.publish(makeEnvelope('orders', 4), { timeoutMs: 0 }),
    ];
    await turns();
    controller.abort();
    await kit.clock.advance(100);
    expect(await kit.bus.shutdown({ timeoutMs: 0 })).toBe(true);
    expect(await Promise.all(answers)).toEqual([false, false, false, false]);
    expect(kit.bus.stats()['orders']?.droppedBy).toMatchObject({
      timeout: 1,
      aborted: 1,
      closed: 1,
      'store-error': 1,
    });
    expectBalanced(kit.bus);
  });

  it('goes on delivering what it has, dead-letters, and lets durable hops through', async () => {
    const seen: unknown[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', durable({ maxAttempts: 1 }))
        .channel('ship', durable())
        .subscribe('orders', (envelope) => envelopePayload(envelope) !== 'bad')
        .subscribe('ship', (envelope) => void seen.push(envelopePayload(envelope)))
        .setDeadLetterChannel('orders', 'letters')
        .hold(),
    );
    await kit.bus.publish(makeEnvelope('orders', 'bad'));
    await kit.bus.publish(makeEnvelope('orders', 'good', { slip: ['ship'] }));
    kit.store.full = true;
    const late = kit.bus.publish(makeEnvelope('orders', 'late'), { timeoutMs: 10 });
    await turns();
    kit.bus.release();
    await kit.clock.advance(10);
    await late;
    await kit.idle();
    expect(seen).toEqual(['good']);
    expect((await kit.bus.deadLetters('orders').list()).items).toHaveLength(1);
    expectBalanced(kit.bus);
  });
});

describe('A store that fails', () => {
  it('refuses the publishes of that group, tells of it, and takes the next', async () => {
    const warnings: string[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .on('warning', ({ code }) => warnings.push(code))
        .channel('orders', durable())
        .hold('orders'),
    );
    kit.store.failNext(new StoreError('The disk said no.'));
    expect(await kit.publish('orders', 1, 2)).toEqual([false, false]);
    expect(warnings).toEqual(['SEDA_STORE_TROUBLE']);
    expect(await kit.publish('orders', 3)).toEqual([true]);
    expect(kit.bus.stats()['orders']).toMatchObject({ depth: 1, droppedBy: { 'store-error': 2 } });
    expectBalanced(kit.bus);
  });

  /** A stage whose first end the disk does not take; its publisher, and what that was told. */
  async function withFailingEnd(): Promise<{ kit: DurableBus; told: Outcome[] }> {
    const told: Outcome[] = [];
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', durable())
        .subscribe('orders', () => kit.store.failNext(new StoreError('The disk said no.'))),
    );
    await kit.bus.publish(makeEnvelope('orders', 1), { onSettled: (outcome) => told.push(outcome) });
    await turns();
    return { kit, told };
  }

  it('writes again what finishes admitted work, and tells of its end only then', async () => {
    const { kit, told } = await withFailingEnd();
    expect([told, kit.bus.stats()['orders']?.delivered]).toEqual([[], 1]);
    await kit.clock.advance(250);
    await turns();
    expect(told).toEqual([{ status: 'completed', stage: 'orders' }]);
  });

  it('says kept of what it could not write before the end of the bus', async () => {
    const { kit, told } = await withFailingEnd();
    await kit.bus.shutdown();
    expect(told).toEqual([{ status: 'kept', stage: 'orders' }]);
    const seen: number[] = [];
    const next = await DurableBus.open(
      (bus) => bus.channel('orders', durable()).subscribe('orders', (_, { number }) => void seen.push(number)),
      { store: kit.store },
    );
    await next.idle();
    expect(seen).toEqual([2]);
  });
});

describe('A record that is not what was written', () => {
  it('is dropped when it is read in, its publisher told, and the others are delivered', async () => {
    const told: [unknown, Outcome][] = [];
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable({ windowSize: 1 })).hold('orders'));
    for (let n = 0; n < 8; n++)
      await kit.bus.publish(makeEnvelope('orders', n), { onSettled: (outcome) => told.push([n, outcome]) });
    const isQueued = ({ key }: { key: Uint8Array }): boolean => key[0] === 0x10;
    const { key } = kit.store.entries().filter(isQueued)[5] as { key: Uint8Array };
    kit.store.damage(key, (value) => {
      value[value.length - 1] = (value[value.length - 1] as number) ^ 1;
      return value;
    });
    const seen: unknown[] = [];
    kit.bus.subscribe('orders', (envelope) => void seen.push(envelopePayload(envelope)));
    kit.bus.release('orders');
    await kit.idle();
    expect(seen).toEqual([0, 1, 2, 3, 4, 6, 7]);
    expect(told.find(([n]) => n === 5)).toEqual([5, { status: 'dropped', stage: 'orders', reason: 'store-error' }]);
    expect([told.length, kit.bus.totals().damaged]).toEqual([8, 1]);
    expect(kit.store.entries().filter((each) => each.key[0] === 0x40)).toHaveLength(1);
    expectBalanced(kit.bus);
  });

  it('that is missing is counted and told, and nothing waits for it', async () => {
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable({ windowSize: 1 })).hold('orders'));
    await kit.publish('orders', 0, 1, 2, 3, 4, 5, 6, 7);
    const [, , , , , , missing] = kit.store.entries().filter(({ key }) => key[0] === 0x10);
    kit.store.damage(missing?.key as Uint8Array, () => undefined);
    kit.bus.subscribe('orders', () => undefined).release('orders');
    await kit.idle();
    expect(kit.bus.stats()['orders']).toMatchObject({ delivered: 7, depth: 0, droppedBy: { 'store-error': 1 } });
    expect(kit.bus.totals().damaged).toBe(1);
    expectBalanced(kit.bus);
  });

  it('is found before anybody reads, after an end that was not orderly', async () => {
    const first = await DurableBus.open((bus) => bus.channel('orders', durable()).hold('orders'));
    await first.publish('orders', 0, 1, 2, 3);
    const [a, b] = first.store.entries().filter(({ key }) => key[0] === 0x10);
    first.store.damage(a?.key as Uint8Array, (value) => Buffer.from([...value.subarray(0, -1), 0]));
    first.store.damage(b?.key as Uint8Array, () => undefined);
    const warnings: string[] = [];
    const second = await first.crashed((bus) =>
      bus
        .on('warning', ({ message }) => warnings.push(message))
        .channel('orders', durable())
        .hold('orders'),
    );
    expect([second.bus.totals().damaged, warnings.length]).toEqual([2, 2]);
    expect(second.bus.stats()['orders']).toMatchObject({ offered: 2, depth: 2, dropped: 0 });
    const third = await second.crashed((bus) => bus.channel('orders', durable()).hold('orders'));
    expect(third.bus.totals().damaged).toBe(0);
  });
});

describe('D05 what a publish waits for', () => {
  it('always: every accepted publish outlives the power of the machine, and a thousand share a flush', async () => {
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable()).hold('orders'));
    const before = kit.store.syncs;
    expect((await kit.publish('orders', ...Array.from({ length: 1_000 }, (_, n) => n))).every(Boolean)).toBe(true);
    expect(kit.store.syncs - before).toBe(1);
    kit.store.holdFlushes();
    void kit.bus.publish(makeEnvelope('orders', 'not answered'));
    await turns();
    kit.store.powerLoss();
    kit.store.releaseFlushes();
    const next = await DurableBus.open((bus) => bus.channel('orders', durable()).hold('orders'), { store: kit.store });
    expect(next.bus.stats()['orders']).toMatchObject({ depth: 1_000 });
  });

  it('intervalMs: a publish is answered when it is stored, and the window of the power is no longer', async () => {
    const store = memoryStore({ sync: { intervalMs: 50 } });
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable()).hold('orders'), { store });
    store.holdFlushes();
    expect(await kit.publish('orders', 1, 2)).toEqual([true, true]);
    await kit.clock.advance(50);
    // A flush is owed for as long as may be: the next one waits for it.
    let answered = false;
    void kit.bus.publish(makeEnvelope('orders', 3)).then(() => (answered = true));
    await turns();
    expect(answered).toBe(false);
    store.releaseFlushes();
    await turns();
    expect(answered).toBe(true);
  });
});

describe('A payload that would come back as something else', () => {
  it('is refused at its publish, by the name of its path, and counted nowhere', async () => {
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable()).hold('orders'));
    const publish = kit.bus.publish(makeEnvelope('orders', { items: [{ price: Number.NaN }] }));
    await expect(publish).rejects.toThrow(PayloadError);
    await expect(publish).rejects.toMatchObject({
      code: 'SEDA_PAYLOAD',
      path: 'payload.items[0].price',
      found: 'NaN',
      stage: 'orders',
    });
    expect(kit.bus.stats()['orders']).toMatchObject({ offered: 0, waiting: 0 });
  });

  it('is refused before it waits for room, and dropped if it has become one meanwhile', async () => {
    let finish: () => void = () => undefined;
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', durable({ capacity: 1 }))
        .subscribe('orders', () => new Promise<void>((resolve) => (finish = resolve))),
    );
    await kit.publish('orders', 1, 2);
    await turns();
    await expect(kit.bus.publish(makeEnvelope('orders', { set: new Set() }))).rejects.toThrow(PayloadError);
    const payload: Record<string, unknown> = {};
    const waiting = kit.bus.publish(makeEnvelope('orders', payload));
    expect(kit.bus.stats()['orders']).toMatchObject({ waiting: 1, depth: 1, inFlight: 1 });
    payload['late'] = 1n;
    finish();
    expect(await waiting).toBe(false);
    expect(kit.bus.stats()['orders']).toMatchObject({ offered: 3, droppedBy: { 'wrong-type': 1 } });
    expectBalanced(kit.bus);
  });

  it('is what the stage’s codec says', async () => {
    const codec = {
      name: 'latin',
      encode: (payload: unknown) => Buffer.from(String(payload), 'latin1'),
      decode: (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1'),
    };
    const seen: unknown[] = [];
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable({ codec })).hold('orders'));
    await kit.publish('orders', 'é', 1n);
    const next = await kit.crashed((bus) =>
      bus
        .channel('orders', durable({ codec }))
        .subscribe('orders', (envelope) => void seen.push(envelopePayload(envelope))),
    );
    await next.idle();
    expect(seen).toEqual(['é', '1']);
    kit.store.crash();
    const other = DurableBus.open((bus) => bus.channel('orders', durable()), { store: kit.store });
    await expect(other).rejects.toMatchObject({ code: 'SEDA_STORE_CORRUPTED', message: /'latin'/ });
  });
});
