import { ConflictException, Injectable, Logger, NotFoundException } from '@nestjs/common';
import { CityCheck } from './city-check.js';
import { CityImport, type ImportState } from './city-import.js';
import { CityReader } from './city-reader.js';
import { CitySource } from './city-source.js';
import type { CitySummary } from './city-tally.js';
import { type Footprint, ImportGauge } from './import-gauge.js';
import { ImportLog } from './import-log.js';

export interface ImportProgress extends Footprint {
  readonly id: string;
  readonly state: ImportState;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly seconds: number;
  readonly ratePerSecond: number;
  /** Once it is over: the sums, and whether they are those of a plain loop over the same data. */
  readonly result?: CitySummary;
  readonly verified?: boolean;
}

@Injectable()
export class ImportsService {
  private readonly logger = new Logger(ImportsService.name);

  constructor(
    private readonly source: CitySource,
    private readonly reader: CityReader,
    private readonly log: ImportLog,
    private readonly gauge: ImportGauge,
    private readonly check: CityCheck,
  ) {}

  /**
   * Starts an import and does not wait for it.
   * @throws ConflictException with the id of the one that runs already
   */
  start(): { readonly id: string } {
    const running = this.log.running();
    if (running) throw new ConflictException({ id: running.id, message: 'An import is running' });
    const run = new CityImport(this.source.all.length);
    this.log.add(run);
    this.reader.read(run).catch((error: unknown) => this.logger.error(error));
    return { id: run.id };
  }

  /** @throws NotFoundException */
  progress(id: string): ImportProgress {
    const run = this.log.find(id);
    if (run === undefined) throw new NotFoundException(`There is no import '${id}'`);
    const { state, total, done, failed, seconds } = run;
    const rates = { seconds: round(seconds), ratePerSecond: Math.round(done / Math.max(seconds, 0.001)) };
    const progress = { id, state, total, done, failed, ...rates, ...this.gauge.read() };
    return state === 'running' ? progress : { ...progress, ...this.outcome(run) };
  }

  private outcome(run: CityImport): Required<Pick<ImportProgress, 'result' | 'verified'>> {
    const result = run.summary();
    return { verified: this.check.holds(result), result };
  }
}

const round = (seconds: number): number => Math.round(seconds * 100) / 100;
