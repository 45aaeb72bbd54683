import { deepStrictEqual } from 'node:assert';
import type { Envelope } from '#ra-common';
import type { SedaBus } from '../bus.js';
import { envelopePayload, makeEnvelope } from '../envelope.js';
import type { StageOptions } from '../options.js';

/** What a backend offers beyond queueing; a case that needs something else is not asked of it. */
export interface StageFeatures {
  /** What waits outlives the bus. */
  readonly survivesRestart: boolean;
  /** `bus.offer` works. */
  readonly answersAtOnce: boolean;
  /** `delayMs` and backoff. */
  readonly delay: boolean;
  /** `DropOldest`. */
  readonly discardOldest: boolean;
  /** First in, first out at concurrency 1. */
  readonly fifo: boolean;
  /** `ExactlyOnce`. */
  readonly deduplicates: boolean;
}

/** A bus that runs, and what makes one of its stages use the backend in question. */
export interface ConformingBus {
  readonly bus: SedaBus;
  readonly stage: StageOptions;
  /** Shuts it down and opens the next one on the same backend, `declare`d anew. Only with `survivesRestart`. */
  reopen(declare: (bus: SedaBus) => void): Promise<ConformingBus>;
  close(): Promise<void>;
}

/** Whose stages are examined. */
export interface ConformanceSubject {
  readonly features: StageFeatures;
  /** Opens a bus, on a backend where nothing is. */
  open(): Promise<ConformingBus>;
}

/** One clause, for any test runner: `run` rejects when the subject does not keep it. */
export interface ConformanceCase {
  readonly name: string;
  readonly needs: readonly (keyof StageFeatures)[];
  run(subject: ConformanceSubject): Promise<void>;
}

type Work = (kit: ConformingBus) => Promise<void>;

const NAME = 'conforming';
const payloadOf = (envelope: Envelope): unknown => envelopePayload(envelope);

