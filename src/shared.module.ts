import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { BusDirectory } from './bus.directory.js';
import { healthProviders } from './health/health.providers.js';
import { SedaBusHealthIndicator } from './health/seda-bus.health.js';
import { StageRegistry } from './stage.registry.js';

/** What all buses of an application share. */
@Module({
  imports: [DiscoveryModule],
  providers: [BusDirectory, StageRegistry, ...healthProviders],
  exports: [BusDirectory, StageRegistry, SedaBusHealthIndicator],
})
export class SharedModule {}
