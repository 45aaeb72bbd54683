import type { SedaBus, StageStats } from '#engine';

/** The two sides of the books of one stage (R2). */
export function balance(stats: StageStats): { offered: number; accounted: number; dropped: number; reasons: number } {
  const { waiting, depth, retrying, inFlight, delivered, deadLettered, dropped } = stats;
  return {
    offered: stats.offered,
    accounted: waiting + depth + retrying + inFlight + delivered + deadLettered + dropped,
    dropped,
    reasons: Object.values(stats.droppedBy).reduce((sum, count) => sum + count, 0),
  };
}

/** Every stage of the bus must account for all it was offered. */
export function expectBalanced(bus: SedaBus): void {
  for (const [name, stats] of Object.entries(bus.stats())) {
    const { offered, accounted, dropped, reasons } = balance(stats);
    expect({ name, accounted, reasons }).toEqual({ name, accounted: offered, reasons: dropped });
  }
}
