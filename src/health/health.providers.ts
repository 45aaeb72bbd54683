import type { Provider } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { SedaBusHealthIndicator } from './seda-bus.health.js';

/** The indicator with what it needs of Terminus, so that it can be injected where no `TerminusModule` is imported. */
export const healthProviders: readonly Provider[] = Object.freeze([HealthIndicatorService, SedaBusHealthIndicator]);
