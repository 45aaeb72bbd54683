import { makeEnvelope } from '#engine';
import fc from 'fast-check';
import { memoryStore } from '../../../lib/engine/store/memory-volume.js';
import { numbers } from '../../support/manual-bus.js';
import { turn } from '../../support/manual-clock.js';
import { DurableKit, payloadOf } from './durable-kit.js';

describe('What is published to a durable stage', () => {
  it('is admitted when it is stored, and answered when it is durable', async () => {
    const kit = await DurableKit.open();
    kit.store.holdFlushes();
    const order: string[] = [];
    const answer = kit
      .publish(makeEnvelope('orders', 1), { told: (accepted) => order.push(`stored ${accepted}`) })
      .then((accepted) => order.push(`durable ${accepted}`));
    expect(kit.counts).toEqual([0, 0, 1]);
    await turn();
    expect([order, kit.counts]).toEqual([['stored true'], [1, 0, 0]]);
    kit.store.releaseFlushes();
    await answer;
    expect(order).toEqual(['stored true', 'durable true']);
  });

  it('is leased in the group that it comes in, where a permit is free: one record, put once', async () => {
    const kit = await DurableKit.open({ permits: 1 });
    await kit.append('a', 'b');
    expect(kit.countsOnDisk).toEqual({ queued: 1, delayed: 0, parked: 0, active: 1 });
    expect(kit.takeAll()).toEqual(['a']);
    expect(kit.counts).toEqual([1, 0, 0]);
  });

  it('is handed out as its codec gives it back, a new one at each attempt', async () => {
    const kit = await DurableKit.open({ permits: 1 });
    const at = new Date(0);
    const envelope = makeEnvelope('orders', { at });
    await kit.publish(envelope);
    const lease = kit.take();
    expect(lease.envelope).not.toBe(envelope);
    expect(payloadOf(lease)).toEqual({ at: at.toISOString() });
    (payloadOf(lease) as { at: unknown }).at = 'changed';
    kit.backend.settle(lease, 'return');
    await kit.allow(1);
    expect(payloadOf(kit.take())).toEqual({ at: at.toISOString() });
  });

  it('is refused when there is no room, leaves nothing behind, and the next one is not', async () => {
    const kit = await DurableKit.open({ permits: 1 });
    kit.store.full = true;
    const told: boolean[] = [];
    const answers = await Promise.all(
      numbers(6).map((n) => kit.publish(makeEnvelope('orders', n), { told: (ok) => told.push(ok) })),
    );
    expect([answers, told]).toEqual([Array(6).fill(false), Array(6).fill(false)]);
    expect(kit.counts).toEqual([0, 0, 0]);
    kit.store.full = false;
    expect(await kit.append('later')).toEqual([true]);
    expect(await kit.drain()).toEqual(['later']);
    expect(kit.countsOnDisk).toEqual({ queued: 0, delayed: 0, parked: 0, active: 0 });
  });

  it('that was admitted elsewhere counts at once, and is written as soon as it can be', async () => {
    const kit = await DurableKit.open({ permits: 1 });
    const { StoreError } = await import('../../../lib/engine/store/errors.js');
    kit.store.failNext(new StoreError('the disk is away'));
    kit.backend.offer(makeEnvelope('orders', 'hop'), undefined, 0);
    expect(kit.counts).toEqual([1, 0, 0]);
    await turn();
    expect(kit.backend.ready).toBe(false);
    await kit.clock.advance(250);
    await kit.allow(1);
    expect(kit.takeAll()).toEqual(['hop']);
  });

  it('waits until it is due, and then has its place by admission', async () => {
    const kit = await DurableKit.open();
    const late = kit.publish(makeEnvelope('orders', 'late'), { dueAt: kit.clock.now() + 50 });
    await kit.append('now');
    expect([await late, kit.counts]).toEqual([true, [1, 1, 0]]);
    await kit.clock.advance(50);
    expect(kit.counts).toEqual([2, 0, 0]);
    expect(await kit.drain()).toEqual(['late', 'now']);
  });
});

