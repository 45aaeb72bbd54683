import { StoreError } from '../../../lib/engine/store/errors.js';
import { type Change, type Group, Journal } from '../../../lib/engine/store/journal.js';
import { type MemoryStore, memoryStore } from '../../../lib/engine/store/memory-volume.js';
import type { Sync } from '../../../lib/engine/store/volume.js';
import { opened, textsOf } from '../../conformance/volume.js';
import { ManualClock, turn } from '../../support/manual-clock.js';

/** One record that is put. A publish may be refused; what finishes something is written in the end. */
class Put implements Change {
  listed = false;
  stores = 0;
  failures = 0;

  constructor(
    private readonly name: string,
    private readonly refusable: boolean,
  ) {}

  write(group: Group): void {
    if (this.refusable) group.reserved = false;
    group.put(Buffer.from(this.name), Buffer.from('    x'));
  }

  stored(): void {
    this.stores++;
  }

  failed(): boolean {
    this.failures++;
    return !this.refusable;
  }
}

const publish = (name: string): Put => new Put(name, true);
const settle = (name: string): Put => new Put(name, false);

interface Kit {
  readonly store: MemoryStore;
  readonly clock: ManualClock;
  readonly journal: Journal;
  readonly told: string[];
}

async function kit(sync: Sync = 'always'): Promise<Kit> {
  const store = memoryStore();
  const clock = new ManualClock();
  const told: string[] = [];
  const journal = new Journal(await opened(store), sync, clock, {
    prepare: () => undefined,
    roomChanged: (full) => told.push(full ? 'full' : 'room'),
    troubled: (error) => told.push(error.message),
  });
  return { store, clock, journal, told };
}

const answerOf = (accepted: Promise<boolean>): { value: boolean | undefined } => {
  const answer: { value: boolean | undefined } = { value: undefined };
  void accepted.then((value) => (answer.value = value));
  return answer;
};

test('D05: a thousand publishes of one turn are one transaction and one flush', async () => {
  const { store, journal } = await kit();
  const answers = new Set<Promise<boolean>>();
  for (let count = 0; count < 1_000; count++) {
    journal.add(publish(`record ${count}`));
    answers.add(journal.accepted);
  }
  await expect(Promise.all(answers)).resolves.toEqual([true]);
  expect([store.entries().length, store.syncs]).toEqual([1_000, 1]);
});

test('what is added while a group is being written is the next group', async () => {
  const { store, journal } = await kit();
  store.holdWrites();
  journal.add(publish('a'));
  await turn();
  for (const name of 'bcd') journal.add(publish(name));
  await turn();
  store.releaseWrites();
  await journal.settled();
  expect([store.entries().length, store.syncs]).toEqual([4, 2]);
});

test('what is added while a group is being made is written, and only when that group is stored', async () => {
  const store = memoryStore();
  let leases = 2;
  const journal: Journal = new Journal(await opened(store), 'always', new ManualClock(), {
    prepare: () => leases-- > 0 && journal.add(settle(`lease ${leases}`)),
    roomChanged: () => undefined,
    troubled: () => undefined,
  });
  const adding = settle('a');
  adding.write = (group) => {
    group.put(Buffer.from('a'), Buffer.from('    x'));
    journal.add(settle('b'));
  };
  store.holdWrites();
  journal.add(adding);
  await turn();
  await turn();
  expect(store.entries()).toEqual([]);
  store.releaseWrites();
  await journal.settled();
  expect(textsOf(store.entries())).toEqual(['a=x', 'b=x', 'lease 0=x', 'lease 1=x']);
});

test('a change that is added again before it was written is written once', async () => {
  const { journal } = await kit();
  const change = settle('a');
  journal.add(change);
  journal.add(change);
  await journal.settled();
  expect(change.stores).toBe(1);
});

test('a publish is accepted when it is flushed and not before', async () => {
  const { store, journal } = await kit();
  store.holdFlushes();
  const change = publish('a');
  journal.add(change);
  const answer = answerOf(journal.accepted);
  await turn();
  expect([change.stores, answer.value]).toEqual([1, undefined]);
  store.releaseFlushes();
  await turn();
  expect(answer.value).toBe(true);
});

