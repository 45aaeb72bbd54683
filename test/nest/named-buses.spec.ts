import { Inject, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type Envelope, SedaBus, type StageRef, makeEnvelope } from '#engine';
import {
  DeadLetter,
  InjectSedaBus,
  InjectStage,
  SedaBusHealthIndicator,
  SedaBusModule,
  Stage,
  getSedaBusToken,
  getStageToken,
} from '../../src/index.js';
import { LogRecorder } from './support/log-recorder.js';
import { boot, closeAfterwards, compile } from './support/boot.js';

@Injectable()
class Handlers {
  readonly seen: string[] = [];

  constructor(
    @Inject(SedaBus) readonly plain: SedaBus,
    @InjectSedaBus('audit') readonly audit: SedaBus,
  ) {}

  @Stage('work')
  onPlain(envelope: Envelope): void {
    this.seen.push(`plain ${String(envelope.content())}`);
  }

  @Stage('work', { bus: 'audit', capacity: 3 })
  onAudit(envelope: Envelope): boolean {
    this.seen.push(`audit ${String(envelope.content())}`);
    return envelope.content() !== 'bad';
  }

  @DeadLetter('work', { bus: 'audit' })
  onDead(envelope: Envelope): void {
    this.seen.push(`dead ${String(envelope.content())}`);
  }
}

const later =
  <T>(value: T) =>
  async (): Promise<T> => {
    await new Promise((resolve) => setImmediate(resolve));
    return value;
  };

async function both() {
  const imports = [
    SedaBusModule.forRootAsync({ useFactory: later({ defaults: { capacity: 11 } }) }),
    SedaBusModule.forRootAsync({ name: 'audit', useFactory: later({ defaults: { capacity: 22 } }) }),
  ];
  const { app, bus } = await boot({ imports, providers: [Handlers] });
  return { app, bus, audit: app.get<SedaBus>(getSedaBusToken('audit')), handlers: app.get(Handlers) };
}

describe('R9.7 named buses', () => {
  test('N27: two forRootAsync with factories that take their time give two buses, both usable', async () => {
    const { bus, audit, handlers } = await both();
    expect(handlers.plain).toBe(bus);
    expect(handlers.audit).toBe(audit);
    expect(audit).not.toBe(bus);
    bus.offer(makeEnvelope('work', 1));
    audit.offer(makeEnvelope('work', 2));
    await Promise.all([bus.idle(), audit.idle()]);
    expect(handlers.seen).toEqual(['plain 1', 'audit 2']);
  });

  test('each has its own options, stages and dead letters', async () => {
    const { bus, audit, handlers } = await both();
    expect(bus.stats()).toMatchObject({ work: { capacity: 11 } });
    expect(audit.stats()).toMatchObject({ work: { capacity: 3 }, 'dead-letters': { depth: 0 } });
    expect(bus.stage('work.dead-letters')).toBeUndefined();
    audit.offer(makeEnvelope('work', 'bad'));
    await audit.idle();
    expect(handlers.seen).toEqual(['audit bad', 'dead bad']);
  });

  test('both drain when the application closes', async () => {
    const { app, bus, audit, handlers } = await both();
    bus.offer(makeEnvelope('work', 1));
    audit.offer(makeEnvelope('work', 2));
    await app.close();
    expect(handlers.seen.toSorted()).toEqual(['audit 2', 'plain 1']);
    expect([bus.state, audit.state]).toEqual(['closed', 'closed']);
  });

  test('the health indicator shows the one it is asked for', async () => {
    const { app, audit } = await both();
    audit.hold('work');
    const indicator = app.get(SedaBusHealthIndicator, { strict: false });
    expect(indicator.isHealthy('a')).toMatchObject({ a: { status: 'up', stages: { work: { capacity: 11 } } } });
    const named = indicator.isHealthy('b', { bus: 'audit', maxDeadLetters: 0 });
    expect(named).toMatchObject({ b: { status: 'degraded', stages: { work: { capacity: 3 } } } });
    expect(() => indicator.isHealthy('c', { bus: 'other' })).toThrow(
      expect.objectContaining({ code: 'SEDA_INVALID_OPTION', message: expect.stringContaining('default, audit') }),
    );
  });

  test('forFeature and InjectStage reach the stages of the one they name', async () => {
    @Injectable()
    class Publisher {
      constructor(
        @InjectStage('x') readonly plain: StageRef,
        @InjectStage('x', 'audit') readonly audit: StageRef,
      ) {}
    }
    const imports = [
      SedaBusModule.forRoot(),
      SedaBusModule.forRoot({ name: 'audit' }),
      SedaBusModule.forFeature([{ name: 'x', capacity: 5 }]),
      SedaBusModule.forFeature([{ name: 'x', capacity: 6 }], { bus: 'audit' }),
    ];
    const { app } = await boot({ imports, providers: [Publisher] });
    const { plain, audit } = app.get(Publisher);
    expect([plain.stats()?.capacity, audit.stats()?.capacity]).toEqual([5, 6]);
    expect(getStageToken('x', 'audit')).not.toBe(getStageToken('x'));
  });

  test('an application may have named ones only; its log tells them apart', async () => {
    const log = new LogRecorder();
    const root = SedaBusModule.forRoot({ name: 'audit' });
    const app = await Test.createTestingModule({ imports: [root] })
      .setLogger(log)
      .compile();
    closeAfterwards(app);
    await app.init();
    expect(() => app.get(SedaBus)).toThrow();
    expect(log.lines).toContainEqual(expect.objectContaining({ context: 'SedaBus:audit', level: 'log' }));
  });
});

describe('R9.7 what names a bus that does not exist fails the boot with the known names', () => {
  @Injectable()
  class Lost {
    @Stage('work', { bus: 'adit' })
    handle(): void {}
  }
  const roots = [SedaBusModule.forRoot(), SedaBusModule.forRoot({ name: 'audit' })];
  const error = async (booting: Promise<unknown>): Promise<unknown> => booting.catch((thrown: unknown) => thrown);

  test('a handler', async () => {
    expect(await error(boot({ imports: roots, providers: [Lost] }))).toMatchObject({
      code: 'SEDA_UNKNOWN_BUS',
      message: expect.stringMatching(/Lost\.handle of stage 'work'.*'adit'.*'default', 'audit'/),
    });
  });

  test('a forFeature', async () => {
    const feature = SedaBusModule.forFeature([{ name: 'x' }], { bus: 'adit' });
    expect(await error(compile({ imports: [...roots, feature] }))).toMatchObject({
      code: 'SEDA_UNKNOWN_BUS',
      message: expect.stringMatching(/forFeature with stage 'x'.*'adit'.*'default', 'audit'/),
    });
  });

  test('two roots of one name are one too many', async () => {
    @Module({ imports: [SedaBusModule.forRoot({ name: 'audit' })] })
    class Other {}
    expect(await error(compile({ imports: [...roots, Other] }))).toMatchObject({
      code: 'SEDA_MODULE_TWICE',
      message: expect.stringContaining("'audit'"),
    });
  });

  test('the name is known before the options are', async () => {
    const root = SedaBusModule.forRootAsync({ useFactory: () => ({ name: 'audit' }) as object });
    expect(await error(compile({ imports: [root] }))).toMatchObject({ code: 'SEDA_INVALID_OPTION' });
    expect(() => SedaBusModule.forRoot({ name: '' })).toThrow(expect.objectContaining({ code: 'SEDA_INVALID_OPTION' }));
  });
});
