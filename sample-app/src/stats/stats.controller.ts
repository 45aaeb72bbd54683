import { Controller, Get } from '@nestjs/common';
import { type Stats, StatsService } from './stats.service.js';

@Controller('stats')
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Get()
  read(): Stats {
    return this.stats.read();
  }
}