test('D05: with an interval a publish is accepted when it is committed, unless a flush is owed for longer', async () => {
  const { store, journal, clock } = await kit({ intervalMs: 50 });
  store.holdFlushes();
  const answers = [];
  for (const passedMs of [0, 49, 1]) {
    await clock.advance(passedMs);
    journal.add(publish(`after ${passedMs}`));
    answers.push(answerOf(journal.accepted));
    await turn();
  }
  expect(answers.map(({ value }) => value)).toEqual([true, true, undefined]);
  store.releaseFlushes();
  await turn();
  expect(answers.map(({ value }) => value)).toEqual([true, true, true]);
});

test('what is to follow happens once, when all that was added before is durable', async () => {
  const { store, journal } = await kit({ intervalMs: 50 });
  let happened = 0;
  journal.add(settle('a'));
  journal.afterwards(() => happened++);
  await turn();
  expect([happened, store.syncs]).toEqual([1, 1]);
});

test('what follows nothing new waits for the flushes before it', async () => {
  const { store, journal } = await kit();
  store.holdFlushes();
  journal.add(settle('a'));
  await turn();
  let happened = false;
  journal.afterwards(() => (happened = true));
  await turn();
  expect(happened).toBe(false);
  store.releaseFlushes();
  await turn();
  expect(happened).toBe(true);
});

test('a full store refuses the publishes, and what finishes something is written all the same', async () => {
  const { store, journal, told } = await kit();
  store.full = true;
  const [offered, finishing] = [publish('a'), settle('b')];
  journal.add(offered);
  journal.add(finishing);
  const answer = answerOf(journal.accepted);
  await turn();
  expect(answer.value).toBe(false);
  expect([offered.stores, offered.failures, finishing.stores]).toEqual([0, 1, 1]);
  expect(textsOf(store.entries())).toEqual(['b=x']);
  expect([told, journal.full]).toEqual([['full'], true]);
});

test('a full store is asked again until there is room', async () => {
  const { store, journal, clock, told } = await kit();
  store.full = true;
  journal.add(publish('a'));
  await turn();
  await clock.advance(1_000);
  expect(told).toEqual(['full']);
  store.full = false;
  await clock.advance(250);
  expect([told, journal.full]).toEqual([['full', 'room'], false]);
  expect([store.entries(), clock.pending]).toEqual([[], 0]);
});

test('what could not be written for another reason is tried again, and told', async () => {
  const { store, journal, clock, told } = await kit();
  store.failNext(new StoreError('The disk said no.'));
  const change = settle('a');
  journal.add(change);
  await turn();
  expect([change.stores, change.failures, told]).toEqual([0, 1, ['The disk said no.']]);
  await clock.advance(250);
  expect([change.stores, textsOf(store.entries())]).toEqual([1, ['a=x']]);
});

test('what was added meanwhile comes after what is tried again, and both are one group', async () => {
  const { store, journal, clock } = await kit();
  store.failNext(new StoreError('The disk said no.'));
  journal.add(settle('a'));
  await turn();
  journal.add(settle('b'));
  let followed = false;
  journal.afterwards(() => (followed = true));
  await turn();
  expect([store.entries().length, followed]).toEqual([0, false]);
  await clock.advance(250);
  expect([store.entries().length, store.syncs, followed]).toEqual([2, 1, true]);
});

test('what was to follow a group that was refused follows the one that is written in its place', async () => {
  const { store, journal } = await kit();
  store.full = true;
  const followed: string[] = [];
  journal.add(publish('a'));
  journal.add(settle('b'));
  journal.afterwards(() => followed.push(...textsOf(store.entries())));
  await turn();
  expect(followed).toEqual(['b=x']);
});

test('nothing is tried again after the close', async () => {
  const { store, journal, clock } = await kit();
  store.failNext(new StoreError('The disk said no.'));
  journal.add(settle('a'));
  await turn();
  await journal.settled();
  journal.close();
  expect(clock.pending).toBe(0);
});
