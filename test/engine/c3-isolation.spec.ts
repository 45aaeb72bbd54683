import { type Consumer, type Outcome, SedaBus, makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { manualBus, numbers } from '../support/manual-bus.js';
import { turn } from '../support/manual-clock.js';
import { thenable, withoutAnswer } from '../support/thenable.js';

const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** Every way in which a handler can fail. */
const failures: Record<string, () => unknown> = {
  'a synchronous throw': () => {
    throw new Error('broken');
  },
  'a rejection': async () => {
    throw new Error('broken');
  },
  'a rejection after a while': async () => {
    await turn();
    throw new Error('broken');
  },
  'a thrown text': () => {
    throw 'broken';
  },
  'a thrown nothing': () => {
    throw undefined;
  },
  'a thrown object without a prototype': () => {
    throw Object.create(null);
  },
  'a thrown proxy that answers no question': () => {
    throw revoked.proxy;
  },
  'a rejection that is no error': () => Promise.reject(42),
  'a thenable that throws': () =>
    thenable(() => {
      throw new Error('broken');
    }),
  'a thenable that rejects at once': () => thenable((_, reject) => reject(new Error('broken'))),
  'a thenable that fails first and then succeeds': () =>
    thenable((resolve, reject) => {
      reject(new Error('broken'));
      resolve(1);
    }),
  'a thenable that answers with a rejection': () => thenable((resolve) => resolve(Promise.reject(new Error('broken')))),
  'a getter `then` that throws': () => withoutAnswer(new Error('broken')),
};

let unhandled: unknown[];
const listen = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled = [];
  process.on('unhandledRejection', listen);
});
afterEach(() => process.removeListener('unhandledRejection', listen));

describe('C3 isolation', () => {
  it.each(Object.entries(failures))('C3 %s costs its own envelope and nothing else', async (_, fail) => {
    const bus = new SedaBus({ concurrency: 3, deadLetterChannel: 'dead' });
    bus.channel('a', { concurrency: 2 });
    const delivered: unknown[] = [];
    bus.subscribe('a', (envelope) => {
      const n = envelope.content() as number;
      return n % 3 === 0 ? fail() : delivered.push(n);
    });
    const outcomes = await Promise.all(numbers(30).map((n) => bus.publishAndWait(makeEnvelope('a', n))));
    await turn();
    expect(delivered).toEqual(numbers(30).filter((n) => n % 3 !== 0));
    expect(outcomes.filter(({ status }) => status === 'dead-lettered')).toHaveLength(10);
    expect(bus.stats()['a']).toMatchObject({ delivered: 20, deadLettered: 10, nacked: 10, inFlight: 0 });
    expectBalanced(bus);
    expect(unhandled).toEqual([]);
    expect(await bus.shutdown()).toBe(true);
  });

  it('C3 a thenable that succeeds twice and then throws is one ack', async () => {
    const { bus } = manualBus({ concurrency: 1 });
    bus.channel('a', { maxAttempts: 3 }).subscribe('a', () =>
      thenable((resolve) => {
        resolve(1);
        resolve(false);
        throw new Error('too late');
      }),
    );
    expect(await bus.publishAndWait(makeEnvelope('a'))).toMatchObject({ status: 'completed' });
    expect(bus.stats()['a']).toMatchObject({ delivered: 1, nacked: 0, inFlight: 0 });
    expectBalanced(bus);
  });

  it.each([
    ['a text', 'broken', "A handler threw 'broken' (string), which is not an Error"],
    ['null', null, 'A handler threw null, which is not an Error'],
    ['a proxy', revoked.proxy, 'A handler threw a value that cannot be shown (object), which is not an Error'],
  ])('C3 R4.3 %s that is thrown becomes an error whose cause it is', async (_, thrown, message) => {
    const { bus } = manualBus();
    bus.subscribe('a', () => {
      throw thrown;
    });
    const outcome = (await bus.publishAndWait(makeEnvelope('a'))) as Extract<Outcome, { status: 'dead-lettered' }>;
    expect(outcome.error).toMatchObject({ code: 'SEDA_NON_ERROR_THROWN', message });
    expect(Object.is(outcome.error?.cause, thrown)).toBe(true);
  });

  it.each<[string, Consumer]>([
    ['sync', (envelope) => void Object.freeze(envelope)],
    ['async', async (envelope) => void Object.freeze(envelope)],
  ])('C3 an envelope that a %s handler froze cannot travel on, and stops nobody else', async (_, freeze) => {
    const { bus } = manualBus({ concurrency: 1 });
    bus.subscribe('a', freeze).subscribe('b', () => true);
    const outcome = await bus.publishAndWait(makeEnvelope('a', 1, { slip: ['b'] }));
    expect(outcome).toMatchObject({ status: 'dead-lettered', stage: 'a', reason: 'unroutable' });
    expect(await bus.publishAndWait(makeEnvelope('b'))).toMatchObject({ status: 'completed' });
    await turn();
    expect(unhandled).toEqual([]);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 0, deadLettered: 1 });
    expectBalanced(bus);
  });

  it.each([true, false, 'later'])(
    'C3 an envelope whose slip a handler broke ends its way there (%p)',
    async (verdict) => {
      const { bus } = manualBus({ concurrency: 1, deadLetterChannel: 'dead' });
      bus.channel('a', { maxAttempts: 3 }).subscribe('a', (envelope) => {
        Object.defineProperty(envelope, 'dynamicRoutingSlip', { value: {} });
        envelope.remainingRoutes = () => envelope.dynamicRoutingSlip.numberRemainingRoutes();
        return verdict === 'later' ? Promise.resolve() : verdict;
      });
      bus.subscribe('b', () => true);
      const outcome = await bus.publishAndWait(makeEnvelope('a', 1, { slip: ['b'] }));
      expect(outcome).toMatchObject({ status: 'dead-lettered', reason: 'unroutable', error: { name: 'TypeError' } });
      expect(await bus.publishAndWait(makeEnvelope('b'))).toMatchObject({ status: 'completed' });
      expect(bus.stats()).toMatchObject({ a: { inFlight: 0, deadLettered: 1 }, dead: { depth: 1 } });
      await turn();
      expect(unhandled).toEqual([]);
      expectBalanced(bus);
    },
  );

  it('C3 an envelope frozen while its hop waits for room stops neither stage', async () => {
    const { bus } = manualBus({ concurrency: 1, deadLetterChannel: 'dead' });
    bus
      .channel('b', { capacity: 1 })
      .subscribe('a', () => true)
      .subscribe('b', () => true);
    bus.hold('b');
    bus.offer(makeEnvelope('b'));
    const envelope = makeEnvelope('a', 1, { slip: ['b'] });
    const end = bus.publishAndWait(envelope);
    await turn();
    Object.freeze(envelope);
    bus.release('b');
    expect(await end).toMatchObject({ status: 'dead-lettered', stage: 'a', reason: 'unroutable' });
    expect(bus.stats()).toMatchObject({ a: { inFlight: 0 }, b: { delivered: 1, offered: 1 } });
    await turn();
    expect(unhandled).toEqual([]);
    expectBalanced(bus);
  });
});
