import { Injectable, Module } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import type { Envelope } from '#engine';
import { SedaBusModule, Stage, StageRegistry } from '../../../src/index.js';
import { boot } from '../support/boot.js';

const received: unknown[] = [];

@Injectable()
class Reports {
  @Stage('reports.render')
  render(envelope: Envelope): void {
    received.push(envelope.content());
  }
}

@Module({ providers: [Reports] })
class ReportsModule {}

// #region registry
@Injectable()
class Tenants {
  constructor(
    private readonly stages: StageRegistry,
    private readonly modules: LazyModuleLoader,
  ) {}

  arrive(id: string): void {
    this.stages.add(`tenants.${id}`, { capacity: 100 }, (envelope) => void received.push(envelope.content()));
  }

  /** What the stage has admitted is finished first; `false` if something had to be abandoned. */
  leave(id: string): Promise<boolean> {
    return this.stages.remove(`tenants.${id}`, { timeoutMs: 5_000 });
  }

  async loadReports(): Promise<string[]> {
    const moduleRef = await this.modules.load(() => ReportsModule);
    return this.stages.explore(moduleRef);
  }
}
// #endregion

test('stages come and go while the application runs', async () => {
  const { app, bus } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Tenants] });
  const tenants = app.get(Tenants);
  tenants.arrive('7');
  await bus.stage('tenants.7')?.publish('hello');
  expect(await tenants.leave('7')).toBe(true);
  expect(await tenants.loadReports()).toEqual(['reports.render']);
  await bus.stage('reports.render')?.publish('weekly');
  await bus.idle();
  expect(received).toEqual(['hello', 'weekly']);
});