describe('More than the window holds', () => {
  it('stays on disk and is read in as the stage drains, in order', async () => {
    const kit = await DurableKit.open({ windowSize: 4 });
    await kit.append(...numbers(30));
    expect(kit.counts).toEqual([30, 0, 0]);
    expect(await kit.drain()).toEqual(numbers(30));
  });

  it('is followed by what comes meanwhile', async () => {
    const kit = await DurableKit.open({ windowSize: 2 });
    await kit.append(...numbers(7));
    await kit.allow(3);
    const leases = [kit.take(), kit.take(), kit.take()];
    await kit.append(7, 8);
    for (const lease of leases) kit.backend.settle(lease, 'return');
    await kit.append(9);
    expect(await kit.drain()).toEqual(numbers(10));
  });
});

describe('A lease', () => {
  it('is handed out only when it is committed', async () => {
    const kit = await DurableKit.open();
    await kit.append('a');
    kit.store.holdWrites();
    kit.permits = 1;
    kit.backend.wanted();
    await turn();
    expect([kit.backend.ready, kit.counts]).toEqual([false, [1, 0, 0]]);
    kit.store.releaseWrites();
    await kit.allow(1);
    expect(kit.take().attempt).toBe(1);
  });

  it('is made for as many as could start', async () => {
    const kit = await DurableKit.open();
    await kit.append(...numbers(9));
    await kit.allow(3);
    expect(kit.takeAll()).toEqual([0, 1, 2]);
    expect(kit.countsOnDisk).toMatchObject({ active: 3, queued: 6 });
  });

  it('that nobody has taken is given back without an attempt', async () => {
    const kit = await DurableKit.open();
    await kit.append(...numbers(6));
    await kit.allow(3);
    kit.permits = 0;
    kit.backend.relinquish();
    await kit.journal.settled();
    expect(kit.countsOnDisk).toMatchObject({ active: 0, queued: 6 });
    await kit.allow(6);
    expect(numbers(6).map(() => kit.take().attempt)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('that was interrupted keeps its number, one that failed does not', async () => {
    const kit = await DurableKit.open();
    await kit.append('a');
    const numbersSeen: number[] = [];
    for (const settlement of ['relinquish', 'return', 'return'] as const) {
      await kit.allow(1);
      const lease = kit.take();
      numbersSeen.push(lease.attempt);
      kit.backend.settle(lease, settlement);
    }
    expect(numbersSeen).toEqual([1, 1, 2]);
  });
});

describe('After a crash', () => {
  it('D09: those in flight come first, attempt + 1, then the queued, which are not charged', async () => {
    let kit = await DurableKit.open({ permits: 3 });
    await kit.append(...numbers(10));
    expect(kit.takeAll()).toEqual([0, 1, 2]);
    kit = await kit.crashed({ permits: 10 });
    expect(kit.recovered).toEqual({ active: 3, queued: 7, delayed: 0 });
    await kit.allow(10);
    const leases = numbers(10).map(() => kit.take());
    expect(leases.map(payloadOf)).toEqual(numbers(10));
    expect(leases.map(({ attempt }) => attempt)).toEqual([2, 2, 2, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('those in flight come before an older one that had come back and waited', async () => {
    let kit = await DurableKit.open({ permits: 2 });
    await kit.append('older', 'younger');
    const [older] = [kit.take(), kit.take()];
    kit.backend.settle(older, 'return');
    await kit.journal.settled();
    kit = await kit.crashed();
    expect(await kit.drain()).toEqual(['younger', 'older']);
  });

  it('one that was in flight and fails again comes back to its place by admission', async () => {
    let kit = await DurableKit.open({ permits: 2 });
    await kit.append('older', 'younger');
    const older = kit.take();
    kit.take();
    kit.backend.settle(older, 'return');
    await kit.journal.settled();
    kit = await kit.crashed();
    await kit.allow(1);
    const younger = kit.take();
    expect(payloadOf(younger)).toBe('younger');
    kit.backend.settle(younger, 'return');
    expect(await kit.drain()).toEqual(['older', 'younger']);
  });

  it('a damaged record that waits for its time is told of when it is due, and the others are delivered', async () => {
    const kit = await DurableKit.open();
    const later = (payload: string): Promise<boolean> =>
      kit.publish(makeEnvelope('orders', payload), { dueAt: kit.clock.now() + 50 });
    await Promise.all([later('damaged'), later('whole')]);
    const first = kit.store.entries().find(({ key }) => key[0] === 0x11)?.key as Uint8Array;
    kit.store.damage(first, (value) => value.fill(0));
    await kit.clock.advance(50);
    expect(await kit.drain()).toEqual(['whole']);
    expect([kit.damaged.length, kit.counts]).toEqual([1, [0, 0, 0]]);
  });

  it('what waits for its time goes on to wait, and what was parked waits again', async () => {
    let kit = await DurableKit.open({ permits: 2 });
    await kit.append('parked', 'retry', 'queued');
    const [parked, retry] = [kit.take(), kit.take()];
    kit.backend.settle(parked, 'park');
    kit.backend.settle(retry, 'return', kit.clock.now() + 100);
    await kit.journal.settled();
    kit = await kit.crashed();
    expect(kit.counts).toEqual([2, 1, 0]);
    await kit.allow(0);
    expect(await kit.drain()).toEqual(['parked', 'queued']);
    await kit.clock.advance(100);
    await kit.allow(1);
    expect(kit.take().attempt).toBe(2);
  });

  it('what was done does not come back', async () => {
    let kit = await DurableKit.open();
    await kit.append(...numbers(5));
    expect(await kit.drain()).toEqual(numbers(5));
    kit = await kit.crashed({ permits: 5 });
    expect([kit.recovered, await kit.drain()]).toEqual([{ active: 0, queued: 0, delayed: 0 }, []]);
  });

  it('a damaged record is told of, and the others are delivered', async () => {
    let kit = await DurableKit.open();
    await kit.append(...numbers(5));
    const third = kit.store.entries().filter(({ key }) => key[0] === 0x10)[2]?.key as Uint8Array;
    kit.store.damage(third, (value) => {
      value[value.length - 1]! ^= 1;
      return value;
    });
    kit = await kit.crashed();
    await kit.allow(0);
    expect(await kit.drain()).toEqual([0, 1, 3, 4]);
    expect([kit.damaged.length, kit.counts]).toEqual([1, [0, 0, 0]]);
  });
});

type Step = 'append' | 'ack' | 'nack' | 'delay' | 'crash' | 'wait' | 'give back';
const STEPS: readonly Step[] = [
  'append',
  'append',
  'append',
  'ack',
  'ack',
  'nack',
  'delay',
  'crash',
  'wait',
  'give back',
];

test('whatever happens, each is delivered until it is acked, none after, and none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...STEPS), { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, windowSize) => {
        let kit = await DurableKit.open({ store: memoryStore(), windowSize });
        const open = new Set<number>();
        let next = 0;
        for (const step of steps) {
          if (step === 'append') {
            open.add(next);
            await kit.append(next++);
          } else if (step === 'crash') kit = await kit.crashed({ windowSize });
          else if (step === 'wait') await kit.clock.advance(10);
          else {
            await kit.allow(1);
            if (step === 'give back') kit.backend.relinquish();
            else if (kit.backend.ready) {
              const lease = kit.take();
              const payload = payloadOf(lease) as number;
              expect(open.has(payload)).toBe(true);
              if (step === 'ack') open.delete(payload);
              if (step === 'ack') kit.backend.settle(lease, 'done');
              else kit.backend.settle(lease, 'return', step === 'delay' ? kit.clock.now() + 10 : 0);
            }
            kit.permits = 0;
            await kit.journal.settled();
          }
          const [depth, retrying] = kit.counts;
          expect(depth + retrying).toBe(open.size);
        }
        await kit.clock.advance(10);
        expect((await kit.drain()).toSorted((a, b) => Number(a) - Number(b))).toEqual([...open]);
        expect(kit.countsOnDisk ?? NOTHING).toEqual(NOTHING);
        expect(kit.store.entries().filter(({ key }) => (key[0] as number) >= 0x10)).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

const NOTHING = { queued: 0, delayed: 0, parked: 0, active: 0 };
