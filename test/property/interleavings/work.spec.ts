import fc from 'fast-check';
import { Delivery, type StageOptions } from '#engine';
import { settled } from '../books/step-clock.js';
import { RUNS } from './runs.js';
import { Play, letters, numbered } from './play.js';

const limits = fc.record({
  capacity: fc.integer({ min: 1, max: 3 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
});
const busWide = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
const crowds = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });

/** The names of what each publisher publishes. */
const namesOf = (crowd: readonly number[]): string[][] => crowd.map((count, who) => numbered('abc'[who] ?? 'd', count));

const limited = (concurrency: number | undefined): { concurrency?: number } =>
  concurrency === undefined ? {} : { concurrency };

/** As many attempts as there are permits run again side by side: none has been lost. */
async function expectAllPermits(play: Play, stage: string, concurrency: number, limit = Infinity): Promise<void> {
  let running = 0;
  const count = (): Promise<void> => (running++, new Promise(() => undefined));
  play.bus.channel(stage, { concurrency, capacity: 9 }).subscribe(stage, count);
  for (const envelope of letters(numbered('last', 9), stage)) play.bus.offer(envelope);
  await settled();
  expect(running).toBe(Math.min(concurrency, limit));
}

const sorted = (list: readonly string[]): string[] => list.toSorted();

describe('C10 in every order of steps', () => {
  it('all that was accepted is handled once, and no limit is passed', async () => {
    const property = async (s: fc.Scheduler, crowd: number[], stage: StageOptions, limit?: number): Promise<void> => {
      const play = new Play(s, limited(limit));
      play.bus.channel('s', stage).subscribe('s', play.handler('s', stage.concurrency ?? 1));
      const publishing = play.publishEach(namesOf(crowd).map((names) => letters(names, 's')));
      await play.toTheEnd();
      expect(sorted(await publishing)).toEqual(sorted(namesOf(crowd).flat()));
      expect(sorted(play.handled)).toEqual(
        sorted(
          namesOf(crowd)
            .flat()
            .map((id) => `s ${id}`),
        ),
      );
      expect(play.faults).toEqual([]);
      await expectAllPermits(play, 'other', 3, limit);
    };
    await fc.assert(fc.asyncProperty(fc.scheduler(), crowds, limits, busWide, property), { numRuns: RUNS });
  });

  it('itineraries end, though every stage is small and the bus-wide limit smaller', async () => {
    const property = async (
      s: fc.Scheduler,
      crowd: number[],
      stages: readonly StageOptions[],
      limit?: number,
    ): Promise<void> => {
      const play = new Play(s, limited(limit));
      const way = ['x', 'y', 'z'] as const;
      way.forEach((name, place) => {
        const options = stages[place] ?? {};
        play.bus.channel(name, options).subscribe(name, play.handler(name, options.concurrency ?? 1));
      });
      const publishing = play.publishEach(namesOf(crowd).map((names) => letters(names, ...way)));
      await play.toTheEnd();
      const ids = await publishing;
      const visits = ids.flatMap((id) => way.map((name) => `${name} ${id}`));
      expect(sorted(play.handled)).toEqual(sorted(visits));
      expect(play.faults).toEqual([]);
      await expectAllPermits(play, 'other', 3, limit);
    };
    const stages = fc.tuple(limits, limits, limits);
    await fc.assert(fc.asyncProperty(fc.scheduler(), crowds, stages, busWide, property), { numRuns: RUNS });
  });

  it('handlers that publish, one or more at a time, wait without their permits and take them again', async () => {
    const property = async (
      s: fc.Scheduler,
      crowd: number[],
      [from, to]: readonly StageOptions[],
      children: number,
      limit?: number,
    ): Promise<void> => {
      const play = new Play(s, limited(limit));
      const parents = play.handler('from', from?.concurrency ?? 1, async ({ id }, attempt) => {
        for (const child of letters(numbered(`${id}.`, children), 'to'))
          if (!(await play.publishFrom('from', id, attempt, child))) throw new Error('refused');
      });
      play.bus.channel('from', from).subscribe('from', parents);
      play.bus.channel('to', to).subscribe('to', play.handler('to', to?.concurrency ?? 1));
      const publishing = play.publishEach(namesOf(crowd).map((names) => letters(names, 'from')));
      await play.toTheEnd();
      const ids = await publishing;
      const visits = ids.flatMap((id) => [`from ${id}`, ...numbered(`to ${id}.`, children)]);
      expect(sorted(play.handled)).toEqual(sorted(visits));
      expect(play.faults).toEqual([]);
      await expectAllPermits(play, 'other', 3, limit);
    };
    const counts = fc.integer({ min: 1, max: 3 });
    const stages = fc.tuple(limits, limits);
    await fc.assert(fc.asyncProperty(fc.scheduler(), crowds, stages, counts, busWide, property), { numRuns: RUNS });
  });

  it('consumers side by side, each with several publishes under way, do not block each other', async () => {
    const property = async (s: fc.Scheduler, both: boolean, capacity: number, limit?: number): Promise<void> => {
      const play = new Play(s, limited(limit));
      const ids = numbered('p', 3);
      for (const who of ['one', 'two'])
        play.bus.channel('from', { delivery: Delivery.PubSub }).subscribe('from', async ({ id }, attempt) => {
          await play.step(`${who} handles ${id}`);
          const children = letters(numbered(`${id}.${who}.`, 2), 'to').map((child) => () => attempt.publish(child));
          if (both) await Promise.all(children.map((publish) => publish()));
          else for (const publish of children) await publish();
        });
      play.bus.channel('to', { capacity }).subscribe('to', play.handler('to', 1));
      const publishing = play.publishEach([letters(ids, 'from')]);
      await play.toTheEnd();
      await publishing;
      const visits = ids.flatMap((id) => ['one', 'two'].flatMap((who) => numbered(`to ${id}.${who}.`, 2)));
      expect(sorted(play.handled)).toEqual(sorted(visits));
      expect(play.bus.stats()['from']).toMatchObject({ delivered: 3, inFlight: 0 });
      await expectAllPermits(play, 'other', 3, limit);
    };
    const capacities = fc.integer({ min: 1, max: 3 });
    await fc.assert(fc.asyncProperty(fc.scheduler(), fc.boolean(), capacities, busWide, property), { numRuns: RUNS });
  });
});
