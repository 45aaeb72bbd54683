import fc from 'fast-check';
import { type Attempt, Backpressure, type Envelope } from '#engine';
import { RUNS } from './runs.js';
import { Play, letters, numbered } from './play.js';

const small = fc.integer({ min: 1, max: 3 });
const policies = fc.constantFrom(
  Backpressure.Block,
  Backpressure.Reject,
  Backpressure.DropNewest,
  Backpressure.DropOldest,
);
const sorted = (list: readonly string[]): string[] => list.toSorted();

/** How each envelope ended, as its publisher was told: exactly once, or the test fails. */
class Ends {
  readonly of = new Map<string, string>();

  publish(play: Play, envelope: Envelope, signal?: AbortSignal): Promise<boolean> {
    const { id } = envelope;
    const onSettled = ({ status }: { status: string }): void => {
      if (this.of.has(id)) play.faults.push(`${id} has ended twice`);
      this.of.set(id, status);
    };
    return play.bus.publish(envelope, { onSettled, ...(signal && { signal }) });
  }

  with(status: string): string[] {
    return sorted([...this.of].filter(([, each]) => each === status).map(([id]) => id));
  }
}

describe('C10 in every order of steps', () => {
  it('an attempt has one end, its result or its time limit, and gives its permit back once', async () => {
    const property = async (
      s: fc.Scheduler,
      count: number,
      concurrency: number,
      maxAttempts: number,
    ): Promise<void> => {
      const play = new Play(s, { concurrency });
      const ends = new Ends();
      const attempts: string[] = [];
      play.bus.channel('s', { concurrency, maxAttempts, timeoutMs: 100 }).subscribe('s', async ({ id }, attempt) => {
        attempts.push(`${id} ${attempt.number}`);
        await play.step(`${id} is handled`);
      });
      const ids = numbered('e', count);
      const publishing = play.publishEach([letters(ids, 's')], (envelope) => ends.publish(play, envelope));
      const ticking = tick(play, 3 * count);
      await play.toTheEndOfTime();
      await Promise.all([publishing, ticking]);
      expect(play.faults).toEqual([]);
      expect(sorted([...ends.with('completed'), ...ends.with('dead-lettered')])).toEqual(sorted(ids));
      expect(new Set(attempts).size).toBe(attempts.length);
      const { delivered, deadLettered, nacked, inFlight } = play.bus.stats()['s'] ?? {};
      expect({ delivered, deadLettered, inFlight }).toEqual({
        delivered: ends.with('completed').length,
        deadLettered: ends.with('dead-lettered').length,
        inFlight: 0,
      });
      expect(attempts.length).toBe((delivered ?? 0) + (nacked ?? 0));
    };
    await fc.assert(fc.asyncProperty(fc.scheduler(), small, small, small, property), { numRuns: RUNS });
  });

  it('a publisher who gives up was admitted or not, and never both', async () => {
    const property = async (s: fc.Scheduler, count: number, capacity: number): Promise<void> => {
      const play = new Play(s);
      const ends = new Ends();
      play.bus.channel('s', { capacity }).subscribe('s', play.handler('s', 1));
      const lists = numbered('e', count + 2).map((id) => letters([id], 's'));
      const givingUp: Promise<void>[] = [];
      const publishing = play.publishEach(lists, (envelope) => {
        const controller = new AbortController();
        givingUp.push(play.step(`${envelope.id} gives up`).then(() => controller.abort()));
        return ends.publish(play, envelope, controller.signal);
      });
      await play.toTheEnd();
      const accepted = await publishing;
      await Promise.all(givingUp);
      expect(play.faults).toEqual([]);
      expect(ends.with('completed')).toEqual(sorted(accepted));
      expect(sorted(play.handled)).toEqual(sorted(accepted.map((id) => `s ${id}`)));
      expect(ends.of.size).toBe(count + 2);
    };
    await fc.assert(fc.asyncProperty(fc.scheduler(), small, small, property), { numRuns: RUNS });
  });

  it('a shutdown among publishers finishes or abandons each envelope that was accepted', async () => {
    const property = async (
      s: fc.Scheduler,
      crowd: number[],
      backpressure: Backpressure,
      abruptly: boolean,
      timeoutMs: number,
    ): Promise<void> => {
      const play = new Play(s, { concurrency: 2 });
      const ends = new Ends();
      play.bus.channel('x', { capacity: 2, backpressure }).channel('y', { capacity: 1, backpressure });
      for (const name of ['x', 'y']) play.bus.subscribe(name, play.handler(name, 1));
      const lists = crowd.map((count, who) => letters(numbered('abc'[who] ?? 'd', count), 'x', 'y'));
      const publishing = play.publishEach(lists, (envelope) => ends.publish(play, envelope));
      const ending = play
        .step('the bus ends')
        .then(() => (abruptly ? play.bus.shutdownNow() : play.bus.shutdown({ timeoutMs })));
      const ticking = tick(play, 2);
      await play.toTheEndOfTime();
      const [accepted, finished] = await Promise.all([publishing, ending, ticking]);
      expect(play.faults).toEqual([]);
      expect(ends.of.size).toBe(lists.flat().length);
      const stats = Object.values(play.bus.stats());
      expect(stats.every(({ depth, retrying, waiting, inFlight }) => depth + retrying + waiting + inFlight === 0)).toBe(
        true,
      );
      expect(finished).toBe(stats.every(({ droppedBy }) => droppedBy.abandoned === 0));
      if (finished && backpressure !== Backpressure.DropOldest)
        expect(ends.with('completed')).toEqual(sorted(accepted));
      expect(play.clock.pending).toBe(0);
    };
    const crowds = fc.array(small, { minLength: 1, maxLength: 3 });
    const timeouts = fc.constantFrom(0, 50, 1_000_000);
    await fc.assert(fc.asyncProperty(fc.scheduler(), crowds, policies, fc.boolean(), timeouts, property), {
      numRuns: RUNS,
    });
  });

  it('pauses and holds that come and go leave nobody waiting', async () => {
    const property = async (s: fc.Scheduler, crowd: number[], capacity: number, switches: boolean[]): Promise<void> => {
      const play = new Play(s);
      const { bus } = play;
      bus.channel('x', { capacity }).channel('y', { capacity: 1 });
      for (const name of ['x', 'y']) bus.subscribe(name, play.handler(name, 1));
      const lists = crowd.map((count, who) => letters(numbered('abc'[who] ?? 'd', count), 'x', 'y'));
      const publishing = play.publishEach(lists);
      const switching = turnOffAndOn(play, switches);
      await play.toTheEnd();
      await switching;
      await play.toTheEnd();
      const accepted = await publishing;
      expect(play.faults).toEqual([]);
      expect(sorted(play.handled)).toEqual(sorted(accepted.flatMap((id) => [`x ${id}`, `y ${id}`])));
      expect(bus.stats()['x']).toMatchObject({ waiting: 0, depth: 0, inFlight: 0 });
    };
    const crowds = fc.array(small, { minLength: 1, maxLength: 3 });
    const switches = fc.array(fc.boolean(), { maxLength: 4 });
    await fc.assert(fc.asyncProperty(fc.scheduler(), crowds, small, switches, property), { numRuns: RUNS });
  });

  it('retries keep their place: at concurrency 1 the order of first attempts is the order of admission', async () => {
    const property = async (s: fc.Scheduler, crowd: number[], failures: number[]): Promise<void> => {
      const play = new Play(s);
      const begun: string[] = [];
      const flaky = ({ id }: Envelope, attempt: Attempt): boolean => {
        begun.push(`${id} ${attempt.number}`);
        return attempt.number > (failures[begun.length % (failures.length || 1)] ?? 0);
      };
      play.bus.channel('s', { maxAttempts: 3, capacity: 2 }).subscribe('s', play.handler('s', 1, flaky));
      const admitted: string[] = [];
      const lists = crowd.map((count, who) => letters(numbered('abc'[who] ?? 'd', count), 's'));
      const publishing = play.publishEach(
        lists,
        (envelope) => (admitted.push(envelope.id), play.bus.publish(envelope)),
      );
      await play.toTheEnd();
      await publishing;
      const attemptsOf = (id: string): string[] => begun.filter((each) => each.startsWith(`${id} `));
      expect(begun).toEqual(admitted.flatMap(attemptsOf));
      expect(play.faults).toEqual([]);
    };
    const crowds = fc.array(small, { minLength: 1, maxLength: 3 });
    const failures = fc.array(fc.nat(3), { maxLength: 4 });
    await fc.assert(fc.asyncProperty(fc.scheduler(), crowds, failures, property), { numRuns: RUNS });
  });
});

/** Time passes in steps like any other: each fires the next timer. */
async function tick(play: Play, times: number): Promise<void> {
  for (let left = times; left > 0; left--) {
    await play.step('time passes');
    if (play.clock.pending > 0) play.clock.step(Number.MAX_SAFE_INTEGER);
  }
}

async function turnOffAndOn(play: Play, switches: readonly boolean[]): Promise<void> {
  const { bus } = play;
  for (const pauses of switches) {
    await play.step('off');
    if (pauses) bus.pause('x');
    else bus.hold('y');
    await play.step('on');
    if (pauses) bus.resume('x');
    else bus.release('y');
  }
}
