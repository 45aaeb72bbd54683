import { type Envelope, SedaBus, envelopePayload } from '#engine';
import { expectBalanced } from '../../support/balance.js';
import { turn } from '../../support/manual-clock.js';
import { DurableBus, durable, never } from './durable-bus.js';

const payloadOf = (envelope: Envelope): unknown => envelopePayload(envelope);

describe("A durable stage with replay: 'manual'", () => {
  const manual = (seen: unknown[]) => (bus: SedaBus) =>
    bus
      .channel('orders', durable({ replay: 'manual', windowSize: 2 }))
      .subscribe('orders', (envelope, { number }) => void seen.push(`${String(payloadOf(envelope))}${number}`));

  /** Two in flight, one to be retried, five that wait: and then the process ends. */
  async function left(seen: unknown[]): Promise<DurableBus> {
    const backoff = { type: 'fixed', delayMs: 1_000 } as const;
    const first = await DurableBus.open((bus) =>
      bus
        .channel('orders', durable({ concurrency: 2, backoff }))
        .subscribe('orders', (envelope) => (payloadOf(envelope) === 'a' ? false : never())),
    );
    await first.publish('orders', ...'abcdefgh');
    for (let turns = 0; turns < 4; turns++) await turn();
    expect(first.bus.stats()['orders']).toMatchObject({ inFlight: 2, retrying: 1, depth: 5 });
    return first.crashed(manual(seen));
  }

  it('keeps what was left until it is asked for, and delivers what is new', async () => {
    const seen: unknown[] = [];
    const kit = await left(seen);
    await kit.publish('orders', 'new');
    await kit.idle();
    expect(seen).toEqual(['new1']);
    expect(kit.bus.unprocessed('orders').count).toBe(8);
    expect(kit.bus.stats()['orders']).toMatchObject({ offered: 1, recovered: 0, depth: 0, delivered: 1 });
    expectBalanced(kit.bus);
  });

  it('lists it in pages, in order, with the attempts that had begun', async () => {
    const kit = await left([]);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await kit.bus.unprocessed('orders').list({ limit: 3, cursor });
      found.push(...page.items.map(({ envelope, attempts }) => `${String(payloadOf(envelope))}${attempts}`));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(found).toEqual(['a1', 'b1', 'c1', 'd0', 'e0', 'f0', 'g0', 'h0']);
    await expect(kit.bus.unprocessed('orders').list({ limit: 0 })).rejects.toMatchObject({
      option: 'unprocessed.limit',
    });
    await expect(kit.bus.unprocessed('orders').list({ cursor: 'x' })).rejects.toMatchObject({
      option: 'unprocessed.cursor',
    });
  });

  it('replays it in order, ahead of what came since', async () => {
    const seen: unknown[] = [];
    const kit = await left(seen);
    kit.bus.hold('orders');
    await kit.publish('orders', 'new', 'newer', 'newest');
    expect(kit.bus.replay('orders')).toBe(8);
    expect([kit.bus.replay('orders'), kit.bus.unprocessed('orders').count]).toEqual([0, 0]);
    expect(kit.bus.stats()['orders']).toMatchObject({ offered: 11, recovered: 8, depth: 10, retrying: 1 });
    kit.bus.release('orders');
    await kit.clock.advance(1_000);
    await kit.idle();
    // The retry was due before anything of the rest was leased.
    expect(seen.toSorted()).toEqual(
      ['a2', 'b2', 'c2', 'd1', 'e1', 'f1', 'g1', 'h1', 'new1', 'newer1', 'newest1'].toSorted(),
    );
    expect(seen.filter((each) => each !== 'a2')).toEqual([
      'b2',
      'c2',
      'd1',
      'e1',
      'f1',
      'g1',
      'h1',
      'new1',
      'newer1',
      'newest1',
    ]);
    expectBalanced(kit.bus);
  });

  it('clears it, counts it as purged, and leaves what is new', async () => {
    const seen: unknown[] = [];
    const kit = await left(seen);
    kit.bus.hold('orders');
    await kit.publish('orders', 'new', 'newer', 'newest');
    expect(kit.bus.clearUnprocessed('orders')).toBe(8);
    expect(kit.bus.stats()['orders']).toMatchObject({ depth: 3, droppedBy: { purged: 8 } });
    expectBalanced(kit.bus);
    kit.bus.release('orders');
    await kit.idle();
    expect(seen).toEqual(['new1', 'newer1', 'newest1']);
    const next = await kit.crashed(manual(seen));
    expect(next.bus.unprocessed('orders').count).toBe(0);
  });

  it('is left by the next process, too, with what came since', async () => {
    const seen: unknown[] = [];
    const kit = await left(seen);
    kit.bus.hold('orders');
    await kit.publish('orders', 'new');
    const next = await kit.crashed(manual(seen));
    expect(next.bus.unprocessed('orders').count).toBe(9);
    expect(next.bus.replay('orders')).toBe(9);
    await next.clock.advance(1_000);
    await next.idle();
    expect(seen).toHaveLength(9);
  });

  it('is nothing for a stage in memory, nor for one that replays by itself', async () => {
    const kit = await DurableBus.open((bus) => bus.channel('orders', durable()).channel('m'));
    expect(kit.bus.unprocessed('orders').count).toBe(0);
    expect(kit.bus.clearUnprocessed('orders')).toBe(0);
    expect(() => kit.bus.replay('m')).toThrow(expect.objectContaining({ code: 'SEDA_CAPABILITY' }));
  });
});
