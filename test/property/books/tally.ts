/** Events that must happen, and events that did, in any order: in the end nothing is left over. */
export class Tally {
  private readonly open = new Map<string, number>();

  expect(event: string): void {
    this.count(event, 1);
  }

  /** Whether it was expected before it was seen. */
  see(event: string): boolean {
    const expected = this.awaits(event);
    this.count(event, -1);
    return expected;
  }

  /** Whether it is expected and was not seen yet. */
  awaits(event: string): boolean {
    return (this.open.get(event) ?? 0) > 0;
  }

  /** Whether it was seen and is not expected yet. */
  isUnexplained(event: string): boolean {
    return (this.open.get(event) ?? 0) < 0;
  }

  /** Seen more often than expected, or less. */
  get leftOver(): string[] {
    return [...this.open].map(([event, count]) => `${event} ${count > 0 ? 'is missing' : 'is one too many'}`);
  }

  private count(event: string, by: number): void {
    const count = (this.open.get(event) ?? 0) + by;
    if (count === 0) this.open.delete(event);
    else this.open.set(event, count);
  }
}
