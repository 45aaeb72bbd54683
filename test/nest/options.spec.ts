import { Injectable } from '@nestjs/common';
import { Backpressure, SedaBus, type StageOptions } from '#engine';
import { DeadLetter, type SedaBusModuleOptions, SedaBusModule, Stage } from '../../src/index.js';
import { boot, compile } from './support/boot.js';

@Injectable()
class Plain {
  @Stage('a')
  handle(): void {}
}

@Injectable()
class Decorated {
  @Stage('a', { capacity: 30, concurrency: 3 })
  handle(): void {}
}

const settingsOf = async (options: SedaBusModuleOptions, providers: object[], features: StageOptions[] = []) => {
  const imports = [
    SedaBusModule.forRoot(options),
    ...features.map((feature) => SedaBusModule.forFeature([{ name: 'a', ...feature }])),
  ];
  const { bus } = await boot({ imports, providers: providers as never[] });
  return bus.stats()['a'];
};

describe('R9.5: options of a stage, the later one winning', () => {
  const defaults = { defaults: { capacity: 10 } };

  test('the defaults of the bus come first', async () => {
    expect(await settingsOf(defaults, [Plain])).toMatchObject({ capacity: 10, concurrency: 1 });
  });

  test('forFeature goes before the defaults', async () => {
    expect(await settingsOf(defaults, [Plain], [{ capacity: 20 }])).toMatchObject({ capacity: 20 });
  });

  test('the decorator goes before forFeature', async () => {
    const feature = { capacity: 20, concurrency: 2, backpressure: Backpressure.Reject };
    const settings = { capacity: 30, concurrency: 3, backpressure: 'reject' };
    expect(await settingsOf(defaults, [Decorated], [feature])).toMatchObject(settings);
  });

  test('forRoot goes before the decorator', async () => {
    const options = { ...defaults, stages: { a: { capacity: 40 } } };
    expect(await settingsOf(options, [Decorated], [{ capacity: 20 }])).toMatchObject({ capacity: 40, concurrency: 3 });
  });

  test('and so for a handler that only a factory brings, later than forFeature', async () => {
    const made = { provide: 'MADE', useFactory: () => new Decorated(), inject: [SedaBus] };
    expect(await settingsOf({}, [made], [{ capacity: 20, maxAttempts: 2 }])).toMatchObject({ capacity: 30 });
  });

  test('a stage that only forRoot names exists', async () => {
    const { bus } = await boot({ imports: [SedaBusModule.forRoot({ stages: { lonely: { capacity: 5 } } })] });
    expect(bus.stats()['lonely']).toMatchObject({ capacity: 5 });
  });

  test('`undefined` counts as not given', async () => {
    const nothing = { capacity: undefined } as unknown as StageOptions;
    expect(await settingsOf({ stages: { a: nothing } }, [Decorated])).toMatchObject({ capacity: 30 });
  });
});

describe('R9.2: two handlers of one stage', () => {
  const bootBoth = async (capacity: number) => {
    @Injectable()
    class Other {
      @Stage('a', { capacity, maxAttempts: 2 })
      handle(): void {}
    }
    return boot({ imports: [SedaBusModule.forRoot()], providers: [Decorated, Other] });
  };

  test('each may say a part of its options', async () => {
    const { bus } = await bootBoth(30);
    expect(bus.stats()['a']).toMatchObject({ capacity: 30, concurrency: 3 });
  });

  test('that contradict each other fail the boot, which names both', async () => {
    await expect(bootBoth(31)).rejects.toMatchObject({
      code: 'SEDA_STAGE_CONFLICT',
      message: expect.stringMatching(/Decorated\.handle: capacity 30, .*Other\.handle: capacity 31/),
    });
  });

  test('two forFeatures that contradict each other fail the boot', async () => {
    await expect(settingsOf({}, [], [{ capacity: 1 }, { capacity: 2 }])).rejects.toMatchObject({
      code: 'SEDA_STAGE_CONFLICT',
    });
  });
});

