import { Injectable } from '@nestjs/common';
import { InjectStage, makeEnvelope, type PublishOptions, type StageRef } from '@resolvingarchitecture/nestjs-seda-bus';
import type { CityImport } from './city-import.js';
import { CitySource, type RawCity } from './city-source.js';
import { AGGREGATE, ENRICH, IMPORT_ID, PARSE } from './city.stages.js';
import { ImportGauge } from './import-gauge.js';

const CITIES_PER_LOOK = 256;

/** Feeds the first stage. It reads no faster than that stage takes: `publish` waits while the stage is full. */
@Injectable()
export class CityReader {
  constructor(
    @InjectStage(PARSE) private readonly intake: StageRef<RawCity>,
    private readonly source: CitySource,
    private readonly gauge: ImportGauge,
  ) {}

  /** Resolves when all cities are on their way, or the bus takes no more of them. */
  async read(run: CityImport): Promise<void> {
    const init = { headers: { [IMPORT_ID]: run.id }, slip: [ENRICH, AGGREGATE] };
    const options: PublishOptions = { onSettled: (outcome) => run.settle(outcome) };
    let published = 0;
    for (const city of this.source.all) {
      published++;
      if (!(await this.intake.publish(makeEnvelope(PARSE, city, init), options))) break;
      if (published % CITIES_PER_LOOK === 0) this.gauge.read();
    }
    run.leaveOut(run.total - published);
  }
}
