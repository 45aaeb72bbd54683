import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Envelope } from '#engine';
import type { Settlement } from '../../../lib/engine/backend/backend.js';
import { MemoryBackend } from '../../../lib/engine/backend/memory.js';
import type { Lease } from '../../../lib/engine/queue/lease.js';
import { StepClock } from '../books/step-clock.js';

type Step =
  | { readonly offer: number }
  | 'take'
  | 'evict'
  | { readonly settle: Settlement; readonly which: number; readonly delayMs: number }
  | { readonly takeWhere: number }
  | { readonly wait: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ offer: fc.constantFrom(0, 0, 5, 9) }) },
  { weight: 4, arbitrary: fc.constant('take' as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      settle: fc.constantFrom<Settlement>('done', 'return', 'park'),
      which: fc.nat(9),
      delayMs: fc.constantFrom(0, 4, 7),
    }),
  },
  { weight: 1, arbitrary: fc.constant('evict' as const) },
  { weight: 1, arbitrary: fc.record({ takeWhere: fc.integer({ min: 2, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ wait: fc.nat(12) }) },
);

interface Item {
  readonly id: number;
  readonly admittedAt: number;
  dueAt: number;
  attempt: number;
  parked: boolean;
}

/** A backend and a list by order of admission that must stay alike. */
class Pair {
  private readonly clock = new StepClock();
  private readonly backend = new MemoryBackend(this.clock);
  private items: Item[] = [];
  private readonly out: { readonly lease: Lease; readonly item: Item }[] = [];
  private ids = 0;
  private wakes = 0;

  constructor() {
    this.backend.open({ wake: () => this.wakes++, demand: () => 0, lost: () => undefined });
  }

  run(next: Step): void {
    if (next === 'take') this.take();
    else if (next === 'evict') this.evict();
    else if ('offer' in next) this.offer(next.offer);
    else if ('settle' in next) this.settle(next.which, next.settle, next.delayMs);
    else if ('takeWhere' in next) this.takeWhere(next.takeWhere);
    else this.wait(next.wait);
    this.compare();
  }

  private offer(delayMs: number): void {
    const id = this.ids++;
    const now = this.clock.now();
    const dueAt = delayMs === 0 ? 0 : now + delayMs;
    this.backend.offer(Envelope.documentWithId(String(id)), undefined, dueAt);
    this.items.push({ id, admittedAt: now, dueAt, attempt: 0, parked: false });
  }

  private take(): void {
    const lease = this.backend.take();
    const item = this.items.find((each) => !each.parked && !this.delayed(each));
    this.expectTaken(lease, item, 1);
    if (lease !== undefined && item !== undefined) this.out.push({ lease, item });
  }

  private settle(which: number, settlement: Settlement, delayMs: number): void {
    const [settled] = this.out.splice(which % (this.out.length || 1), 1);
    if (settled === undefined) return;
    const dueAt = this.clock.now() + delayMs;
    this.backend.settle(settled.lease, settlement, dueAt);
    if (settlement === 'done') return;
    settled.item.parked = settlement === 'park';
    if (settlement === 'return') settled.item.dueAt = dueAt;
    this.items.push(settled.item);
    this.items.sort((one, other) => one.id - other.id);
  }

  private evict(): void {
    const dueLast = this.items.toSorted((one, other) => one.dueAt - other.dueAt || one.id - other.id).at(-1);
    this.expectTaken(this.backend.evictOldest(), this.items.find((each) => !this.delayed(each)) ?? dueLast, 0);
  }

  private takeWhere(divisor: number): void {
    const matches = (id: number): boolean => id % divisor === 0;
    const leases = this.backend.takeWhere(({ envelope }) => matches(Number(envelope.id)));
    const items = this.items.filter(({ id }) => matches(id));
    assert.deepEqual(
      ids(leases),
      items.map(({ id }) => id),
    );
    leases.forEach((lease, index) => this.expectTaken(lease, items[index], 0));
    leases.forEach((lease, index) => this.out.push({ lease, item: items[index] as Item }));
  }

  /** Whoever waits for the backend is woken if, and only if, something is there to take. */
  private wait(ms: number): void {
    const end = this.clock.now() + ms;
    const due = this.items.some((item) => this.delayed(item) && item.dueAt <= end);
    this.wakes = 0;
    while (this.clock.step(end));
    assert.equal(this.wakes > 0 || !due, true);
  }

  private expectTaken(lease: Lease | undefined, item: Item | undefined, charge: 0 | 1): void {
    assert.equal(lease === undefined ? undefined : Number(lease.envelope.id), item?.id);
    if (item === undefined) return;
    item.attempt += charge;
    assert.equal(lease?.attempt, item.attempt);
    assert.equal(lease?.admittedAt, item.admittedAt);
    this.items = this.items.filter((each) => each !== item);
  }

  private compare(): void {
    const { backend, items } = this;
    const inDepth = items.filter((item) => !this.delayed(item));
    assert.equal(backend.depth, inDepth.length);
    assert.equal(backend.retrying, items.length - inDepth.length);
    assert.equal(backend.parked, items.filter(({ parked }) => parked).length);
    assert.equal(
      backend.ready,
      inDepth.some(({ parked }) => !parked),
    );
    assert.equal(backend.oldestAdmittedAt, inDepth[0]?.admittedAt);
    assert.deepEqual(
      ids(backend.list(Number.NEGATIVE_INFINITY, () => true, 1_000)),
      items.map(({ id }) => id),
    );
    assert.equal(this.clock.pending, items.length > inDepth.length ? 1 : 0);
  }

  private delayed({ parked, dueAt }: Item): boolean {
    return !parked && dueAt > this.clock.now();
  }
}

const ids = (leases: readonly Lease[]): number[] => leases.map(({ envelope }) => Number(envelope.id));

describe('The backend in memory', () => {
  it('behaves as a list by order of admission does', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50, size: 'max' }), (steps) => {
        const pair = new Pair();
        for (const next of steps) pair.run(next);
      }),
      { numRuns: 3_000 },
    );
  });

  it('lists page by page what it lists at once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3)), fc.integer({ min: 1, max: 7 }), (delays, limit) => {
        const backend = new MemoryBackend(new StepClock());
        delays.forEach((delay, id) => backend.offer(Envelope.documentWithId(String(id)), undefined, delay * 1e9));
        const listed: Lease[] = [];
        const page = (): Lease[] => backend.list(listed.at(-1)?.sequence ?? -Infinity, () => true, limit);
        for (let next = page(); next.length > 0; next = page()) listed.push(...next);
        assert.deepEqual(
          ids(listed),
          delays.map((_, id) => id),
        );
      }),
    );
  });
});
