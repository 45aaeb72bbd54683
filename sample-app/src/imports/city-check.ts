import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CitySource } from './city-source.js';
import type { CitySummary } from './city-tally.js';
import { plainAggregate } from './plain-aggregate.js';

/** Knows what an import must come to: by a plain loop over the same data, run once before the application listens. */
@Injectable()
export class CityCheck implements OnModuleInit {
  private expected: CitySummary | undefined;

  constructor(private readonly source: CitySource) {}

  onModuleInit(): void {
    this.expected = plainAggregate(this.source.all);
  }

  holds(summary: CitySummary): boolean {
    return isDeepStrictEqual(summary, this.expected);
  }
}
