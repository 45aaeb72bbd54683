import { type Attempt, type PublishOptions, SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { refusal } from '../support/refusal.js';

const TIMES = [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', null, true, {}];
const CALLBACKS = [0, -1, 1.5, Number.NaN, 'text', null, {}];

const BAD_VALUES: Record<keyof PublishOptions, readonly unknown[]> = {
  timeoutMs: TIMES,
  delayMs: TIMES,
  signal: [0, -1, 1.5, Number.NaN, 'text', null, {}],
  serviceLevel: [0, 1, Number.NaN, '', 'nonsense', 'envelope', null, {}],
  onComplete: CALLBACKS,
  onSettled: CALLBACKS,
};

const PAIRS = Object.entries(BAD_VALUES).flatMap(([option, values]) =>
  values.map((value): [string, unknown] => [option, value]),
);

/** Every way to publish, each failing in its own way. */
const reasons = async (options: unknown): Promise<unknown[]> => {
  const bus = new SedaBus();
  let inside: unknown;
  bus.channel('a', { backpressure: 'reject' }).subscribe('b', async (_, attempt) => {
    inside = await attempt.publish(makeEnvelope('a'), options as PublishOptions).catch((error: unknown) => error);
  });
  await bus.publishAndWait(makeEnvelope('b'));
  const caught = [
    await bus.publish(makeEnvelope('a'), options as PublishOptions).catch((error: unknown) => error),
    await bus.publishAndWait(makeEnvelope('a'), options as PublishOptions).catch((error: unknown) => error),
    refusal(() => bus.offer(makeEnvelope('a'), options as PublishOptions)),
    inside,
  ];
  expect(bus.stats()['a']).toMatchObject({ offered: 0 });
  expectBalanced(bus);
  return caught;
};

describe('C5 R1.6 options of a publish', () => {
  it.each(PAIRS)('C5 publish, publishAndWait, offer and attempt.publish refuse %s: %p', async (option, value) => {
    for (const error of await reasons({ [option]: value })) {
      expect(error).toMatchObject({ code: 'SEDA_INVALID_OPTION', option: `publish.${option}`, value });
    }
  });

  it.each(['timeout', 'onsettled', 'toString'])('C5 they refuse the unknown option %s', async (name) => {
    for (const error of await reasons({ [name]: 1 })) {
      expect(error).toMatchObject({ option: `publish.${name}`, rule: expect.stringContaining('timeoutMs, signal') });
    }
  });

  it.each([0, 'text', null, true])('C5 they refuse options that are %p', async (options) => {
    for (const error of await reasons(options)) expect(error).toMatchObject({ option: 'publish', value: options });
  });
});

describe('C5 R1.6 arguments of an attempt', () => {
  const inAttempt = async (act: (attempt: Attempt) => unknown): Promise<unknown> => {
    const bus = new SedaBus();
    let thrown: unknown;
    bus.channel('a', { maxAttempts: 9 }).subscribe('a', (_, attempt) => {
      thrown = refusal(() => act(attempt));
    });
    // The refused argument leaves no verdict behind: the handler ends well, so it acks.
    expect(await bus.publishAndWait(makeEnvelope('a'))).toMatchObject({ status: 'completed' });
    return thrown;
  };

  it.each([...TIMES, undefined])('C5 retryIn refuses %p', async (value) => {
    const error = await inAttempt((attempt) => attempt.retryIn(value as number));
    expect(error).toMatchObject({ code: 'SEDA_INVALID_OPTION', option: 'attempt.retryIn(delayMs)', value });
  });

  it.each(['', 0, -1, 1.5, Number.NaN, null, undefined, {}])('C5 deadLetter refuses %p', async (value) => {
    const error = await inAttempt((attempt) => attempt.deadLetter(value as string));
    expect(error).toMatchObject({ code: 'SEDA_INVALID_OPTION', option: 'attempt.deadLetter(reason)', value });
  });
});

const none = (): undefined => undefined;

describe('C5 R1.6 other arguments', () => {
  it.each(TIMES)('C5 shutdown refuses timeoutMs: %p and changes nothing', async (value) => {
    const bus = new SedaBus();
    const ended = bus.shutdown({ timeoutMs: value as number });
    await expect(ended).rejects.toMatchObject({ option: 'shutdown.timeoutMs', value });
    expect(bus.state).toBe('open');
  });

  it.each([0, -1, 1.5, 1_001, Number.NaN, Number.POSITIVE_INFINITY, '1', null])(
    'C5 list refuses limit: %p',
    async (limit) => {
      const listed = new SedaBus({ deadLetterChannel: 'dead' }).deadLetters('dead').list({ limit: limit as number });
      await expect(listed).rejects.toMatchObject({ option: 'deadLetters.limit', value: limit });
    },
  );

  it.each(['', 'x', '1.5', 'NaN'])('C5 list refuses the cursor %p', async (cursor) => {
    const listed = new SedaBus({ deadLetterChannel: 'dead' }).deadLetters('dead').list({ cursor });
    await expect(listed).rejects.toMatchObject({ option: 'deadLetters.cursor', value: cursor });
  });

  it.each(['', 'drop', 'toString', 7, null, undefined])(
    'C5 on refuses the event %p, and names those there are',
    (name) => {
      const listen = (): unknown => new SedaBus().on(name as never, () => undefined);
      expect(listen).toThrow(
        expect.objectContaining({ option: 'event', value: name, rule: expect.stringMatching('dropped') }),
      );
    },
  );

  it.each(['an-id', 0, null, undefined, {}])('C5 redrive and purge refuse %p', async (which) => {
    const letters = new SedaBus({ deadLetterChannel: 'dead' }).deadLetters('dead');
    const refused = { option: 'deadLetters.which', value: which };
    await expect(letters.redrive(which as never)).rejects.toMatchObject(refused);
    await expect(letters.purge(which as never)).rejects.toMatchObject(refused);
  });

  it.each([
    ['null', null],
    ['a text', 'envelope'],
    ['an object without a route', {}],
    ['one without ratchet', { getRoute: none }],
    ['one without headers', { getRoute: none, ratchet: none }],
    ['one without a slip', { getRoute: none, ratchet: none, headers: {} }],
    ['one whose slip is none', { getRoute: none, ratchet: none, headers: {}, dynamicRoutingSlip: {} }],
  ])('C5 %s is no envelope', async (_, value) => {
    const bus = new SedaBus();
    await expect(bus.publish(value as never)).rejects.toMatchObject({ code: 'SEDA_INVALID_ENVELOPE' });
    expect(refusal(() => bus.offer(value as never))).toMatchObject({ code: 'SEDA_INVALID_ENVELOPE' });
    expect(bus.totals()).toMatchObject({ unroutable: 0 });
  });
});