/** What every stage does, wherever its envelopes wait. In the order of the rules; they do not depend on each other. */
export const stageConformance: readonly ConformanceCase[] = [
  clause('delivers what it accepts, once', [], async ({ bus, stage }) => {
    const seen: unknown[] = [];
    bus.channel(NAME, stage).subscribe(NAME, (envelope) => void seen.push(payloadOf(envelope)));
    deepStrictEqual(await publish(bus, 1, 2, 3), [true, true, true]);
    await bus.idle();
    deepStrictEqual(sorted(seen), [1, 2, 3]);
    expectBooks(bus, { offered: 3, enqueued: 3, delivered: 3, depth: 0 });
  }),
  clause('delivers in the order of admission', ['fifo'], async ({ bus, stage }) => {
    const seen: unknown[] = [];
    bus.channel(NAME, stage).subscribe(NAME, (envelope) => void seen.push(payloadOf(envelope)));
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    await publish(bus, ...numbers);
    await bus.idle();
    deepStrictEqual(seen, numbers);
  }),
  clause('puts what failed back in its place, ahead of what came later', ['fifo'], async ({ bus, stage }) => {
    const seen: string[] = [];
    bus.channel(NAME, { ...stage, maxAttempts: 3 }).subscribe(NAME, (envelope, { number }) => {
      seen.push(`${String(payloadOf(envelope))}${number}`);
      return payloadOf(envelope) !== 'a' || number === 3;
    });
    await publish(bus, 'a', 'b');
    await bus.idle();
    deepStrictEqual(seen, ['a1', 'a2', 'a3', 'b1']);
    expectBooks(bus, { nacked: 2, delivered: 2 });
  }),
  clause('runs at most `concurrency` attempts at once', [], async ({ bus, stage }) => {
    let [running, most] = [0, 0];
    bus.channel(NAME, { ...stage, concurrency: 3 }).subscribe(NAME, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    });
    await publish(bus, ...Array.from({ length: 20 }, (_, n) => n));
    await bus.idle();
    deepStrictEqual([most, running], [3, 0]);
  }),
  clause('holds what waits, and goes on when it is released', [], async ({ bus, stage }) => {
    let seen = 0;
    bus.channel(NAME, stage).subscribe(NAME, () => void seen++);
    bus.hold(NAME);
    await publish(bus, 1, 2);
    expectBooks(bus, { depth: 2, inFlight: 0 });
    deepStrictEqual(seen, 0);
    bus.release(NAME);
    await bus.idle();
    deepStrictEqual(seen, 2);
  }),
  clause('refuses what is beyond its capacity', [], async ({ bus, stage }) => {
    bus.channel(NAME, { ...stage, capacity: 2, backpressure: 'reject' }).hold(NAME);
    const answers = await publish(bus, 1, 2, 3);
    deepStrictEqual(answers, [true, true, false]);
    expectBooks(bus, { offered: 3, depth: 2, dropped: 1 });
  }),
  clause('lets publishers wait for room, first come first served', [], async ({ bus, stage }) => {
    const seen: unknown[] = [];
    bus.channel(NAME, { ...stage, capacity: 1 }).subscribe(NAME, (envelope) => void seen.push(payloadOf(envelope)));
    bus.hold(NAME);
    const answers = publish(bus, 1, 2, 3);
    bus.release(NAME);
    deepStrictEqual(await answers, [true, true, true]);
    await bus.idle();
    deepStrictEqual(seen, [1, 2, 3]);
  }),
  clause('evicts the oldest for what is new', ['discardOldest'], async ({ bus, stage }) => {
    const seen: unknown[] = [];
    bus.channel(NAME, { ...stage, capacity: 2, backpressure: 'drop-oldest' }).hold(NAME);
    bus.subscribe(NAME, (envelope) => void seen.push(payloadOf(envelope)));
    deepStrictEqual(await publish(bus, 1, 2, 3, 4), [true, true, true, true]);
    expectBooks(bus, { depth: 2, dropped: 2 });
    bus.release(NAME);
    await bus.idle();
    deepStrictEqual(seen, [3, 4]);
  }),
  clause('starts nothing before its delay is over', ['delay'], async ({ bus, stage }) => {
    const seen: unknown[] = [];
    bus.channel(NAME, stage).subscribe(NAME, (envelope) => void seen.push(payloadOf(envelope)));
    await bus.publish(makeEnvelope(NAME, 'late'), { delayMs: 30 });
    await publish(bus, 'now');
    expectBooks(bus, { retrying: 1 });
    await bus.idle();
    deepStrictEqual(seen, ['now', 'late']);
  }),
  clause('dead-letters after the last attempt, redrives and purges', [], async ({ bus, stage }) => {
    let works = false;
    const seen: unknown[] = [];
    bus
      .channel('letters', { ...stage, capacity: 100 })
      .channel(NAME, { ...stage, maxAttempts: 2 })
      .setDeadLetterChannel(NAME, 'letters')
      .subscribe(NAME, (envelope) => works && seen.push(payloadOf(envelope)) > 0);
    await publish(bus, 1, 2, 3);
    await bus.idle();
    const letters = bus.deadLetters(NAME);
    const { items } = await letters.list();
    const facts = items.map(({ envelope, reason, attempts }) => [payloadOf(envelope), reason, attempts]);
    deepStrictEqual(
      sorted(facts),
      [1, 2, 3].map((n) => [n, 'max-attempts', 2]),
    );
    works = true;
    deepStrictEqual(await letters.redrive([items[0]?.id ?? '']), 1);
    deepStrictEqual(await letters.purge('all'), 2);
    await bus.idle();
    deepStrictEqual(seen, [1]);
    expectBooks(bus, { deadLettered: 3, delivered: 1 });
  }),
  clause('travels on to the next stage, with what the handler has changed', [], async ({ bus, stage }) => {
    const seen: unknown[] = [];
    bus
      .channel(NAME, stage)
      .channel('next', stage)
      .subscribe(NAME, (envelope) => void (envelope.headers['seen'] = 'yes'))
      .subscribe('next', (envelope) => void seen.push([payloadOf(envelope), envelope.headers['seen']]));
    const outcome = await bus.publishAndWait(makeEnvelope(NAME, 1, { slip: ['next'] }));
    deepStrictEqual([outcome, seen], [{ status: 'completed', stage: 'next' }, [[1, 'yes']]]);
  }),
  clause('hands each consumer of a pub/sub stage a copy, and retries those that failed', [], async ({ bus, stage }) => {
    const seen: string[] = [];
    bus
      .channel(NAME, { ...stage, delivery: 'pubsub', maxAttempts: 2 })
      .subscribe(NAME, (_, { number }) => void seen.push(`one ${number}`))
      .subscribe(NAME, (_, { number }) => seen.push(`two ${number}`) > 0 && number === 2);
    await publish(bus, 1);
    await bus.idle();
    deepStrictEqual(seen, ['one 1', 'two 1', 'two 2']);
  }),
  clause('answers an offer at once', ['answersAtOnce'], async ({ bus, stage }) => {
    bus.channel(NAME, { ...stage, capacity: 1 }).hold(NAME);
    deepStrictEqual([bus.offer(makeEnvelope(NAME, 1)), bus.offer(makeEnvelope(NAME, 2))], [true, false]);
  }),
  clause('keeps what waits over a restart, in order', ['survivesRestart'], async (kit) => {
    kit.bus.channel(NAME, kit.stage).hold(NAME);
    await publish(kit.bus, 1, 2, 3);
    const seen: unknown[] = [];
    const next = await kit.reopen((bus) => {
      bus.channel(NAME, kit.stage).subscribe(NAME, (envelope) => void seen.push(payloadOf(envelope)));
    });
    await next.bus.idle();
    deepStrictEqual(seen, [1, 2, 3]);
    expectBooks(next.bus, { offered: 3, recovered: 3, delivered: 3 });
    await next.close();
  }),
  clause('does not deliver over a restart what was delivered', ['survivesRestart'], async (kit) => {
    let seen = 0;
    const declare = (bus: SedaBus): void => void bus.channel(NAME, kit.stage).subscribe(NAME, () => void seen++);
    declare(kit.bus);
    await kit.bus.publishAndWait(makeEnvelope(NAME, 1));
    const next = await kit.reopen(declare);
    await next.bus.idle();
    deepStrictEqual(seen, 1);
    await next.close();
  }),
  clause('charges an attempt that a shutdown cut off to nobody', ['survivesRestart'], async (kit) => {
    const attempts: number[] = [];
    kit.bus.channel(NAME, kit.stage).subscribe(NAME, () => new Promise(() => undefined));
    const cutOff = kit.bus.publishAndWait(makeEnvelope(NAME, 1));
    while (kit.bus.stats()[NAME]?.inFlight !== 1) await new Promise((resolve) => setImmediate(resolve));
    const next = await kit.reopen((bus) => {
      bus.channel(NAME, kit.stage).subscribe(NAME, (_, { number }) => void attempts.push(number));
    });
    deepStrictEqual(await cutOff, { status: 'kept', stage: NAME });
    await next.bus.idle();
    deepStrictEqual(attempts, [1]);
    await next.close();
  }),
  clause('recognises what it has admitted before', ['deduplicates'], async ({ bus, stage }) => {
    let seen = 0;
    bus.channel(NAME, { ...stage, serviceLevel: 'ExactlyOnce' }).subscribe(NAME, () => void seen++);
    const envelope = makeEnvelope(NAME, 1);
    const copies = [envelope.clone(), envelope.clone()];
    deepStrictEqual(await bus.publish(envelope), true);
    for (const copy of copies) deepStrictEqual(await bus.publish(copy), true);
    await bus.idle();
    deepStrictEqual(seen, 1);
    expectBooks(bus, { offered: 3, delivered: 1, dropped: 2 });
  }),
];

function clause(name: string, needs: readonly (keyof StageFeatures)[], work: Work): ConformanceCase {
  return {
    name,
    needs,
    run: async (subject) => {
      const kit = await subject.open();
      try {
        await work(kit);
      } finally {
        await kit.close();
      }
    },
  };
}

function publish(bus: SedaBus, ...payloads: readonly unknown[]): Promise<boolean[]> {
  return Promise.all(payloads.map((payload) => bus.publish(makeEnvelope(NAME, payload))));
}

/** What the stage has counted, and that it balances. */
function expectBooks(bus: SedaBus, expected: Readonly<Record<string, number>>): void {
  const stats = bus.stats()[NAME] as unknown as Readonly<Record<string, number>>;
  const counted = Object.fromEntries(Object.keys(expected).map((name) => [name, stats[name]]));
  deepStrictEqual(counted, expected);
  const parts = ['waiting', 'depth', 'retrying', 'inFlight', 'delivered', 'deadLettered', 'dropped'];
  deepStrictEqual(
    parts.reduce((sum, name) => sum + (stats[name] ?? 0), 0),
    stats['offered'],
  );
}

function sorted<T>(values: readonly T[]): T[] {
  return values.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
