import { Injectable } from '@nestjs/common';
import { type BusState, type BusTotals, SedaBus, type StageStats } from '@resolvingarchitecture/nestjs-seda-bus';
import { MemoryGauge } from './memory-gauge.js';

export interface Stats {
  readonly state: BusState;
  readonly totals: BusTotals;
  readonly rssGrowthMb: number;
  readonly peakRssGrowthMb: number;
  readonly stages: Readonly<Record<string, StageStats>>;
}

@Injectable()
export class StatsService {
  constructor(
    private readonly bus: SedaBus,
    private readonly memory: MemoryGauge,
  ) {}

  read(): Stats {
    return {
      state: this.bus.state,
      totals: this.bus.totals(),
      rssGrowthMb: this.memory.growthMb(),
      peakRssGrowthMb: this.memory.peakGrowthMb(),
      stages: this.bus.stats(),
    };
  }
}
