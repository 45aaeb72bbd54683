import fc from 'fast-check';
import { type Envelope, type MemoryStore, type Outcome, SedaBus, StoreError, makeEnvelope, memoryStore } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { ManualClock, turn } from '../support/manual-clock.js';

type Verdict = 'ack' | 'nack' | 'throw' | 'later' | 'bury' | 'never';

type Step =
  | { readonly publish: 'a' | 'z' | 'm'; readonly slip: readonly string[]; readonly level: Level | undefined }
  | { readonly verdicts: readonly Verdict[] }
  | { readonly turns: number }
  | { readonly wait: number }
  | { readonly store: 'full' | 'room' | 'fail' | 'hold' | 'release' }
  | { readonly bus: 'hold' | 'release' | 'redrive' | 'purge' | 'pause' | 'resume' | 'tune' }
  | 'crash'
  | 'power'
  | 'restart';

type Level = 'AtMostOnce' | 'AtLeastOnce' | 'ExactlyOnce';

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      publish: fc.constantFrom('a', 'a', 'z', 'm'),
      slip: fc.constantFrom([], ['z'], ['m'], ['m', 'z'], ['a'], ['nowhere']),
      level: fc.constantFrom(undefined, undefined, 'AtLeastOnce', 'ExactlyOnce'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      verdicts: fc.array(fc.constantFrom('ack', 'ack', 'nack', 'throw', 'later', 'bury', 'never'), { maxLength: 6 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ turns: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ wait: fc.constantFrom(10, 250, 1_000) }) },
  { weight: 2, arbitrary: fc.record({ store: fc.constantFrom('full', 'room', 'room', 'fail', 'hold', 'release') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      bus: fc.constantFrom('hold', 'release', 'release', 'redrive', 'purge', 'pause', 'resume', 'tune'),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom('crash', 'power', 'restart') },
) as fc.Arbitrary<Step>;

/** What is known of an envelope by those who publish and handle. */
interface Known {
  accepted: boolean;
  /** The level that it was published with, on a stage that keeps it. */
  durable: boolean;
  /** Its publisher was told of its end. */
  ended: boolean;
  /** It was handled to its end, dead-lettered, or dropped for a reason. */
  accounted: boolean;
}

/** A bus on a store that crashes, and what everybody outside has seen of it. */
class World {
  private readonly store: MemoryStore = memoryStore();
  private readonly clock = new ManualClock();
  private readonly known = new Map<string, Known>();
  private readonly faults: string[] = [];
  private verdicts: Verdict[] = [];
  private life = 0;
  private bus!: SedaBus;

  async run(steps: readonly Step[]): Promise<void> {
    await this.open();
    for (const each of steps) {
      await this.take(each);
      expectBalanced(this.bus);
    }
    await this.finish();
    expect(this.faults).toEqual([]);
  }

  private async open(): Promise<void> {
    const life = ++this.life;
    const bus = new SedaBus({ store: this.store, clock: this.clock, random: () => 0.5 });
    this.bus = bus;
    bus
      .channel('a', { serviceLevel: 'AtLeastOnce', capacity: 6, windowSize: 2, concurrency: 2, hopTimeoutMs: 500 })
      .channel('z', { serviceLevel: 'ExactlyOnce', capacity: 4, windowSize: 2, hopTimeoutMs: 500 })
      .channel('m', { capacity: 3, maxAttempts: 2, hopTimeoutMs: 500 })
      .setDeadLetterChannel('a', 'letters')
      .setDeadLetterChannel('z', 'letters')
      .setDeadLetterChannel('m', 'letters');
    for (const stage of ['a', 'z', 'm']) {
      bus.subscribe(stage, (envelope, attempt) => {
        // What the dead still do nobody sees.
        if (life !== this.life) return new Promise(() => undefined);
        if (this.of(envelope).ended) this.faults.push(`${envelope.id} at ${stage} after its end`);
        switch (this.verdicts.shift() ?? 'ack') {
          case 'nack':
            return false;
          case 'throw':
            throw new Error('of the handler');
          case 'later':
            return attempt.retryIn(50);
          case 'bury':
            return attempt.deadLetter('buried');
          case 'never':
            return new Promise(() => undefined);
          default:
            if (envelope.dynamicRoutingSlip.numberRemainingRoutes() === 0) this.of(envelope).accounted = true;
            return undefined;
        }
      });
    }
    for (const event of ['dropped', 'deadLetter'] as const)
      bus.on(event, ({ envelope }) => {
        if (life === this.life) this.of(envelope as Envelope).accounted = true;
      });
    await bus.ready();
  }

  private async take(each: Step): Promise<void> {
    if (each === 'crash' || each === 'power') {
      if (each === 'crash') this.store.crash();
      else this.store.powerLoss();
      this.release();
      await this.open();
    } else if (each === 'restart') {
      this.release();
      this.store.full = false;
      this.bus.shutdownNow();
      await this.bus.shutdown();
      await this.open();
    } else if ('publish' in each) this.publish(each);
    else if ('verdicts' in each) this.verdicts.push(...each.verdicts);
    else if ('turns' in each) for (let left = each.turns; left > 0; left--) await turn();
    else if ('wait' in each) await this.clock.advance(each.wait);
    else if ('store' in each) this.disturb(each.store);
    else this.command(each.bus);
  }

  private publish({ publish, slip, level }: Extract<Step, { publish: unknown }>): void {
    const { life } = this;
    const envelope = makeEnvelope(publish, 1, { slip: slip as never });
    const durable = publish !== 'm';
    const known: Known = { accepted: false, durable, ended: false, accounted: false };
    this.known.set(envelope.id, known);
    const onSettled = ({ status }: Outcome): void => {
      // A dead letter may be redriven.
      if (life === this.life && (status === 'completed' || status === 'dropped')) known.ended = true;
    };
    const options = { timeoutMs: 400, onSettled, ...(durable && level !== undefined && { serviceLevel: level }) };
    const heard = (accepted: boolean): void => {
      if (life === this.life) known.accepted = accepted;
    };
    this.bus.publish(envelope, options).then(heard, (error: unknown) => this.faults.push(String(error)));
  }

  private disturb(what: 'full' | 'room' | 'fail' | 'hold' | 'release'): void {
    if (what === 'full') this.store.full = true;
    else if (what === 'room') this.store.full = false;
    else if (what === 'fail') this.store.failNext(new StoreError('The disk said no.'));
    else if (what === 'hold') this.store.holdWrites();
    else this.release();
  }

  private command(what: Extract<Step, { bus: unknown }>['bus']): void {
    const { bus } = this;
    if (what === 'hold') bus.hold('a');
    else if (what === 'release') bus.release('a');
    else if (what === 'pause') bus.pause();
    else if (what === 'resume') bus.resume();
    else if (what === 'tune') bus.hold('z');
    else if (what === 'redrive') void bus.deadLetters('a').redrive('all');
    else void bus.deadLetters('z').purge('all');
  }

  private release(): void {
    this.store.releaseWrites();
  }

  /** A process in which nothing goes wrong any more finishes what is left. */
  private async finish(): Promise<void> {
    for (let turns = 0; turns < 6; turns++) await turn();
    this.store.crash();
    this.release();
    this.store.full = false;
    this.verdicts = [];
    await this.open();
    for (let round = 0; round < 12; round++) {
      await this.clock.advance(500);
      for (let turns = 0; turns < 6; turns++) await turn();
    }
    expectBalanced(this.bus);
    const { a, z, m } = this.bus.stats();
    expect([a, z, m].map((each) => [each?.depth, each?.retrying, each?.inFlight])).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    for (const [id, { accepted, durable, accounted }] of this.known)
      if (accepted && durable && !accounted) this.faults.push(`${id} is lost`);
    expect(this.bus.totals().damaged).toBe(0);
    await this.bus.shutdown();
  }

  private of(envelope: Envelope): Known {
    return this.known.get(envelope.id) as Known;
  }
}

describe('A bus with durable stages', () => {
  it('keeps its books and loses nothing, whatever happens to its handlers, its disk and its process', async () => {
    const runs = Number(process.env['SEDA_DURABLE_RUNS'] ?? 300);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) => new World().run(steps)),
      { numRuns: runs, timeout: 5_000 },
    );
  });
});
