import { Injectable } from '@nestjs/common';
import { SedaBus } from '@resolvingarchitecture/nestjs-seda-bus';
import { MemoryGauge } from '../stats/memory-gauge.js';
import { CITY_STAGES } from './city.stages.js';

export type Depths = Readonly<Record<string, number>>;

export interface Footprint {
  /** How many cities wait at each stage now, and how many ever did when somebody looked. */
  readonly depths: Depths;
  readonly peakDepths: Depths;
  readonly rssGrowthMb: number;
  readonly peakRssGrowthMb: number;
}

/** What the imports take up: of the queues, and of the memory. */
@Injectable()
export class ImportGauge {
  private readonly peaks: Record<string, number> = {};

  constructor(
    private readonly bus: SedaBus,
    private readonly memory: MemoryGauge,
  ) {}

  read(): Footprint {
    const depths = this.depths();
    for (const [stage, depth] of Object.entries(depths)) this.peaks[stage] = Math.max(this.peaks[stage] ?? 0, depth);
    const rssGrowthMb = this.memory.growthMb();
    return { depths, peakDepths: { ...this.peaks }, rssGrowthMb, peakRssGrowthMb: this.memory.peakGrowthMb() };
  }

  private depths(): Depths {
    const stats = this.bus.stats();
    return Object.fromEntries(CITY_STAGES.map((stage) => [stage, stats[stage]?.depth ?? 0]));
  }
}
