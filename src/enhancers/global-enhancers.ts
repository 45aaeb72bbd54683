import { type CanActivate, type ExceptionFilter, type NestInterceptor, type PipeTransform } from '@nestjs/common';
import { ApplicationConfig, type ContextId } from '@nestjs/core';
import { resolveFor } from '../scope/attempt.scope.js';
import type { Wrapper } from '../stage.explorer.js';

/** The enhancers of the whole application, as far as handlers want them. */
export class GlobalEnhancers {
  constructor(
    private readonly application: ApplicationConfig,
    private readonly wanted: boolean,
  ) {}

  /** Whether any stand around every handler; pipes are for decorated parameters only. */
  get around(): boolean {
    const { application } = this;
    const lists = [
      application.getGlobalGuards(),
      application.getGlobalInterceptors(),
      application.getGlobalFilters(),
      application.getGlobalRequestGuards(),
      application.getGlobalRequestInterceptors(),
      application.getGlobalRequestFilters(),
    ];
    return this.wanted && lists.some(({ length }) => length > 0);
  }

  /** Whether some are made anew for each attempt. */
  get scoped(): boolean {
    const { application } = this;
    const lists = [
      application.getGlobalRequestGuards(),
      application.getGlobalRequestInterceptors(),
      application.getGlobalRequestPipes(),
      application.getGlobalRequestFilters(),
    ];
    return this.wanted && lists.some(({ length }) => length > 0);
  }

  /** Those that are made once. */
  config(): ApplicationConfig {
    const config = new ApplicationConfig();
    if (!this.wanted) return config;
    config.useGlobalGuards(...this.application.getGlobalGuards());
    config.useGlobalInterceptors(...this.application.getGlobalInterceptors());
    config.useGlobalPipes(...this.application.getGlobalPipes());
    config.useGlobalFilters(...this.application.getGlobalFilters());
    return config;
  }

  /** All of them, the scoped ones made for this context. */
  async configFor(contextId: ContextId): Promise<ApplicationConfig> {
    const config = this.config();
    if (!this.wanted) return config;
    const { application } = this;
    const made = <T>(wrappers: unknown[]) =>
      Promise.all((wrappers as Wrapper[]).map((wrapper) => resolveFor(wrapper, contextId) as Promise<T>));
    for (const guard of await made<CanActivate>(application.getGlobalRequestGuards())) config.addGlobalGuard(guard);
    for (const interceptor of await made<NestInterceptor>(application.getGlobalRequestInterceptors()))
      config.addGlobalInterceptor(interceptor);
    for (const pipe of await made<PipeTransform>(application.getGlobalRequestPipes())) config.addGlobalPipe(pipe);
    for (const filter of await made<ExceptionFilter>(application.getGlobalRequestFilters()))
      config.addGlobalFilter(filter);
    return config;
  }
}
