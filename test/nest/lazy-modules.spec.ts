import { Injectable, Module, type Type } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { type Envelope, type SedaBus, makeEnvelope } from '#engine';
import { SedaBusModule, Stage, StageRegistry, getSedaBusToken } from '../../src/index.js';
import { boot, compile } from './support/boot.js';
import { publish } from './support/publish.js';

const seen: string[] = [];
beforeEach(() => void (seen.length = 0));

const note = (what: string) => (envelope: Envelope) => void seen.push(`${what} ${String(envelope.content())}`);

/** A module with a handler for each stage, made anew for each test. */
function moduleWith(...stages: [name: string, options?: object][]): Type {
  @Injectable()
  class Handlers {}
  for (const [index, [name, options]] of stages.entries()) {
    const key = `handle${index}`;
    Object.defineProperty(Handlers.prototype, key, { value: note(name), configurable: true, writable: true });
    const descriptor = Object.getOwnPropertyDescriptor(Handlers.prototype, key) as PropertyDescriptor;
    Stage(name, options)(Handlers.prototype, key, descriptor);
  }

  @Module({ providers: [Handlers] })
  class Lazy {}
  return Lazy;
}

async function running(options = {}) {
  const imports = [SedaBusModule.forRoot(options), SedaBusModule.forRoot({ name: 'audit' })];
  const { app, bus } = await boot({ imports });
  const registry = app.get(StageRegistry, { strict: false });
  const explore = async (module: Type): Promise<string[]> =>
    registry.explore(await app.get(LazyModuleLoader).load(() => module));
  return { app, bus, audit: app.get<SedaBus>(getSedaBusToken('audit')), registry, explore };
}

describe('N20: stages of lazily loaded modules, and stages that were removed', () => {
  test('a removed stage stays away when another module is explored', async () => {
    const { registry, explore } = await running();
    await explore(moduleWith(['reports']));
    expect(await registry.remove('reports')).toBe(true);
    await explore(moduleWith(['other']));
    expect(registry.list()).toEqual(['dead-letters', 'other']);
  });

  test('while one is being removed another module can be explored', async () => {
    const { bus, registry, explore } = await running();
    await explore(moduleWith(['reports']));
    bus.hold();
    bus.offer(makeEnvelope('reports', 1));
    const removed = registry.remove('reports');
    expect(await explore(moduleWith(['other']))).toEqual(['other']);
    expect(registry.list()).not.toContain('reports');
    bus.release();
    expect(await removed).toBe(true);
    expect(seen).toEqual(['reports 1']);
  });

  test('a handler for a stage that the registry has added joins it, whatever its options', async () => {
    const { bus, registry, explore } = await running();
    registry.add('jobs', { capacity: 5 }, note('added'));
    await explore(moduleWith(['jobs']));
    await publish(bus, 'jobs', 2);
    expect(seen.toSorted()).toEqual(['added 0', 'jobs 1']);
  });

  test('a module that was explored before the application was initialised is registered once', async () => {
    const { app, bus } = await compile({ imports: [SedaBusModule.forRoot()] });
    const moduleRef = await app.get(LazyModuleLoader).load(() => moduleWith(['news', { delivery: 'pubsub' }]));
    expect(app.get(StageRegistry, { strict: false }).explore(moduleRef)).toEqual(['news']);
    await app.init();
    await publish(bus, 'news');
    expect(seen).toEqual(['news 0']);
  });
});

describe('N31: a lazily loaded module that is wrong', () => {
  test('is kept off the bus as a whole, and fails no other', async () => {
    const { registry, explore } = await running();
    const wrong = moduleWith(['fine'], ['broken', { capacity: -1 }]);
    await expect(explore(wrong)).rejects.toMatchObject({ code: 'SEDA_INVALID_OPTION' });
    expect(registry.list()).toEqual(['dead-letters']);
    expect(await explore(moduleWith(['good']))).toEqual(['good']);
    await expect(explore(wrong)).rejects.toMatchObject({ code: 'SEDA_INVALID_OPTION' });
  });

  test('so is one that contradicts a stage that is there', async () => {
    const { registry, explore } = await running();
    registry.add('taken', { capacity: 5 }, note('added'));
    const wrong = moduleWith(['fine'], ['taken', { capacity: 6 }]);
    await expect(explore(wrong)).rejects.toMatchObject({ code: 'SEDA_STAGE_CONFLICT' });
    expect(registry.list()).toEqual(['dead-letters', 'taken']);
  });

  test('so is one of which only a part, on another bus, is wrong', async () => {
    const { registry, explore } = await running();
    const wrong = moduleWith(['fine'], ['broken', { bus: 'audit', capacity: -1 }]);
    await expect(explore(wrong)).rejects.toMatchObject({ code: 'SEDA_INVALID_OPTION' });
    expect([registry.list(), registry.list({ bus: 'audit' })]).toEqual([['dead-letters'], ['dead-letters']]);
  });

  test('a bad forFeature of a module that nobody has explored concerns nobody', async () => {
    const { app, explore } = await running();
    @Module({ imports: [SedaBusModule.forFeature([{ name: 'x', capacity: -1 }])] })
    class Unexplored {}
    await app.get(LazyModuleLoader).load(() => Unexplored);
    expect(await explore(moduleWith(['good']))).toEqual(['good']);
  });
});

describe('N36: roles hold for what comes later, too', () => {
  test('a stage that is added or explored is not consumed where consume leaves it out', async () => {
    const { bus, registry, explore } = await running({ consume: ['here.*'] });
    registry.add('jobs', {}, note('jobs'));
    registry.add('here.jobs', {}, note('here'));
    await explore(moduleWith(['lazy'], ['here.lazy']));
    for (const stage of ['jobs', 'here.jobs', 'lazy', 'here.lazy']) bus.offer(makeEnvelope(stage, 1));
    await bus.idle();
    expect(seen).toEqual(['here 1', 'here.lazy 1']);
    expect(bus.stats()).toMatchObject({ jobs: { depth: 1 }, lazy: { depth: 1 } });
  });
});

describe('StageRegistry.add', () => {
  test('with a consumer that is none leaves nothing behind', async () => {
    const { registry } = await running();
    const wrong = [undefined] as unknown as () => void;
    expect(() => registry.add('x', {}, wrong)).toThrow(expect.objectContaining({ code: 'SEDA_INVALID_OPTION' }));
    expect(registry.add('x', {}, note('x')).name).toBe('x');
  });
});

describe('forFeature beside a root that is not global', () => {
  const root = SedaBusModule.forRoot({ global: false });

  test('reaches it by its imports', async () => {
    const feature = SedaBusModule.forFeature([{ name: 'x', capacity: 7 }], { imports: [root] });
    const { bus } = await boot({ imports: [root, feature] });
    expect(bus.stats()['x']).toMatchObject({ capacity: 7 });
  });

  test('without them fails the boot, and says what to do', async () => {
    const failed = boot({ imports: [root, SedaBusModule.forFeature([{ name: 'x' }])] });
    await expect(failed).rejects.toMatchObject({
      code: 'SEDA_UNKNOWN_BUS',
      message: expect.stringMatching(/not global.*imports: \[root\]/),
    });
  });
});
