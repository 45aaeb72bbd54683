import { type Envelope, type Outcome, SedaBus, envelopePayload, makeEnvelope, memoryStore } from '#engine';
import { expectBalanced } from '../../support/balance.js';
import { ManualClock, turn } from '../../support/manual-clock.js';
import { DurableBus, durable, never } from './durable-bus.js';

const payloadOf = (envelope: Envelope): unknown => envelopePayload(envelope);

describe('A durable stage', () => {
  it('accepts a publish when it is flushed, and delivers it', async () => {
    const seen: unknown[] = [];
    const { bus, store, ...kit } = await DurableBus.open((each) =>
      each.channel('orders', durable()).subscribe('orders', (envelope) => void seen.push(payloadOf(envelope))),
    );
    store.holdFlushes();
    let accepted: boolean | undefined;
    void bus.publish(makeEnvelope('orders', 1)).then((answer) => (accepted = answer));
    await turn();
    await turn();
    expect(accepted).toBeUndefined();
    store.releaseFlushes();
    await bus.idle();
    await turn();
    expect([accepted, seen]).toEqual([true, [1]]);
    expect(bus.stats()['orders']).toMatchObject({ offered: 1, enqueued: 1, delivered: 1, waiting: 0 });
    expectBalanced(bus);
    void kit;
  });

  it('counts a publish as waiting until it is stored', async () => {
    const { bus, store } = await DurableBus.open((each) => each.channel('orders', durable()).hold('orders'));
    store.holdWrites();
    void bus.publish(makeEnvelope('orders', 1));
    await turn();
    expect(bus.stats()['orders']).toMatchObject({ offered: 1, waiting: 1, depth: 0, enqueued: 0 });
    store.releaseWrites();
    await turn();
    expect(bus.stats()['orders']).toMatchObject({ offered: 1, waiting: 0, depth: 1, enqueued: 1 });
    expectBalanced(bus);
  });

  it('delivers after a crash what was accepted and not settled: in flight first and as the next attempt', async () => {
    const first = await DurableBus.open((bus) =>
      bus.channel('orders', durable({ concurrency: 3 })).subscribe('orders', never),
    );
    await first.publish('orders', ...'abcdefghij');
    await turn();
    expect(first.bus.stats()['orders']).toMatchObject({ inFlight: 3, depth: 7 });
    const seen: string[] = [];
    const second = await first.crashed((bus) =>
      bus
        .channel('orders', durable())
        .subscribe(
          'orders',
          (envelope, { number, redelivered }) =>
            void seen.push(`${String(payloadOf(envelope))}${number}${redelivered ? '!' : ''}`),
        ),
    );
    await second.idle();
    expect(seen).toEqual(['a2!', 'b2!', 'c2!', 'd1', 'e1', 'f1', 'g1', 'h1', 'i1', 'j1']);
    expect(second.bus.stats()['orders']).toMatchObject({ offered: 10, recovered: 10, delivered: 10, depth: 0 });
    expectBalanced(second.bus);
  });

  it('D09 ends a crash loop in the dead letters, reason max-attempts', async () => {
    const declare = (bus: SedaBus): unknown =>
      bus
        .channel('orders', durable({ maxAttempts: 2 }))
        .subscribe('orders', never)
        .setDeadLetterChannel('orders', 'letters');
    let kit = await DurableBus.open(declare);
    await kit.publish('orders', 'poison', 'behind');
    await turn();
    for (let crashes = 0; crashes < 2; crashes++) {
      kit = await kit.crashed(declare);
      await turn();
      await turn();
    }
    await turn();
    const { items } = await kit.bus.deadLetters('orders').list();
    expect(items.map(({ reason, attempts, envelope }) => [payloadOf(envelope), reason, attempts])).toEqual([
      ['poison', 'max-attempts', 2],
    ]);
    expect(kit.bus.stats()['orders']).toMatchObject({ inFlight: 1, depth: 0, deadLettered: 1 });
    expectBalanced(kit.bus);
  });

  it('does not deliver again what was settled and flushed before the crash', async () => {
    const seen: unknown[] = [];
    const declare = (bus: SedaBus): unknown =>
      bus.channel('orders', durable()).subscribe('orders', (envelope) => void seen.push(payloadOf(envelope)));
    const first = await DurableBus.open(declare);
    await first.publish('orders', 1, 2, 3);
    await first.idle();
    const second = await first.crashed(declare);
    await second.idle();
    expect(seen).toEqual([1, 2, 3]);
    expect(second.bus.stats()['orders']).toMatchObject({ recovered: 0 });
  });

  it('tells of the end when it is durable', async () => {
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable()).subscribe('orders', () => undefined));
    const told: Outcome[] = [];
    await kit.bus.publish(makeEnvelope('orders', 1), {
      onSettled: (outcome) => {
        told.push(outcome);
        kit.store.releaseFlushes();
      },
    });
    kit.store.holdFlushes();
    await turn();
    await turn();
    expect([told, kit.bus.stats()['orders']?.delivered]).toEqual([[], 1]);
    kit.store.releaseFlushes();
    await turn();
    expect(told).toEqual([{ status: 'completed', stage: 'orders' }]);
  });

  it('keeps what waits when the bus ends, and tells its publishers', async () => {
    const told: Outcome[] = [];
    const onSettled = (outcome: Outcome): unknown => told.push(outcome);
    const first = await DurableBus.open((bus) => bus.channel('orders', durable()).subscribe('orders', never));
    for (const payload of 'abc') await first.bus.publish(makeEnvelope('orders', payload), { onSettled });
    await turn();
    first.bus.shutdownNow();
    await first.bus.shutdown();
    expect(told).toEqual(['a', 'b', 'c'].map(() => ({ status: 'kept', stage: 'orders' })));
    expect(first.bus.stats()['orders']).toMatchObject({ dropped: 0, depth: 3, inFlight: 0 });
    expectBalanced(first.bus);
    const seen: unknown[] = [];
    const second = await DurableBus.open(
      (bus) =>
        bus
          .channel('orders', durable())
          .subscribe('orders', (envelope, { number }) => void seen.push([payloadOf(envelope), number])),
      { store: first.store },
    );
    await second.idle();
    // What a shutdown interrupts was not tried.
    expect(seen).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
  });

  it('is drained when what it has leased is done: the rest is kept, and nothing was lost', async () => {
    let finish: () => void = () => undefined;
    const kit = await DurableBus.open((bus) =>
      bus.channel('orders', durable()).subscribe('orders', () => new Promise<void>((resolve) => (finish = resolve))),
    );
    await kit.publish('orders', 1, 2, 3);
    await turn();
    const drained = kit.bus.shutdown();
    await turn();
    finish();
    expect(await drained).toBe(true);
    expect(kit.bus.stats()['orders']).toMatchObject({ delivered: 1, depth: 2, dropped: 0 });
  });

  it('tries three times where nobody says how often', async () => {
    const numbers: number[] = [];
    const kit = await DurableBus.open((bus) =>
      bus.channel('orders', durable()).subscribe('orders', (_, { number }) => {
        numbers.push(number);
        return false;
      }),
    );
    await kit.publish('orders', 1);
    await kit.idle();
    expect(numbers).toEqual([1, 2, 3]);
  });

  it('gives back the leases that nobody has taken when it is held: a crash charges them nothing', async () => {
    const first = await DurableBus.open((bus) => bus.channel('orders', durable()).subscribe('orders', never));
    first.bus
      .channel('other', durable({ concurrency: 3 }))
      .subscribe('other', never)
      .hold();
    await first.publish('other', 1, 2, 3);
    first.bus.release();
    first.store.holdWrites();
    await turn();
    // Their leases are being written.
    first.bus.hold('other');
    first.store.releaseWrites();
    await turn();
    await turn();
    expect(first.bus.stats()['other']).toMatchObject({ depth: 3, inFlight: 0 });
    const numbers: number[] = [];
    const second = await first.crashed((bus) =>
      bus.channel('other', durable()).subscribe('other', (_, { number }) => void numbers.push(number)),
    );
    await second.idle();
    expect(numbers).toEqual([1, 1, 1]);
  });

  it('leases a backlog of large envelopes in several groups, so that none takes more of the disk than is kept for it', async () => {
    const large = 'x'.repeat(600_000);
    const first = await DurableBus.open((bus) => bus.channel('orders', durable()).hold('orders'));
    await first.publish('orders', ...Array<string>(5).fill(large));
    const second = await first.crashed((bus) =>
      bus.channel('orders', durable({ concurrency: 5 })).subscribe('orders', never),
    );
    const groups: number[] = [];
    for (let turns = 0; turns < 6; turns++) {
      await turn();
      groups.push(second.bus.stats()['orders']?.inFlight ?? 0);
    }
    expect(groups[0]).toBeLessThan(5);
    expect(groups.at(-1)).toBe(5);
  });

  it('retries after its backoff, also when the process ended meanwhile', async () => {
    const backoff = { type: 'fixed', delayMs: 1_000 } as const;
    const first = await DurableBus.open((bus) =>
      bus.channel('orders', durable({ backoff })).subscribe('orders', () => false),
    );
    await first.publish('orders', 'again');
    await turn();
    await turn();
    expect(first.bus.stats()['orders']).toMatchObject({ retrying: 1, inFlight: 0 });
    const seen: unknown[] = [];
    const second = await first.crashed((bus) =>
      bus.channel('orders', durable()).subscribe('orders', (_, { number }) => void seen.push(number)),
    );
    await turn();
    expect(seen).toEqual([]);
    await second.clock.advance(1_000);
    await second.idle();
    expect(seen).toEqual([2]);
  });
});

