import { Envelope } from '#engine';
import type { Capabilities } from '../../lib/engine/backend/backend.js';
import { Receipt } from '../../lib/engine/intake/receipt.js';
import { describeClosing, describeDelays, describeEviction, describeParking, describeSearching } from './clauses.js';
import { EMPTY, type Made, Opened } from './opened.js';

/**
 * The contract of `Backend`, clause by clause, for every backend alike. What a backend has not declared is not asked of it.
 */
export function describeBackend(name: string, declared: Capabilities, make: () => Made): void {
  const open = (): Opened => new Opened(make());

  describe(`The backend ${name}`, () => {
    it('declares what it can do', () => {
      expect(make().backend.capabilities).toEqual(declared);
    });

    it('is empty at first', () => {
      const opened = open();
      expect(opened.counts).toEqual(EMPTY);
      expect(opened.backend.take()).toBeUndefined();
      expect(opened.backend.oldestAdmittedAt).toBeUndefined();
      expect(opened.list()).toEqual([]);
    });

    describeTaking(open, declared);
    describeReturning(open, declared);
    describeParking(open);
    describeSearching(open);
    describeClosing(open, declared);
    if (declared.delay) describeDelays(open);
    if (declared.discardOldest) describeEviction(open, declared);
  });
}

function describeTaking(open: () => Opened, { ordering, capacity }: Capabilities): void {
  describe('when it hands out', () => {
    it('hands out everything once', () => {
      const taken = open().offer('abcde').takeAll();
      expect([...taken].toSorted().join('')).toBe('abcde');
    });

    if (ordering === 'fifo') {
      it('hands out by order of admission', () => {
        expect(open().offer('abcde').takeAll()).toBe('abcde');
      });
    }

    it('charges the attempt when it hands out', () => {
      expect(open().offer('a').take().attempt).toBe(1);
    });

    it('hands out the receipt, and when the envelope was admitted', async () => {
      const { backend, clock } = open();
      const receipt = new Receipt(undefined, undefined, () => undefined);
      const admittedAt = clock.now();
      backend.offer(Envelope.documentWithId('a'), receipt, 0);
      await clock.advance(10);
      expect(backend.take()).toMatchObject({ receipt, admittedAt });
    });

    if (capacity === 'exact') {
      it('counts what waits and not what is handed out', () => {
        const opened = open().offer('ab');
        expect(opened.counts).toEqual({ depth: 2, retrying: 0, parked: 0, ready: true });
        opened.take();
        expect(opened.counts).toEqual({ depth: 1, retrying: 0, parked: 0, ready: true });
        opened.take();
        expect(opened.counts).toEqual(EMPTY);
      });
    }

    it('knows when the oldest that waits was admitted', async () => {
      const opened = open().offer('a');
      const first = opened.clock.now();
      await opened.clock.advance(10);
      opened.offer('b');
      expect(opened.backend.oldestAdmittedAt).toBe(first);
      opened.take();
      expect(opened.backend.oldestAdmittedAt).toBe(first + 10);
    });

    it('has forgotten what is done', () => {
      const opened = open().offer('a');
      opened.backend.settle(opened.take(), 'done');
      expect(opened.counts).toEqual(EMPTY);
      expect(opened.list()).toEqual([]);
    });
  });
}

function describeReturning(open: () => Opened, { ordering }: Capabilities): void {
  describe('when a lease returns', () => {
    if (ordering === 'fifo') {
      it('puts it in its place by admission', () => {
        const opened = open().offer('abcd');
        const [a, b, c] = [opened.take(), opened.take(), opened.take()];
        for (const lease of [c, a, b]) opened.backend.settle(lease, 'return');
        expect(opened.takeAll()).toBe('abcd');
      });
    }

    it('goes on counting its attempts', () => {
      const opened = open().offer('a');
      opened.backend.settle(opened.take(), 'return');
      opened.backend.settle(opened.take(), 'return');
      expect(opened.take().attempt).toBe(3);
    });

    it('is ready at once if it is due', () => {
      const opened = open().offer('a');
      opened.retryIn(opened.take(), 0);
      expect(opened.counts).toEqual({ depth: 1, retrying: 0, parked: 0, ready: true });
    });

    it('waits until it is due, and wakes the stage then', async () => {
      const opened = open().offer('a');
      opened.retryIn(opened.take(), 100);
      await opened.clock.advance(99);
      expect([opened.counts, opened.wakes]).toEqual([{ depth: 0, retrying: 1, parked: 0, ready: false }, 0]);
      await opened.clock.advance(1);
      expect([opened.counts, opened.wakes]).toEqual([{ depth: 1, retrying: 0, parked: 0, ready: true }, 1]);
      expect(opened.take().attempt).toBe(2);
    });

    it('wakes the stage for each as it becomes due, the earliest first', async () => {
      const opened = open().offer('abc');
      for (const delayMs of [30, 10, 20]) opened.retryIn(opened.take(), delayMs);
      for (const id of 'bca') {
        await opened.clock.advance(10);
        expect(opened.takeAll()).toBe(id);
      }
    });
  });
}
