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
  private readonly works: (() => Promise<void>)[] = [];

  constructor(modules: ModulesContainer) {
    const all = [...modules.values()];
    const mine = all.find(({ metatype }) => metatype === FirstToEndModule);
    if (mine !== undefined) mine.distance = Math.min(...all.map(({ distance }) => distance)) - 1;
  }

  /** Something to do then, together with what else there is; the end waits for all of it. */
  do(work: () => Promise<void>): void {
    this.works.push(work);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.works.map((work) => work()));
  }
}

@Module({ providers: [FirstToEnd], exports: [FirstToEnd] })
export class FirstToEndModule {}
