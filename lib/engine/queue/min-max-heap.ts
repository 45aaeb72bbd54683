/**
 * A priority queue with two ends: `first` and `last` are both one look away, adding and removing at either end takes
 * O(log n).
 *
 * Atkinson, Sack, Santoro, Strothotte, *Min-max heaps and generalized priority queues*, CACM 29(10), 1986. Levels
 * alternate: an item on an even ("min") level precedes all below it, one on an odd ("max") level follows all below it.
 */
export class MinMaxHeap<T> {
  private items: T[] = [];

  /** @param precedes a strict order; of two equal items either may come first */
  constructor(private readonly precedes: (one: T, other: T) => boolean) {}

  get size(): number {
    return this.items.length;
  }

  get first(): T | undefined {
    return this.items[0];
  }

  get last(): T | undefined {
    return this.items[this.lastIndex()];
  }

  add(item: T): void {
    this.items.push(item);
    this.rise(this.items.length - 1);
  }

  takeFirst(): T | undefined {
    return this.takeAt(0);
  }

  takeLast(): T | undefined {
    return this.takeAt(this.lastIndex());
  }

  /** Takes out all that match, in no order. O(n). */
  extract(matches: (item: T) => boolean): T[] {
    const taken = this.items.filter(matches);
    if (taken.length > 0) {
      const kept = this.items.filter((item) => !matches(item));
      this.items = [];
      for (const item of kept) this.add(item);
    }
    return taken;
  }

  /** In no order. */
  [Symbol.iterator](): Iterator<T> {
    return this.items[Symbol.iterator]();
  }

  private lastIndex(): number {
    if (this.items.length <= 2) return this.items.length - 1;
    return this.precedes(this.at(1), this.at(2)) ? 2 : 1;
  }

  private takeAt(index: number): T | undefined {
    const taken = this.items[index];
    const filler = this.items.pop();
    if (index < this.items.length) {
      this.items[index] = filler as T;
      this.sink(index);
    }
    return taken;
  }

  private rise(index: number): void {
    if (index === 0) return;
    const parent = (index - 1) >> 1;
    const onMinLevel = isMinLevel(index);
    if (this.before(parent, index, !onMinLevel)) this.riseBySteps(index, onMinLevel);
    else {
      this.swap(index, parent);
      this.riseBySteps(parent, !onMinLevel);
    }
  }

  /** Climbs the levels of one kind, two at a time. */
  private riseBySteps(index: number, onMinLevel: boolean): void {
    while (index >= 3) {
      const grandparent = (((index - 1) >> 1) - 1) >> 1;
      if (!this.before(index, grandparent, onMinLevel)) return;
      this.swap(index, grandparent);
      index = grandparent;
    }
  }

  private sink(index: number): void {
    const onMinLevel = isMinLevel(index);
    for (;;) {
      const next = this.foremostDescendant(index, onMinLevel);
      if (next < 0 || !this.before(next, index, onMinLevel)) return;
      this.swap(next, index);
      const isChild = next <= 2 * index + 2;
      if (isChild) return;
      const parent = (next - 1) >> 1;
      if (this.before(parent, next, onMinLevel)) this.swap(parent, next);
      index = next;
    }
  }

  /** Of children and grandchildren the one nearest to this level's end; −1 without any. */
  private foremostDescendant(index: number, onMinLevel: boolean): number {
    let foremost = -1;
    const child = 2 * index + 1;
    const grandchild = 2 * child + 1;
    for (const [from, to] of [
      [child, child + 1],
      [grandchild, grandchild + 3],
    ] as const) {
      for (let at = from; at <= to && at < this.items.length; at++) {
        if (foremost < 0 || this.before(at, foremost, onMinLevel)) foremost = at;
      }
    }
    return foremost;
  }

  /** Whether the item at `one` lies nearer to the end that `towardsFirst` names. */
  private before(one: number, other: number, towardsFirst: boolean): boolean {
    return towardsFirst ? this.precedes(this.at(one), this.at(other)) : this.precedes(this.at(other), this.at(one));
  }

  private swap(one: number, other: number): void {
    const item = this.at(one);
    this.items[one] = this.at(other);
    this.items[other] = item;
  }

  private at(index: number): T {
    return this.items[index] as T;
  }
}

function isMinLevel(index: number): boolean {
  return (31 - Math.clz32(index + 1)) % 2 === 0;
}
