import { Injectable } from '@nestjs/common';
import { type Attempt, DEAD_LETTER_HEADERS, type Envelope, SedaBus, makeEnvelope } from '#engine';
import {
  DeadLetter,
  type DeadLetterOptions,
  type SedaBusModuleOptions,
  SedaBusModule,
  Stage,
} from '../../src/index.js';
import { boot } from './support/boot.js';
import { publish } from './support/publish.js';

const boom = new Error('boom');

@Injectable()
class Failing {
  @Stage('failing')
  async handle(): Promise<void> {
    throw boom;
  }
}

const parked = async (bus: SedaBus, channel: string): Promise<string[]> => {
  const { items } = await bus.deadLetters(channel).list();
  return items.map(({ source }) => source);
};

describe('N01, N39: an envelope whose handler fails, with nothing configured', () => {
  test('is kept in the shared channel, reported once, and the next one is handled', async () => {
    let handled = 0;
    @Injectable()
    class Moody {
      @Stage('moody')
      handle(envelope: Envelope): void {
        handled++;
        if (envelope.content() === 0) throw boom;
      }
    }
    const { bus, log } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Moody] });
    await publish(bus, 'moody', 2);
    expect(handled).toBe(2);
    expect(bus.stats()['moody']).toMatchObject({ delivered: 1, deadLettered: 1, nacked: 1, depth: 0, inFlight: 0 });
    expect(await parked(bus, 'dead-letters')).toEqual(['moody']);
    expect(log.ofBus('error')).toEqual([
      expect.stringMatching(/^Dead letter at stage 'moody': .* kept in 'dead-letters': boom$/),
    ]);
  });

  test('is dead-lettered with its headers', async () => {
    const { bus } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Failing] });
    await publish(bus, 'failing');
    const [letter] = (await bus.deadLetters('failing').list()).items;
    expect(letter?.envelope.headers).toMatchObject({
      [DEAD_LETTER_HEADERS.source]: 'failing',
      [DEAD_LETTER_HEADERS.reason]: 'max-attempts',
      [DEAD_LETTER_HEADERS.error]: 'Error: boom',
    });
  });
});

test('N02: publish resolves on acceptance, publishAndWait with the end and the error itself', async () => {
  const { bus } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Failing] });
  await expect(bus.publish(makeEnvelope('failing'))).resolves.toBe(true);
  const outcome = await bus.publishAndWait(makeEnvelope('failing'));
  expect(outcome).toMatchObject({ status: 'dead-lettered', stage: 'failing', reason: 'max-attempts' });
  expect((outcome as { error?: Error }).error).toBe(boom);
});

