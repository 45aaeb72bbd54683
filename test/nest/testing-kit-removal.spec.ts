import { Test } from '@nestjs/testing';
import { Injectable } from '@nestjs/common';
import { SedaBus, makeEnvelope } from '#engine';
import { SedaBusModule, Stage, StageRegistry } from '../../src/index.js';
import { SedaBusTesting } from '../../src/testing/index.js';
import { closeAfterwards } from './support/boot.js';

@Injectable()
class Reports {
  @Stage('reports')
  handle(): void {}
}

test('the removal of a stage can be tested: while it waits at a gate it is work left, afterwards it is gone', async () => {
  const seda = new SedaBusTesting();
  const builder = Test.createTestingModule({ imports: [SedaBusModule.forRoot()], providers: [Reports] });
  const app = closeAfterwards(await seda.install(builder).compile());
  await app.init();
  const gate = seda.gate('reports');
  app.get(SedaBus).offer(makeEnvelope('reports', 1));
  await seda.advance(0);
  const removed = app.get(StageRegistry, { strict: false }).remove('reports');
  await expect(seda.settled()).rejects.toThrow("'reports': 1 at a closed gate");
  gate.open();
  await seda.settled();
  expect(await removed).toBe(true);
  expect(seda.deliveries('reports')).toMatchObject([{ outcome: 'ack' }]);
});
