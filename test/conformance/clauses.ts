import type { Capabilities } from '../../lib/engine/backend/backend.js';
import type { Lease } from '../../lib/engine/queue/lease.js';
import { EMPTY, type Opened, idsOf } from './opened.js';

export function describeParking(open: () => Opened): void {
  describe('when a lease is parked', () => {
    const withParked = (): Opened => {
      const opened = open().offer('ab');
      opened.backend.settle(opened.take(), 'park');
      return opened;
    };

    it('keeps it, counts it and does not hand it out', () => {
      const opened = withParked();
      expect(opened.counts).toEqual({ depth: 2, retrying: 0, parked: 1, ready: true });
      expect(opened.takeAll()).toBe('b');
      expect(opened.counts).toEqual({ depth: 1, retrying: 0, parked: 1, ready: false });
    });

    it('lists it and lets it be taken out', () => {
      const opened = withParked();
      expect(idsOf(opened.list())).toBe('ab');
      expect(idsOf(opened.backend.takeWhere(({ parked }) => parked))).toBe('a');
      expect(opened.counts).toEqual({ depth: 1, retrying: 0, parked: 0, ready: true });
    });

    it('can return later', () => {
      const opened = withParked();
      const [lease] = opened.backend.takeWhere(({ parked }) => parked);
      opened.backend.settle(lease as Lease, 'return');
      expect([...opened.takeAll()].toSorted().join('')).toBe('ab');
      expect(opened.counts).toEqual(EMPTY);
    });
  });
}

export function describeSearching(open: () => Opened): void {
  /** One that waits, one that will be due, one that is parked, one that is out. */
  const mixed = (): Opened => {
    const opened = open().offer('abcd');
    const [a, b] = [opened.take(), opened.take()];
    opened.take();
    opened.retryIn(a, 50);
    opened.backend.settle(b, 'park');
    return opened;
  };

  describe('when it is searched', () => {
    it('lists all that is here by order of admission, and takes nothing out', () => {
      const opened = mixed();
      expect(idsOf(opened.list())).toBe('abd');
      expect(idsOf(opened.list())).toBe('abd');
      expect(opened.counts).toEqual({ depth: 2, retrying: 1, parked: 1, ready: true });
    });

    it('lists page by page', () => {
      const opened = open().offer('abcde');
      const first = opened.list(undefined, 2);
      const second = opened.list(first.at(-1)?.sequence, 2);
      const third = opened.list(second.at(-1)?.sequence, 2);
      expect([first, second, third].map(idsOf)).toEqual(['ab', 'cd', 'e']);
    });

    it('lists only what matches', () => {
      const found = open()
        .offer('abcd')
        .backend.list(Number.NEGATIVE_INFINITY, ({ envelope }) => 'bd'.includes(envelope.id), 1);
      expect(idsOf(found)).toBe('b');
    });

    it('takes out what matches by order of admission, wherever it is, without charging an attempt', () => {
      const opened = mixed();
      const taken = opened.backend.takeWhere(() => true);
      expect(taken.map(({ envelope, attempt }) => `${envelope.id}${attempt}`)).toEqual(['a1', 'b1', 'd0']);
      expect(opened.counts).toEqual(EMPTY);
    });

    it('leaves what does not match where it was', () => {
      const opened = open().offer('abcdef');
      opened.backend.takeWhere(({ envelope }) => 'ace'.includes(envelope.id));
      expect([...opened.takeAll()].toSorted().join('')).toBe('bdf');
    });
  });
}

export function describeDelays(open: () => Opened): void {
  describe('when an envelope comes with a delay', () => {
    it('counts it as retrying, and hands it out when it is due', async () => {
      const opened = open().offer('a', 100);
      expect([opened.counts, opened.wakes]).toEqual([{ depth: 0, retrying: 1, parked: 0, ready: false }, 0]);
      await opened.clock.advance(100);
      expect([opened.counts, opened.wakes]).toEqual([{ depth: 1, retrying: 0, parked: 0, ready: true }, 1]);
      expect(opened.take().attempt).toBe(1);
    });

    it('does not hold up those that came after it', () => {
      expect(open().offer('a', 100).offer('b').takeAll()).toBe('b');
    });

    it('keeps the time of an earlier one when a later one comes', async () => {
      const opened = open().offer('a', 100).offer('b', 200).offer('c', 50);
      await opened.clock.advance(50);
      expect(opened.takeAll()).toBe('c');
      await opened.clock.advance(50);
      expect(opened.takeAll()).toBe('a');
    });

    it('keeps the time of those left when one is taken out', async () => {
      const opened = open().offer('a', 50).offer('b', 100);
      opened.backend.takeWhere(({ envelope }) => envelope.id === 'a');
      await opened.clock.advance(100);
      expect(opened.takeAll()).toBe('b');
    });

    it('waits for a time further away than timers reach', async () => {
      const opened = open().offer('a', 2 ** 40);
      await opened.clock.advance(2 ** 39);
      expect(opened.counts.retrying).toBe(1);
      await opened.clock.advance(2 ** 39);
      expect(opened.takeAll()).toBe('a');
    });
  });
}

export function describeEviction(open: () => Opened, { delay }: Capabilities): void {
  describe('when the oldest has to go', () => {
    it('is the first by admission, and costs no attempt', () => {
      const opened = open().offer('abc');
      expect(opened.backend.evictOldest()).toMatchObject({ envelope: { id: 'a' }, attempt: 0 });
      expect(opened.takeAll()).toBe('bc');
    });

    it('may be one that has returned, or is parked', () => {
      const opened = open().offer('abc');
      const [a, b] = [opened.take(), opened.take()];
      opened.backend.settle(b, 'return');
      opened.backend.settle(a, 'park');
      const evicted = ['', '', ''].map(() => opened.backend.evictOldest() as Lease);
      expect(idsOf(evicted)).toBe('abc');
      expect(opened.counts).toEqual(EMPTY);
    });

    it('is the retry due last when nothing else waits', () => {
      const opened = open().offer('abc');
      for (const delayMs of [20, 30, 10]) opened.retryIn(opened.take(), delayMs);
      const evicted = ['', '', ''].map(() => opened.backend.evictOldest() as Lease);
      expect(idsOf(evicted)).toBe('bac');
    });

    if (delay) {
      it('is what waits before what is delayed, however old', () => {
        const opened = open().offer('a', 100).offer('b');
        expect(opened.backend.evictOldest()?.envelope.id).toBe('b');
      });
    }

    it('is nobody where nothing is', () => {
      expect(open().backend.evictOldest()).toBeUndefined();
    });
  });
}

export function describeClosing(open: () => Opened, { delay }: Capabilities): void {
  describe('when it is closed', () => {
    it('has no timer any more, and wakes nobody', async () => {
      const opened = open().offer('a');
      opened.retryIn(opened.take(), 50);
      if (delay) opened.offer('b', 10);
      opened.backend.close();
      expect(opened.clock.pending).toBe(0);
      await opened.clock.advance(100);
      expect(opened.wakes).toBe(0);
    });

    it('sets no timer for what returns afterwards', () => {
      const opened = open().offer('a');
      const lease = opened.take();
      opened.backend.close();
      opened.retryIn(lease, 50);
      expect(opened.clock.pending).toBe(0);
    });

    it('still lists what is here', () => {
      const opened = open().offer('ab');
      opened.backend.settle(opened.take(), 'park');
      opened.backend.close();
      expect(idsOf(opened.list())).toBe('ab');
    });

    it('may be closed twice', () => {
      const { backend } = open();
      backend.close();
      expect(() => backend.close()).not.toThrow();
    });
  });
}
