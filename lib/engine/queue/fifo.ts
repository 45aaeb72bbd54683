interface Link<T> {
  readonly item: T;
  next: Link<T> | undefined;
}

/** First in, first out, for a few: a linked list without a limit. */
export class Fifo<T> {
  private first: Link<T> | undefined;
  private last: Link<T> | undefined;
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** The one that came first. */
  get head(): T | undefined {
    return this.first?.item;
  }

  push(item: T): void {
    const link: Link<T> = { item, next: undefined };
    if (this.last === undefined) this.first = link;
    else this.last.next = link;
    this.last = link;
    this.count++;
  }

  shift(): T | undefined {
    const link = this.first;
    if (link === undefined) return undefined;
    this.first = link.next;
    if (this.first === undefined) this.last = undefined;
    this.count--;
    return link.item;
  }
}
