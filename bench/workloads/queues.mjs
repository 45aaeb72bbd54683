import { CqrsModule, EventBus, EventsHandler } from '@nestjs/cqrs';
import { EventEmitterModule, EventEmitter2 } from '@nestjs/event-emitter';
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SedaBus, makeEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import async from 'async';
import fastq from 'fastq';
import PQueue from 'p-queue';
import { from, lastValueFrom, mergeMap } from 'rxjs';
import { atLeast, figure } from '../harness/report.mjs';
import { ratio, spread, takeTurns } from '../harness/rounds.mjs';

const TASKS = 200_000;
/** What takes half a minute for all of them gets a tenth, at the rate it has then; its burst is the smaller for it. */
const FEWER_TASKS = 20_000;
/** An application has its bus for as long as it runs: what V8 has learnt of it is not collected between two rounds. */
const kept = [];
const TARGETS = { 'fastq.promise': 2, 'p-queue': 2.5 };

export async function run({ rounds }) {
  const rows = [];
  for (const concurrency of [1, 16]) rows.push(...(await burst(concurrency, rounds)));
  return rows;
}

/** All tasks at once, each an async function that does nothing; measured until the last is done. */
async function burst(concurrency, rounds) {
  const nest = await startNest();
  const contestants = {
    bus: () => perSecond((done) => throughBus(concurrency, done)),
    'fastq.promise': () => perSecond((done) => throughFastq(concurrency, done)),
    'async.queue': () => perSecond((done) => throughAsync(concurrency, done)),
    'p-queue': () => perSecond((done) => throughPQueue(concurrency, done)),
    'RxJS mergeMap': () => perSecond((done, tasks) => throughRx(concurrency, done, tasks), FEWER_TASKS),
    '@nestjs/event-emitter': () => perSecond((done) => throughEmitter(nest, done)),
    '@nestjs/cqrs EventBus': () => perSecond((done, tasks) => throughCqrs(nest, done, tasks), FEWER_TASKS),
  };
  const measures = await takeTurns(contestants, { rounds });
  await nest.app.close();
  const { bus, ...peers } = measures;
  return [
    figure(`concurrency ${concurrency}: bus`, spread(bus), 'tasks/s'),
    ...Object.entries(peers).flatMap(([name, peer]) => [
      figure(`concurrency ${concurrency}: ${name}`, spread(peer), 'tasks/s'),
      atLeast(`concurrency ${concurrency}: bus / ${name}`, TARGETS[name] ?? 1, ratio(bus, peer)),
    ]),
  ];
}

async function perSecond(throughput, tasks = TASKS) {
  let left = tasks;
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  const started = performance.now();
  await throughput(() => {
    if (--left === 0) finish();
  }, tasks);
  await finished;
  return tasks / ((performance.now() - started) / 1_000);
}

function throughBus(concurrency, done) {
  const bus = new SedaBus();
  kept.push(bus);
  bus.channel('s', { capacity: TASKS, concurrency });
  bus.subscribe('s', async () => done());
  for (let task = 0; task < TASKS; task++) void bus.publish(makeEnvelope('s', task));
}

function throughFastq(concurrency, done) {
  const queue = fastq.promise(async () => done(), concurrency);
  for (let task = 0; task < TASKS; task++) void queue.push(task);
}

function throughAsync(concurrency, done) {
  const queue = async.queue(async () => done(), concurrency);
  for (let task = 0; task < TASKS; task++) queue.push(task);
}

function throughPQueue(concurrency, done) {
  const queue = new PQueue({ concurrency });
  for (let task = 0; task < TASKS; task++) void queue.add(async () => done());
}

function throughRx(concurrency, done, count) {
  const tasks = Array.from({ length: count }, (_, task) => task);
  return lastValueFrom(from(tasks).pipe(mergeMap(async () => done(), concurrency)));
}

function throughEmitter({ emitter, state }, done) {
  state.done = done;
  for (let task = 0; task < TASKS; task++) void emitter.emitAsync('s', task);
}

function throughCqrs({ events, Happened, state }, done, tasks) {
  state.done = done;
  for (let task = 0; task < tasks; task++) events.publish(new Happened(task));
}

/** Handlers of the two Nest packages have no concurrency limit: they start at once, whatever waits. */
async function startNest() {
  const state = { done: () => undefined };
  class Happened {
    constructor(task) {
      this.task = task;
    }
  }
  class Handler {
    async handle() {
      state.done();
    }
  }
  EventsHandler(Happened)(Handler);
  class AppModule {}
  Module({ imports: [CqrsModule.forRoot(), EventEmitterModule.forRoot()], providers: [Handler] })(AppModule);
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const emitter = app.get(EventEmitter2);
  emitter.on('s', async () => state.done());
  return { app, state, Happened, emitter, events: app.get(EventBus) };
}
