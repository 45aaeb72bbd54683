import { Module } from '@nestjs/common';
import { SedaBusModule } from '@resolvingarchitecture/nestjs-seda-bus';
import { StatsModule } from '../stats/stats.module.js';
import { CityCheck } from './city-check.js';
import { CityReader } from './city-reader.js';
import { CitySource } from './city-source.js';
import { CityPipeline } from './city.pipeline.js';
import { PARSE } from './city.stages.js';
import { ImportGauge } from './import-gauge.js';
import { ImportLog } from './import-log.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';

@Module({
  imports: [StatsModule, SedaBusModule.forFeature([{ name: PARSE }])],
  controllers: [ImportsController],
  providers: [
    // Loaded while the application is put together, and so before it listens.
    { provide: CitySource, useFactory: () => CitySource.load() },
    CityCheck,
    CityPipeline,
    CityReader,
    ImportGauge,
    ImportLog,
    ImportsService,
  ],
})
export class ImportsModule {}
