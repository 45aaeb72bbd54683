import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SedaBusModule, Stage } from '@resolvingarchitecture/nestjs-seda-bus';
import { atMost, figure } from '../harness/report.mjs';
import { ratio, spread, takeTurns } from '../harness/rounds.mjs';

const PROVIDERS = 100;
const STAGES_EACH = 2;

export async function run({ rounds }) {
  const measures = await takeTurns({ with: () => boot(true), without: () => boot(false) }, { rounds, warmups: 3 });
  return [
    figure(`start-up, ${PROVIDERS} providers, ${PROVIDERS * STAGES_EACH} stages`, spread(measures.with), 'ms'),
    figure('start-up, the same providers without stages', spread(measures.without), 'ms'),
    atMost('start-up with stages / without', 1.5, ratio(measures.with, measures.without), '×'),
  ];
}

/** Classes are made anew for each start: nothing that Nest or the module remembers of a class helps the next one. */
async function boot(withStages) {
  const providers = Array.from({ length: PROVIDERS }, (_, index) => makeProvider(index, withStages));
  class AppModule {}
  Module({ imports: withStages ? [SedaBusModule.forRoot()] : [], providers })(AppModule);
  const started = performance.now();
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const milliseconds = performance.now() - started;
  await app.close();
  return milliseconds;
}

function makeProvider(index, withStages) {
  class Provider {
    first() {}
    second() {}
    third() {}
    fourth() {}
  }
  Injectable()(Provider);
  if (withStages) {
    for (const method of ['first', 'second'].slice(0, STAGES_EACH)) {
      const descriptor = Object.getOwnPropertyDescriptor(Provider.prototype, method);
      Stage(`${method}.${index}`)(Provider.prototype, method, descriptor);
    }
  }
  return Provider;
}