describe('N31, R1.6: a bad option fails the boot', () => {
  const bootWith = async (options: StageOptions) => {
    @Injectable()
    class Broken {
      @Stage('broken', options)
      handle(): void {}
    }
    const { app } = await compile({ imports: [SedaBusModule.forRoot()], providers: [Broken] });
    return app.init();
  };

  test.each([
    ['capacity', 0],
    ['concurrency', Number.NaN],
    ['maxAttempts', 1.5],
    ['backoff', { type: 'fixed', delayMs: -1 }],
  ])('of a decorator, naming class, method and %s', async (option, value) => {
    await expect(bootWith({ [option]: value })).rejects.toMatchObject({
      code: 'SEDA_INVALID_OPTION',
      message: expect.stringMatching(new RegExp(`@Stage\\('broken'\\) on Broken\\.handle: ${option}`)),
    });
  });

  test('when it is initialised, not before: whoever only compiles it sees no difference', async () => {
    const options = { stages: { a: { capacity: 0 } } };
    const { app } = await compile({ imports: [SedaBusModule.forRoot(options)], providers: [Plain] });
    await expect(app.init()).rejects.toMatchObject({ option: "stages['a']: capacity" });
  });

  test('that a stage does not have', async () => {
    await expect(bootWith({ size: 3 } as StageOptions)).rejects.toThrow(/Broken\.handle: size` to be one of/);
  });

  test('of a dead-letter handler', async () => {
    @Injectable()
    class Broken {
      @DeadLetter('a', { capacity: -1 })
      handle(): void {}
    }
    const booting = boot({ imports: [SedaBusModule.forRoot()], providers: [Plain, Broken] });
    await expect(booting).rejects.toThrow(/@DeadLetter\('a'\) on Broken\.handle: capacity/);
  });

  test('although a higher rank would replace it', async () => {
    const options = { stages: { a: { capacity: 5 } } };
    await expect(settingsOf(options, [], [{ capacity: 0 }])).rejects.toThrow(/forFeature\('a'\): capacity/);
  });

  test.each<[string, unknown]>([
    ['concurrency', 0],
    ['defaults', { capacity: 0 }],
    ['drainOn', 'later'],
    ['shutdownTimeoutMs', -1],
    ['shutdownTimeoutMs', Number.POSITIVE_INFINITY],
    ['global', 'yes'],
    ['stages', []],
    ['stages', { a: { capacity: 0 } }],
    ['stages', { a: null }],
    ['deadLetters', true],
    ['deadLetters', { capacity: 0 }],
    ['deadLetters', { channel: '' }],
    ['autoStart', true],
    ['deadLetterChannel', 'mine'],
    ['speed', 9],
  ])('of the module: %s %p', async (option, value) => {
    const booting = boot({ imports: [SedaBusModule.forRoot({ [option]: value })] });
    await expect(booting).rejects.toMatchObject({
      code: 'SEDA_INVALID_OPTION',
      message: expect.stringContaining(option),
    });
  });

  test('that are no object at all', async () => {
    await expect(boot({ imports: [SedaBusModule.forRoot(null as never)] })).rejects.toMatchObject({
      code: 'SEDA_INVALID_OPTION',
    });
  });

  test.each([[[{}]], [[null]], [{ name: 'a' }]])('of forFeature, where it is written: %j', (stages) => {
    expect(() => SedaBusModule.forFeature(stages as never)).toThrow(
      expect.objectContaining({ code: 'SEDA_INVALID_OPTION', message: expect.stringContaining('forFeature') }),
    );
  });

  test.each<[string, MethodDecorator]>([
    ['@Stage on Broken.handle: name', Stage('')],
    ['@DeadLetter on Broken.handle: source', DeadLetter('')],
    ['@DeadLetter on Broken.handle: keep', DeadLetter('a', { keep: 'yes' as never })],
  ])('of a decorator: %s', async (option, decorator) => {
    @Injectable()
    class Broken {
      @decorator
      handle(): void {}
    }
    const booting = boot({ imports: [SedaBusModule.forRoot()], providers: [Plain, Broken] });
    await expect(booting).rejects.toMatchObject({ code: 'SEDA_INVALID_OPTION', option });
  });
});