describe('R7.6: @DeadLetter', () => {
  const bootWith = async (options: DeadLetterOptions, handle: (attempt: Attempt) => unknown = () => undefined) => {
    const informed: string[] = [];
    @Injectable()
    class Parked {
      @DeadLetter('failing', options)
      handle(envelope: Envelope, attempt: Attempt): unknown {
        informed.push(envelope.headers[DEAD_LETTER_HEADERS.source] as string);
        return handle(attempt);
      }
    }
    const booted = await boot({ imports: [SedaBusModule.forRoot()], providers: [Failing, Parked] });
    await booted.bus.publish(makeEnvelope('failing'));
    await booted.bus.idle();
    return { ...booted, informed, left: await parked(booted.bus, 'failing.dead-letters') };
  };

  test('takes the dead letters of its source, and its ack removes them', async () => {
    const { bus, informed, left } = await bootWith({});
    expect({ informed, left }).toEqual({ informed: ['failing'], left: [] });
    expect(await parked(bus, 'dead-letters')).toEqual([]);
  });

  test('with keep informs of them and keeps them', async () => {
    const { informed, left, log } = await bootWith({ keep: true });
    expect({ informed, left }).toEqual({ informed: ['failing'], left: ['failing'] });
    expect(log.ofBus('error')).toHaveLength(1);
  });

  test.each<[string, (attempt: Attempt) => unknown]>([
    ['returns false', () => false],
    ['throws', () => Promise.reject(boom)],
    ['asks for another attempt', (attempt) => void attempt.retryIn(0)],
  ])('with keep that %s is tried again, and the letter stays', async (_, handle) => {
    const { informed, left } = await bootWith({ keep: true, maxAttempts: 2 }, handle);
    expect({ informed, left }).toEqual({ informed: ['failing', 'failing'], left: ['failing'] });
  });

  test('that fails leaves the letter where it is', async () => {
    const { informed, left } = await bootWith({}, () => false);
    expect({ informed, left }).toEqual({ informed: ['failing'], left: ['failing'] });
  });

  test('declares its channel: 4096, DropOldest, and what its options say', async () => {
    const { bus } = await bootWith({ concurrency: 3 });
    expect(bus.stats()['failing.dead-letters']).toMatchObject({
      capacity: 4_096,
      backpressure: 'drop-oldest',
      concurrency: 3,
    });
  });

  test('of a stage that does not exist is warned of, with the nearest', async () => {
    @Injectable()
    class Deaf {
      @DeadLetter('failin')
      handle(): void {}
    }
    const { log } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Failing, Deaf] });
    expect(log.ofBus('warn')).toEqual([expect.stringMatching(/@DeadLetter\('failin'\).*'failing'/)]);
  });

  test('of a dead-letter channel, which has no dead letters of its own, fails the boot', async () => {
    @Injectable()
    class Deaf {
      @DeadLetter('dead-letters')
      handle(): void {}
    }
    const booting = boot({ imports: [SedaBusModule.forRoot()], providers: [Deaf] });
    await expect(booting).rejects.toThrow(/@DeadLetter on Deaf\.handle: source/);
  });
});

describe('the shared dead-letter channel', () => {
  const bootWith = async (options: SedaBusModuleOptions) => {
    const booted = await boot({ imports: [SedaBusModule.forRoot(options)], providers: [Failing] });
    await publish(booted.bus, 'failing');
    return booted;
  };

  test('has 4096 places and drops the oldest', async () => {
    const { bus } = await bootWith({ defaults: { capacity: 9, backpressure: 'reject' } });
    expect(bus.stats()['dead-letters']).toMatchObject({ capacity: 4_096, backpressure: 'drop-oldest', depth: 1 });
  });

  test('is named and sized by deadLetters', async () => {
    const { bus } = await bootWith({ deadLetters: { channel: 'morgue', capacity: 5 } });
    expect(await parked(bus, 'morgue')).toEqual(['failing']);
    expect(bus.stats()['morgue']).toMatchObject({ capacity: 5, backpressure: 'drop-oldest' });
  });

  test('is not there with deadLetters: false, and the log says so', async () => {
    const { bus, log } = await bootWith({ deadLetters: false });
    expect(Object.keys(bus.stats())).toEqual(['failing']);
    expect(log.ofBus('error')).toEqual([expect.stringContaining('kept nowhere')]);
  });

  test('may have a handler of its own, a @Stage, and keeps its size', async () => {
    const handled: unknown[] = [];
    @Injectable()
    class Undertaker {
      @Stage('dead-letters', { concurrency: 2 })
      handle(envelope: Envelope): void {
        handled.push(envelope.content());
      }
    }
    const { bus } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Failing, Undertaker] });
    await bus.publish(makeEnvelope('failing', 'body'));
    await bus.idle();
    expect(handled).toEqual(['body']);
    expect(bus.stats()['dead-letters']).toMatchObject({ capacity: 4_096, concurrency: 2, depth: 0 });
  });
});

test('a callback or a listener that throws is logged', async () => {
  const { bus, log } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Failing] });
  bus.on('deadLetter', () => {
    throw new Error('listener');
  });
  await publish(bus, 'failing');
  expect(log.ofBus('error').at(-1)).toBe("listener of 'deadLetter' threw: listener");
});

test('dead letters that end with the application are warned of', async () => {
  const { app, bus, log } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Failing] });
  await publish(bus, 'failing');
  await app.close();
  expect(log.ofBus('warn')).toEqual([expect.stringMatching(/^1 dead letter.*SEDA_DEAD_LETTERS_LEFT/)]);
});
