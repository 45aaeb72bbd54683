import { Controller, Get, type INestApplication, Injectable } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import request from 'supertest';
import { SedaBus, makeEnvelope } from '#engine';
import { SedaBusHealthIndicator, SedaBusModule, Stage } from '../../src/index.js';
import { Gate } from '../support/gate.js';
import { turn } from '../support/manual-clock.js';
import { closeAfterwards, compile, openAfterwards } from './support/boot.js';

let gate: Gate;
beforeEach(() => void (gate = openAfterwards(new Gate())));

@Injectable()
class Work {
  @Stage('work', { capacity: 10 })
  handle(): Promise<void> {
    return gate.opened;
  }
}

@Controller('health')
class Health {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly seda: SedaBusHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.checks.check([() => this.seda.isHealthy('seda')]);
  }

  @Get('live')
  live() {
    return { status: 'ok' };
  }
}

async function listen(): Promise<{ http: INestApplication; bus: SedaBus; get: (path: string) => request.Test }> {
  const { app, bus } = await compile({
    imports: [SedaBusModule.forRoot(), TerminusModule.forRoot({ logger: false })],
    controllers: [Health],
    providers: [Work],
  });
  const http = closeAfterwards(app.createNestApplication());
  await http.listen(0);
  return { http, bus, get: (path) => request(http.getHttpServer()).get(path) };
}

const publish = async (bus: SedaBus, times: number): Promise<void> => {
  for (let i = 0; i < times; i++) await bus.publish(makeEnvelope('work'));
  await turn();
};

test('R10: /health is up, and degraded with 200 while a stage is saturated', async () => {
  const { bus, get } = await listen();
  const up = await get('/health').expect(200);
  expect(up.body).toMatchObject({ status: 'ok', details: { seda: { status: 'up', state: 'open' } } });
  await publish(bus, 10);
  const degraded = await get('/health').expect(200);
  expect(degraded.body).toMatchObject({
    status: 'degraded',
    details: { seda: { status: 'degraded', stages: { work: { depth: 9, capacity: 10, inFlight: 1 } } } },
  });
  gate.open();
});

test('N22: /health is 503 from the first moment of the close, and /health/live stays 200', async () => {
  const { http, bus, get } = await listen();
  await publish(bus, 1);
  const closed = http.close();
  await turn();
  const { body } = await get('/health').expect(503);
  expect(['error', 'shutting_down']).toContain(body.status);
  expect(body.details.seda).toMatchObject({ status: 'down', state: 'draining', stages: { work: { inFlight: 1 } } });
  await get('/health/live').expect(200);
  gate.open();
  await closed;
  expect(bus.stats()['work']).toMatchObject({ inFlight: 0, delivered: 1 });
});
