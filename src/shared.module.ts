import { Module } from '@nestjs/common';
import { BusDirectory } from './bus.directory.js';
import { healthProviders } from './health/health.providers.js';
import { SedaBusHealthIndicator } from './health/seda-bus.health.js';
import { ATTEMPT, ENVELOPE, scopeProviders } from './scope/scope.providers.js';
import { StageRegistry } from './stage.registry.js';

/** What all buses of an application share. */
@Module({
  providers: [BusDirectory, StageRegistry, ...healthProviders, ...scopeProviders],
  exports: [BusDirectory, StageRegistry, SedaBusHealthIndicator, ENVELOPE, ATTEMPT],
})
export class SharedModule {}
