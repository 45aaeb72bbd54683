import 'reflect-metadata';
import { fork } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Dependencies, Get, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import {
  SedaBus,
  SedaBusHealthIndicator,
  SedaBusModule,
  Stage,
  makeEnvelope,
} from '@resolvingarchitecture/nestjs-seda-bus';
import { atLeast, atMost, figure, holds } from '../harness/report.mjs';
import { percentile, spread } from '../harness/rounds.mjs';

const STAGE = { concurrency: 16, capacity: 1_024 };
const WORK_MS = 1;
const LOADS = [0.5, 1, 2, 5, 10];
const RUN_MS = 2_000;
const TICK_MS = 1;
const PROBES_PER_SECOND = 20;

export async function run() {
  const rows = [];
  for (const backpressure of ['reject', 'drop-oldest', 'block']) rows.push(...(await sweep(backpressure)));
  return rows;
}

/** One Nest application for each policy, with offered load from half to ten times what its stage can do. */
async function sweep(backpressure) {
  const { app, bus, url } = await startApplication(backpressure);
  const ceiling = await measureCeiling(bus);
  const results = [];
  for (const load of LOADS) results.push(await offer(bus, url, ceiling * load));
  const balanced = Object.values(bus.stats()).every(isBalanced);
  await app.close();
  const peak = Math.max(...results.map(({ goodput }) => goodput));
  const worst = (of) => spread([Math.max(...results.map(of))]);
  return [
    figure(`${backpressure}: ceiling`, spread([ceiling]), 'env/s'),
    ...results.flatMap(({ goodput, latency }, index) => [
      figure(`${backpressure}: goodput at ${LOADS[index]}×`, spread([goodput]), 'env/s'),
      figure(`${backpressure}: p99 from acceptance to done at ${LOADS[index]}×`, spread([latency]), 'ms'),
    ]),
    atLeast(`${backpressure}: goodput at 10× / peak`, 0.95, spread([results.at(-1).goodput / peak])),
    atMost(
      `${backpressure}: /health p99, worst load`,
      50,
      worst(({ health }) => health),
      'ms',
    ),
    atMost(
      `${backpressure}: event-loop delay p99, worst load`,
      25,
      worst(({ delay }) => delay),
      'ms',
    ),
    holds(`${backpressure}: the books balance`, balanced),
  ];
}

async function startApplication(backpressure) {
  class Work {
    constructor() {
      this.latencies = [];
    }

    async handle(_, attempt) {
      await sleep(WORK_MS);
      this.latencies.push(performance.timeOrigin + performance.now() - attempt.enqueuedAt);
    }
  }
  Injectable()(Work);
  decorate(Stage('work', { ...STAGE, backpressure }), Work, 'handle');

  class HealthController {
    constructor(health, indicator) {
      this.health = health;
      this.indicator = indicator;
    }

    check() {
      return this.health.check([() => this.indicator.isHealthy('bus')]);
    }
  }
  Controller('health')(HealthController);
  Dependencies(HealthCheckService, SedaBusHealthIndicator)(HealthController);
  decorate(Get(), HealthController, 'check');
  decorate(HealthCheck(), HealthController, 'check');

  class AppModule {}
  Module({
    imports: [SedaBusModule.forRoot({ deadLetters: false }), TerminusModule],
    controllers: [HealthController],
    providers: [Work],
  })(AppModule);
  const app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  const bus = app.get(SedaBus);
  bus.latencies = app.get(Work).latencies;
  return { app, bus, url: `${await app.getUrl()}/health` };
}

function decorate(decorator, target, method) {
  decorator(target.prototype, method, Object.getOwnPropertyDescriptor(target.prototype, method));
}

/** What the stage does when there is always work and nothing in excess. */
async function measureCeiling(bus) {
  const measure = async (milliseconds) => {
    const before = bus.stats().work.delivered;
    const started = performance.now();
    while (performance.now() - started < milliseconds) {
      while (bus.stats().work.depth < STAGE.concurrency * 4) bus.offer(makeEnvelope('work', 0));
      await sleep(1);
    }
    const rate = (bus.stats().work.delivered - before) / ((performance.now() - started) / 1_000);
    await bus.idle();
    return rate;
  };
  await measure(500);
  return measure(RUN_MS);
}

/** Open loop: what is due is published whatever became of what was published before. */
async function offer(bus, url, perSecond) {
  const probe = fork(new URL('../support/health-probe.mjs', import.meta.url), [url, String(PROBES_PER_SECOND)]);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  bus.latencies.length = 0;
  const before = bus.stats().work.delivered;
  const controller = new AbortController();
  delay.enable();
  const started = performance.now();
  for (let sent = 0, elapsed = 0; elapsed < RUN_MS; elapsed = performance.now() - started) {
    const due = Math.floor((perSecond * (elapsed + TICK_MS)) / 1_000);
    for (; sent < due; sent++) void bus.publish(makeEnvelope('work', 0), { signal: controller.signal });
    await sleep(TICK_MS);
  }
  const seconds = (performance.now() - started) / 1_000;
  const goodput = (bus.stats().work.delivered - before) / seconds;
  delay.disable();
  const { latencies } = await stop(probe);
  const latency = percentile(bus.latencies, 0.99);
  controller.abort();
  await bus.idle();
  return { goodput, latency, health: percentile(latencies, 0.99), delay: delay.percentile(99) / 1e6 };
}

function stop(probe) {
  return new Promise((resolve) => {
    probe.once('message', resolve);
    probe.send('stop');
  });
}

function isBalanced({ offered, waiting, depth, retrying, inFlight, delivered, deadLettered, dropped }) {
  return offered === waiting + depth + retrying + inFlight + delivered + deadLettered + dropped;
}
