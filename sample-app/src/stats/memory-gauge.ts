import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

const BYTES_PER_MB = 1024 * 1024;

/** How much the process has grown since it was ready to listen, its data loaded. */
@Injectable()
export class MemoryGauge implements OnApplicationBootstrap {
  private baseline = process.memoryUsage.rss();
  private peak = 0;

  onApplicationBootstrap(): void {
    this.baseline = process.memoryUsage.rss();
  }

  /** Resident memory now over that of the start, in MB; negative when some was given back. */
  growthMb(): number {
    const growth = Math.round(((process.memoryUsage.rss() - this.baseline) / BYTES_PER_MB) * 10) / 10;
    this.peak = Math.max(this.peak, growth);
    return growth;
  }

  /** The largest growth that was ever asked for. */
  peakGrowthMb(): number {
    this.growthMb();
    return this.peak;
  }
}
