import { Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/**
 * The first of all `onModuleDestroy` hooks of an application.
 *
 * Nest calls the hooks of its end module by module, the root module first and global modules last, in the order of their
 * distance. The module of this hook is put before the root module, so that nothing of the application is gone yet when it
 * runs: the HTTP server answers, clients of databases are open, providers of the root module included.
 */
@Injectable()
export class FirstToEnd implements OnModuleDestroy {
  private work: () => Promise<void> = () => Promise.resolve();

  constructor(modules: ModulesContainer) {
    const all = [...modules.values()];
    const mine = all.find(({ metatype }) => metatype === FirstToEndModule);
    if (mine !== undefined) mine.distance = Math.min(...all.map(({ distance }) => distance)) - 1;
  }

  /** What to do then; the end waits for it. */
  do(work: () => Promise<void>): void {
    this.work = work;
  }

  onModuleDestroy(): Promise<void> {
    return this.work();
  }
}

@Module({ providers: [FirstToEnd], exports: [FirstToEnd] })
export class FirstToEndModule {}
