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
import PQueue from 'p-queue';
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
  for (const backpressure of ['reject', 'drop-oldest', 'block']) rows.push(...(await sweepBus(backpressure)));
  rows.push(...(await sweepUnbounded()));
  return rows;
}

/** One Nest application for each policy, with offered load from half to ten times what its stage can do. */
async function sweepBus(backpressure) {
  const { app, bus, url, latencies } = await startApplication(backpressure);
  const results = await sweep(url, {
    latencies,
    publish: (signal) => void bus.publish(makeEnvelope('work', 0), { signal }),
    delivered: () => bus.stats().work.delivered,
    waiting: () => bus.stats().work.depth,
    idle: () => bus.idle(),
  });
  const balanced = Object.values(bus.stats()).every(isBalanced);
  await app.close();
  const peak = Math.max(...results.loads.map(({ goodput }) => goodput));
  const worst = (of) => spread([Math.max(...results.loads.map(of))]);
  return [
    ...figures(backpressure, results),
    atLeast(`${backpressure}: goodput at 10× / peak`, 0.95, spread([results.loads.at(-1).goodput / peak])),
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

/** The same application and the same work without the bus: sixteen at a time, behind a line that takes whatever comes. */
async function sweepUnbounded() {
  const { app, url, work, latencies } = await startApplication('reject');
  const queue = new PQueue({ concurrency: STAGE.concurrency });
  let delivered = 0;
  const results = await sweep(url, {
    latencies,
    publish: () => {
      const enqueuedAt = performance.timeOrigin + performance.now();
      void queue.add(() => work.handle(undefined, { enqueuedAt }).then(() => delivered++));
    },
    delivered: () => delivered,
    waiting: () => queue.size,
    idle: async () => {
      queue.clear();
      await queue.onIdle();
    },
  });
  await app.close();
  return figures('without the bus', results);
}

async function sweep(url, subject) {
  const ceiling = await measureCeiling(subject);
  const loads = [];
  for (const load of LOADS) loads.push(await offer(subject, url, ceiling * load));
  return { ceiling, loads };
}

function figures(name, { ceiling, loads }) {
  return [
    figure(`${name}: ceiling`, spread([ceiling]), 'env/s'),
    ...loads.flatMap(({ goodput, latency }, index) => [
      figure(`${name}: goodput at ${LOADS[index]}×`, spread([goodput]), 'env/s'),
      figure(`${name}: p99 from acceptance to done at ${LOADS[index]}×`, spread([latency]), 'ms'),
    ]),
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
  const work = app.get(Work);
  return { app, work, bus: app.get(SedaBus), latencies: work.latencies, url: `${await app.getUrl()}/health` };
}

function decorate(decorator, target, method) {
  decorator(target.prototype, method, Object.getOwnPropertyDescriptor(target.prototype, method));
}

/** What it does when there is always work and nothing in excess. */
async function measureCeiling({ publish, delivered, waiting, idle }) {
  const measure = async (milliseconds) => {
    const before = delivered();
    const started = performance.now();
    while (performance.now() - started < milliseconds) {
      while (waiting() < STAGE.concurrency * 4) publish();
      await sleep(1);
    }
    const rate = (delivered() - before) / ((performance.now() - started) / 1_000);
    await idle();
    return rate;
  };
  await measure(500);
  return measure(RUN_MS);
}

/** Open loop: what is due is published whatever became of what was published before. */
async function offer({ publish, delivered, idle, latencies }, url, perSecond) {
  const probe = fork(new URL('../support/health-probe.mjs', import.meta.url), [url, String(PROBES_PER_SECOND)]);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  latencies.length = 0;
  const before = delivered();
  const controller = new AbortController();
  delay.enable();
  const started = performance.now();
  for (let sent = 0, elapsed = 0; elapsed < RUN_MS; elapsed = performance.now() - started) {
    const due = Math.floor((perSecond * (elapsed + TICK_MS)) / 1_000);
    for (; sent < due; sent++) publish(controller.signal);
    await sleep(TICK_MS);
  }
  const seconds = (performance.now() - started) / 1_000;
  const goodput = (delivered() - before) / seconds;
  delay.disable();
  const probed = await stop(probe);
  const latency = percentile(latencies, 0.99);
  controller.abort();
  await idle();
  return { goodput, latency, health: percentile(probed.latencies, 0.99), delay: delay.percentile(99) / 1e6 };
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
