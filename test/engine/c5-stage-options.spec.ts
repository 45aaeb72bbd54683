import { InvalidOptionError, SedaBus, type SedaBusOptions, type StageOptions } from '#engine';
import { refusal } from '../support/refusal.js';

const COUNTS = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null, true, {}];
const POSITIVE_TIMES = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1', null, true, {}];
const TIMES = POSITIVE_TIMES.slice(1);
const FLAGS = [0, 1, Number.NaN, 'true', null, {}];
const CHOICES = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '', 'nonsense', null, {}];
const OBJECTS = [0, 1, Number.NaN, 'text', null, [], true];

/** Every stage option with every kind of value that it does not take. */
const BAD_STAGE_VALUES: Record<keyof StageOptions, readonly unknown[]> = {
  capacity: [...COUNTS, 2 ** 30 + 1, 2 ** 53],
  concurrency: [...COUNTS, 2 ** 53],
  delivery: CHOICES,
  backpressure: CHOICES,
  maxAttempts: COUNTS,
  backoff: OBJECTS,
  timeoutMs: POSITIVE_TIMES,
  hopTimeoutMs: TIMES,
  maxWaiting: [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null, true],
  drainBatch: COUNTS,
  copyPayload: FLAGS,
  consume: [null, 0, 'true'],
  serviceLevel: [...CHOICES, 'atLeastOnce'],
  replay: CHOICES,
  maxAgeMs: POSITIVE_TIMES,
  windowSize: COUNTS,
  historySize: COUNTS,
  codec: [...OBJECTS, {}, { name: 'c', encode: 0, decode: 0 }, { encode: () => 0, decode: () => 0 }],
};

const BAD_BACKOFF_VALUES = {
  type: [...CHOICES, undefined],
  delayMs: [...TIMES, undefined],
  factor: [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '2', null],
  maxDelayMs: TIMES,
  jitter: FLAGS,
};

const pairs = (table: Record<string, readonly unknown[]>): [string, unknown][] =>
  Object.entries(table).flatMap(([option, values]) => values.map((value): [string, unknown] => [option, value]));

describe('C5 R1.6 options of a stage', () => {
  it.each(pairs(BAD_STAGE_VALUES))('C5 channel() refuses %s: %p', (option, value) => {
    const bus = new SedaBus();
    const error = refusal(() => bus.channel('a', { [option]: value } as StageOptions));
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ code: 'SEDA_INVALID_OPTION', option: `stage 'a'.${option}`, value });
    expect(error.message).toContain(`stage 'a'.${option}`);
    expect(error.rule).not.toBe('');
    expect(bus.stats()).toEqual({});
  });

  it.each(pairs(BAD_BACKOFF_VALUES))('C5 channel() refuses backoff.%s: %p', (option, value) => {
    const backoff = { type: 'fixed', delayMs: 1, [option]: value };
    const error = refusal(() => new SedaBus().channel('a', { backoff } as StageOptions));
    expect(error).toMatchObject({ code: 'SEDA_INVALID_OPTION', option: `stage 'a'.backoff.${option}`, value });
  });

  it.each(pairs(BAD_STAGE_VALUES))('C5 the defaults of a bus refuse %s: %p', (option, value) => {
    const options = { defaults: { [option]: value } } as SedaBusOptions;
    expect(refusal(() => new SedaBus(options))).toMatchObject({ option: `bus.defaults.${option}`, value });
  });

  it.each([
    ['capcity', "stage 'a'.capcity"],
    ['Capacity', "stage 'a'.Capacity"],
    ['toString', "stage 'a'.toString"],
  ])('C5 channel() refuses the unknown option %s and names the known ones', (name, option) => {
    const error = refusal(() => new SedaBus().channel('a', { [name]: 1 } as StageOptions));
    expect(error).toMatchObject({ option, rule: expect.stringContaining('capacity, concurrency, delivery') });
  });

  it('C5 channel() refuses an unknown option of a backoff', () => {
    const backoff = { type: 'fixed', delayMs: 1, delay: 1 } as StageOptions['backoff'];
    expect(refusal(() => new SedaBus().channel('a', { backoff } as StageOptions)).option).toBe(
      "stage 'a'.backoff.delay",
    );
  });

  it.each([0, 'text', null, [], true])('C5 channel() refuses options that are %p', (options) => {
    expect(refusal(() => new SedaBus().channel('a', options as StageOptions))).toMatchObject({ option: "stage 'a'" });
  });

  it('C5 every option takes undefined for its default, and the least and the most that it allows', () => {
    const bus = new SedaBus();
    const undefinedForAll = Object.fromEntries(Object.keys(BAD_STAGE_VALUES).map((option) => [option, undefined]));
    bus.channel('default', undefinedForAll as StageOptions);
    bus.channel('least', {
      capacity: 1,
      concurrency: 1,
      timeoutMs: 1e-9,
      hopTimeoutMs: 0,
      maxWaiting: 0,
      drainBatch: 1,
    });
    bus.channel('most', { capacity: 2 ** 30, concurrency: Number.MAX_SAFE_INTEGER, timeoutMs: Number.MAX_VALUE });
    expect(bus.stats()).toMatchObject({
      default: { capacity: 1_024, concurrency: 1, backpressure: 'block' },
      least: { capacity: 1 },
      most: { capacity: 2 ** 30 },
    });
  });
});
