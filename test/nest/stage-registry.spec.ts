import { Injectable, Module } from '@nestjs/common';
import { LazyModuleLoader, ModuleRef } from '@nestjs/core';
import { type Envelope, type SedaBus, makeEnvelope } from '#engine';
import { DeadLetter, SedaBusModule, Stage, StageRegistry, getSedaBusToken } from '../../src/index.js';
import { Gate } from '../support/gate.js';
import { boot, openAfterwards } from './support/boot.js';
import { publish } from './support/publish.js';

@Injectable()
class Orders {
  @Stage('orders', { capacity: 9 })
  handle(): void {}
}

async function running() {
  const imports = [SedaBusModule.forRoot(), SedaBusModule.forRoot({ name: 'audit' })];
  const { app, bus } = await boot({ imports, providers: [Orders] });
  const audit = app.get<SedaBus>(getSedaBusToken('audit'));
  return { app, bus, audit, registry: app.get(StageRegistry, { strict: false }) };
}

describe('StageRegistry', () => {
  test('gets and lists the stages that decorators declare', async () => {
    const { registry } = await running();
    expect(registry.list()).toEqual(['dead-letters', 'orders']);
    expect(registry.get('orders')?.stats()).toMatchObject({ capacity: 9 });
    expect(registry.get('nowhere')).toBeUndefined();
  });

  test('adds a stage that then works like any other', async () => {
    const { registry, bus } = await running();
    const seen: unknown[] = [];
    const stage = registry.add(
      'tenants.7',
      { capacity: 4 },
      (envelope: Envelope) => void seen.push(envelope.content()),
    );
    await stage.publish('hello');
    await bus.idle();
    expect(seen).toEqual(['hello']);
    expect(registry.list()).toContain('tenants.7');
    expect(() => registry.add('orders', {}, () => true)).toThrow(
      expect.objectContaining({ code: 'SEDA_STAGE_CONFLICT' }),
    );
  });

  test('removes a stage when it is drained', async () => {
    const { registry, bus } = await running();
    const gate = openAfterwards(new Gate());
    const done: unknown[] = [];
    registry.add('slow', {}, async (envelope) => {
      await gate.opened;
      done.push(envelope.content());
    });
    bus.offer(makeEnvelope('slow', 1));
    const removed = registry.remove('slow');
    expect(registry.get('slow')).toBeUndefined();
    gate.open();
    expect(await removed).toBe(true);
    expect(done).toEqual([1]);
    expect(registry.list()).not.toContain('slow');
    await expect(registry.remove('slow')).rejects.toMatchObject({ code: 'SEDA_UNKNOWN_STAGE' });
  });

  test('works on the bus it is told', async () => {
    const { registry, audit } = await running();
    registry.add('here', {}, () => true, { bus: 'audit' });
    expect(audit.stage('here')).toBeDefined();
    expect(registry.get('here')).toBeUndefined();
    expect(await registry.remove('here', { bus: 'audit', timeoutMs: 10 })).toBe(true);
    expect(() => registry.list({ bus: 'other' })).toThrow(expect.objectContaining({ code: 'SEDA_INVALID_OPTION' }));
  });
});

@Injectable()
class Reports {
  readonly seen: unknown[] = [];

  @Stage('reports', { capacity: 8 })
  handle(envelope: Envelope): boolean {
    this.seen.push(envelope.content());
    return envelope.content() !== 'bad';
  }

  @DeadLetter('reports')
  parked(envelope: Envelope): void {
    this.seen.push(`parked ${String(envelope.content())}`);
  }

  @Stage('reports', { bus: 'audit' })
  audited(): void {}
}

@Injectable()
class Printing {
  @Stage('printing')
  handle(): void {}
}

@Module({ providers: [Printing] })
class PrintingModule {}

@Module({ imports: [PrintingModule], providers: [Reports], exports: [Reports] })
class ReportsModule {}

describe('N20: a module that is loaded lazily', () => {
  async function loaded() {
    const started = await running();
    const moduleRef = await started.app.get(LazyModuleLoader).load(() => ReportsModule);
    return { ...started, moduleRef, reports: moduleRef.get(Reports) };
  }

  test('N20: has no stages until the registry explores it, and then they work', async () => {
    const { registry, bus, moduleRef, reports } = await loaded();
    expect(registry.get('reports')).toBeUndefined();
    expect(registry.explore(moduleRef)).toEqual(['reports', 'reports.dead-letters', 'printing', 'reports']);
    await publish(bus, 'reports', 2);
    expect(reports.seen).toEqual([0, 1]);
    expect(bus.stats()).toMatchObject({ reports: { capacity: 8 }, printing: {} });
  });

  test('N20: its @DeadLetter gets a channel of its own', async () => {
    const { registry, bus, moduleRef, reports } = await loaded();
    registry.explore(moduleRef);
    bus.offer(makeEnvelope('reports', 'bad'));
    await bus.idle();
    expect(reports.seen).toEqual(['bad', 'parked bad']);
  });

  test('N20: exploring it again, or what the boot has seen, adds nothing', async () => {
    const { registry, bus, app, moduleRef, reports } = await loaded();
    registry.explore(moduleRef);
    expect(registry.explore(moduleRef)).toEqual([]);
    expect(registry.explore(app.get(ModuleRef))).toEqual([]);
    await publish(bus, 'reports');
    expect(reports.seen).toEqual([0]);
  });

  test('N20: is drained when the application closes', async () => {
    const { app, registry, bus, moduleRef, reports } = await loaded();
    registry.explore(moduleRef);
    bus.offer(makeEnvelope('reports', 'last'));
    await app.close();
    expect(reports.seen).toEqual(['last']);
    expect(bus.state).toBe('closed');
  });

  test('N20: one of another application is refused', async () => {
    const { registry } = await loaded();
    const other = await running();
    expect(() => registry.explore(other.app.get(ModuleRef))).toThrow(
      expect.objectContaining({ code: 'SEDA_INVALID_OPTION', message: expect.stringContaining('LazyModuleLoader') }),
    );
  });
});
