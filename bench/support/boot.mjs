/** Boots an application in this process, where nothing has run before, with or without stages; prints how long it took, in ms. */
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const [providerCount, stagesEach] = process.argv.slice(2).map(Number);
const { SedaBusModule, Stage } = stagesEach > 0 ? await import('@resolvingarchitecture/nestjs-seda-bus') : {};

class AppModule {}
Module({
  imports: stagesEach > 0 ? [SedaBusModule.forRoot()] : [],
  providers: Array.from({ length: providerCount }, (_, index) => makeProvider(index)),
})(AppModule);

const started = performance.now();
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
console.log(performance.now() - started);
await app.close();

function makeProvider(index) {
  class Provider {
    first() {}
    second() {}
    third() {}
    fourth() {}
  }
  Injectable()(Provider);
  for (const method of ['first', 'second', 'third', 'fourth'].slice(0, stagesEach)) {
    const descriptor = Object.getOwnPropertyDescriptor(Provider.prototype, method);
    Stage(`${method}.${index}`)(Provider.prototype, method, descriptor);
  }
  return Provider;
}
