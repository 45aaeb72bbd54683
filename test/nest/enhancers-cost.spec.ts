import { createHook } from 'node:async_hooks';
import { Injectable, type Provider, UseGuards } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { makeEnvelope } from '#engine';
import { type SedaBusModuleOptions, Stage } from '../../src/index.js';
import { enhanced } from './support/enhanced.js';

const ENVELOPES = 1_000;

@Injectable()
class Orders {
  stack = '';
  @Stage('plain', { capacity: ENVELOPES })
  handle(): void {
    this.stack ||= new Error('here').stack ?? '';
  }
  @Stage('guarded', { capacity: ENVELOPES })
  @UseGuards({ canActivate: () => true })
  guarded(): void {}
}

/** Counts the promises that handling so many envelopes makes. No clock is read. */
async function promisesOf(stage: string, options: SedaBusModuleOptions, ...more: Provider[]) {
  const { app, bus } = await enhanced({ providers: [Orders, ...more] }, options);
  const envelopes = Array.from({ length: ENVELOPES }, (_, n) => makeEnvelope(stage, n));
  let promises = 0;
  const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && promises++) }).enable();
  for (const envelope of envelopes) bus.offer(envelope);
  await bus.idle(stage);
  hook.disable();
  expect(bus.stats()[stage]).toMatchObject({ delivered: ENVELOPES });
  return { promises, stack: app.get(Orders).stack };
}

describe('R9.4, R9.8: a handler of a singleton without enhancers', () => {
  test.each([[false], [true], [{ global: true }]])('makes no promise with enhancers: %j', async (enhancers) => {
    const { promises } = await promisesOf('plain', { enhancers });
    expect(promises).toBeLessThan(ENVELOPES / 8);
  });

  test('makes none either for a guard of the application that does not apply', async () => {
    const guard = { provide: APP_GUARD, useValue: { canActivate: () => true } };
    const { promises } = await promisesOf('plain', { enhancers: true }, guard);
    expect(promises).toBeLessThan(ENVELOPES / 8);
  });

  test('is called by the engine with one call between them', async () => {
    const { stack } = await promisesOf('plain', { enhancers: false });
    const [, handler, between, engine] = stack.split('\n');
    expect(handler).toMatch(/Orders\.handle/);
    expect(between).toMatch(/handler\.consumers/);
    expect(engine).toMatch(/engine/);
  });

  test('unlike one with a guard', async () => {
    const { promises } = await promisesOf('guarded', { enhancers: true });
    expect(promises).toBeGreaterThan(ENVELOPES);
  });
});
