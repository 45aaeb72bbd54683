import { InvalidOptionError, SedaBus, type SedaBusOptions, type StageOptions } from '#engine';
import { refusal } from '../support/refusal.js';

const NUMBERS = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1', null, true];
const FLAGS = [0, 1, Number.NaN, 'true', null, {}];
const NAMES = ['', 'n'.repeat(257), 0, -1, 1.5, Number.NaN, null, {}, Symbol('a')];

const BAD_BUS_VALUES: Record<keyof SedaBusOptions, readonly unknown[]> = {
  concurrency: [...NUMBERS, 1.5],
  turnMs: NUMBERS,
  defaults: [0, 1, 'text', null, [], true],
  unknownStage: [0, -1, Number.NaN, '', 'drop', null],
  deadLetterChannel: NAMES,
  autoStart: FLAGS,
  publishWhileDraining: FLAGS,
  propagateContext: [null, 0, 'true'],
  store: [...FLAGS, [], 'path', { name: 'a store' }, { open: () => undefined }],
  clock: [0, 'clock', null, true, {}, [], { now: () => 0 }, { now: 0, setTimeout: 0, clearTimeout: 0 }],
  random: [0, 0.5, Number.NaN, 'random', null, {}],
};

const BAD_BUS_PAIRS = Object.entries(BAD_BUS_VALUES).flatMap(([option, values]) =>
  values.map((value): [string, unknown] => [option, value]),
);

describe('C5 R1.6 options of the bus', () => {
  it.each(BAD_BUS_PAIRS)('C5 the constructor refuses %s: %p', (option, value) => {
    const error = refusal(() => new SedaBus({ [option]: value } as SedaBusOptions));
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error.option.startsWith(option === 'deadLetterChannel' ? 'bus.deadLetterChannel' : `bus.${option}`)).toBe(
      true,
    );
    expect(error).toMatchObject({ code: 'SEDA_INVALID_OPTION', value });
  });

  it.each(['concurency', 'Concurrency', 'constructor'])('C5 the constructor refuses the unknown option %s', (name) => {
    const error = refusal(() => new SedaBus({ [name]: 1 } as SedaBusOptions));
    expect(error).toMatchObject({ option: `bus.${name}`, rule: expect.stringContaining('concurrency, defaults') });
  });

  it.each([0, 'text', null, [], true])('C5 the constructor refuses options that are %p', (options) => {
    expect(refusal(() => new SedaBus(options as SedaBusOptions))).toMatchObject({ option: 'bus', value: options });
  });
});

describe('C5 R1.6 names and consumers', () => {
  const consumer = (): void => undefined;

  it.each(NAMES)('C5 no stage is named %p', (name) => {
    const bad = name as string;
    const bus = new SedaBus();
    expect(refusal(() => bus.channel(bad))).toMatchObject({ option: 'stage name', value: name });
    expect(refusal(() => bus.subscribe(bad, consumer))).toMatchObject({ option: 'stage name' });
    expect(refusal(() => bus.setDeadLetterChannel(bad, 'dead'))).toMatchObject({ option: 'dead-letter source' });
    expect(refusal(() => bus.setDeadLetterChannel('a', bad))).toMatchObject({ option: 'dead-letter channel' });
    expect(bus.stats()).toEqual({});
  });

  it('C5 a stage is not its own dead-letter channel', () => {
    const error = refusal(() => new SedaBus().setDeadLetterChannel('a', 'a'));
    expect(error).toMatchObject({ option: 'dead-letter channel', value: 'a' });
  });

  it.each([0, 'text', null, undefined, {}, []])('C5 %p is no consumer and no listener', (value) => {
    const bus = new SedaBus();
    expect(refusal(() => bus.subscribe('a', value as never))).toMatchObject({ option: 'consumer', value });
    expect(refusal(() => bus.on('dropped', value as never))).toMatchObject({ option: 'listener', value });
    expect(bus.stats()).toEqual({});
  });

  it('C5 any other text is a name, those of Object.prototype included', async () => {
    const bus = new SedaBus();
    const names = ['__proto__', 'constructor', ' ', 'ä/ö.ü', 'n'.repeat(256)];
    for (const name of names) bus.channel(name);
    expect(Object.keys(bus.stats())).toEqual(names);
  });

  it('C5 the same stage with other options is a conflict that names both, the same again is none', () => {
    const options: StageOptions = { capacity: 5, backoff: { type: 'fixed', delayMs: 1 } };
    const bus = new SedaBus().channel('a', options);
    expect(bus.channel('a', { ...options }).channel('a')).toBe(bus);
    expect(() => bus.channel('a', { ...options, capacity: 6 })).toThrow('different options: capacity 5 and 6');
    expect(refusal(() => bus.channel('a', {}))).toMatchObject({ code: 'SEDA_STAGE_CONFLICT', stage: 'a' });
  });

  it('C5 a stage that was only referred to may still be declared, once', () => {
    const bus = new SedaBus().subscribe('a', consumer).channel('a', { capacity: 5 });
    expect(bus.stats()['a']).toMatchObject({ capacity: 5 });
    expect(refusal(() => bus.channel('a', { capacity: 6 }))).toMatchObject({ code: 'SEDA_STAGE_CONFLICT' });
  });

  it('C5 registration on a closed bus is refused as closed', () => {
    const bus = new SedaBus();
    bus.shutdownNow();
    for (const call of [
      () => bus.channel('a'),
      () => bus.subscribe('a', consumer),
      () => bus.setDeadLetterChannel('a', 'b'),
    ]) {
      expect(refusal(call)).toMatchObject({ code: 'SEDA_CLOSED' });
    }
  });
});