describe('A bus with a store', () => {
  it('is starting until its store is open, and its durable stages accept nothing before', async () => {
    const bus = new SedaBus({ store: memoryStore() });
    bus.channel('orders', durable()).subscribe('orders', () => undefined);
    expect(bus.state).toBe('starting');
    await expect(bus.publish(makeEnvelope('orders', 1))).rejects.toMatchObject({ code: 'SEDA_NOT_STARTED' });
    await bus.ready();
    expect(bus.state).toBe('open');
    expect(await bus.publish(makeEnvelope('orders', 1))).toBe(true);
    await bus.shutdown();
  });

  it('answers ready() and start() with the reason why its store does not open', async () => {
    const store = memoryStore();
    const holder = await DurableBus.open((bus) => bus.channel('orders', durable()), { store });
    const bus = new SedaBus({ store });
    await expect(bus.ready()).rejects.toMatchObject({ code: 'SEDA_STORE_LOCKED' });
    await expect(bus.start()).rejects.toMatchObject({ code: 'SEDA_STORE_LOCKED' });
    await expect(bus.open()).rejects.toMatchObject({ code: 'SEDA_STORE_LOCKED' });
    expect(bus.state).toBe('starting');
    await bus.shutdown();
    expect(await holder.publish('orders', 1)).toEqual([true]);
  });

  it('lets go of its store at its end', async () => {
    const store = memoryStore();
    for (let round = 0; round < 3; round++) {
      const { bus } = await DurableBus.open((each) => each.channel('orders', durable()), { store });
      await bus.shutdown();
    }
    expect(store.entries().length).toBeGreaterThan(0);
  });

  it('refuses durable stages without a store, and what their backend cannot do', async () => {
    const memory = new SedaBus().channel('m');
    expect(() => memory.channel('orders', durable())).toThrow(
      expect.objectContaining({ code: 'SEDA_CAPABILITY', capability: 'survivesRestart' }),
    );
    await expect(memory.publish(makeEnvelope('m'), { serviceLevel: 'AtLeastOnce' })).rejects.toMatchObject({
      capability: 'survivesRestart',
    });
    expect(await memory.publish(makeEnvelope('m'), { serviceLevel: 'AtMostOnce' })).toBe(true);
    const { bus } = await DurableBus.open((each) => each.channel('orders', durable()));
    expect(() => bus.offer(makeEnvelope('orders'))).toThrow(
      expect.objectContaining({ code: 'SEDA_CAPABILITY', capability: 'answersAtOnce' }),
    );
  });

  it('makes a stage durable that was only referred to before', async () => {
    const kit = await DurableBus.open((bus) =>
      bus.subscribe('orders', never).channel('orders', durable()).setDeadLetterChannel('orders', 'letters'),
    );
    await kit.publish('orders', 1);
    const seen: unknown[] = [];
    const second = await kit.crashed((bus) =>
      bus.subscribe('orders', (envelope) => void seen.push(payloadOf(envelope))).channel('orders', durable()),
    );
    await second.idle();
    expect(seen).toEqual([1]);
  });

  it('says which stages have something in the store and are not declared', async () => {
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable()).hold('orders'));
    await kit.publish('orders', 1);
    const warnings: unknown[] = [];
    await kit.crashed((bus) => bus.on('warning', ({ code, message }) => warnings.push([code, message])));
    expect(warnings).toEqual([['SEDA_STORE_UNCLAIMED', expect.stringContaining("'orders'")]]);
  });

  it('keeps what a removed stage has, and gives it to the next of that name', async () => {
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable()).hold('orders'));
    await kit.publish('orders', 1, 2);
    expect(await kit.bus.removeStage('orders')).toBe(true);
    const seen: unknown[] = [];
    kit.bus.channel('orders', durable()).subscribe('orders', (envelope) => void seen.push(payloadOf(envelope)));
    await kit.idle();
    expect(seen).toEqual([1, 2]);
  });

  it('is not declared again before what it had in flight is written back', async () => {
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable()).subscribe('orders', never));
    await kit.publish('orders', 1, 2);
    await turn();
    kit.store.holdWrites();
    const removed = kit.bus.removeStage('orders', { timeoutMs: 0 });
    await kit.clock.advance(1);
    await turn();
    expect(() => kit.bus.channel('orders', durable())).toThrow(expect.objectContaining({ code: 'SEDA_STAGE_IN_USE' }));
    kit.store.releaseWrites();
    await removed;
    const seen: unknown[] = [];
    kit.bus
      .channel('orders', durable())
      .subscribe('orders', (envelope, { number }) => void seen.push([payloadOf(envelope), number]));
    await kit.idle();
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expectBalanced(kit.bus);
  });

  it('answers after its end, and reads its store no more', async () => {
    const kit = await DurableBus.open((bus) =>
      bus
        .channel('orders', durable({ windowSize: 1 }))
        .setDeadLetterChannel('orders', 'letters')
        .hold('orders'),
    );
    await kit.publish('orders', 1, 2, 3, 4, 5);
    await kit.bus.shutdown();
    kit.store.powerLoss();
    expect(kit.bus.stats()['orders']).toMatchObject({ depth: 5 });
    expect(await kit.bus.deadLetters('orders').list()).toEqual({ items: [], cursor: undefined });
    expect([await kit.bus.deadLetters('orders').purge('all'), kit.bus.replay('orders')]).toEqual([0, 0]);
    expect(await kit.publish('orders', 6)).toEqual([false]);
    expectBalanced(kit.bus);
  });

  it('waits for the machine and not for its clock when it opens', async () => {
    const clock = new ManualClock();
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable()), { clock });
    expect(clock.pending).toBe(0);
    await kit.bus.shutdown();
  });
});
