import { Module } from '@nestjs/common';
import { MemoryGauge } from './memory-gauge.js';
import { StatsController } from './stats.controller.js';
import { StatsService } from './stats.service.js';

@Module({
  controllers: [StatsController],
  providers: [StatsService, MemoryGauge],
  exports: [MemoryGauge],
})
export class StatsModule {}
