import { createHook } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SedaBus, makeEnvelope } from '#engine';
import { reachableBytes } from '../support/heap.js';

const ENVELOPES = 10_000;

/** Counts the promises that `work` makes, its own included. No clock is read: the counts are the same on every machine. */
async function promisesMadeBy(work: () => Promise<void>): Promise<number> {
  let promises = 0;
  const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && promises++) });
  hook.enable();
  await work();
  hook.disable();
  return promises;
}

/** Counts the microtasks in which a promise's reaction runs while `work` does. */
async function microtasksOf(work: () => Promise<void>): Promise<number> {
  const promises = new Set<number>();
  let microtasks = 0;
  const hook = createHook({
    init: (id, type) => void (type === 'PROMISE' && promises.add(id)),
    before: (id) => void (promises.has(id) && microtasks++),
  });
  hook.enable();
  await work();
  hook.disable();
  return microtasks;
}

/** In a process of its own, where nothing else allocates. */
function probeHeap(): { bytes: number; leases: number; attempts: number; state: string } {
  const probe = fileURLToPath(new URL('../support/heap-probe.mjs', import.meta.url));
  const flags = ['--no-warnings', '--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];
  return JSON.parse(execFileSync(process.execPath, [...flags, probe], { encoding: 'utf8' })) as ReturnType<
    typeof probeHeap
  >;
}

/** A bus with one stage, its turn of the event loop unlimited, and envelopes made beforehand. */
function stageFor(consumer: () => unknown, options: { capacity?: number } = {}) {
  const bus = new SedaBus({ turnMs: 1e9 });
  bus.channel('a', { capacity: ENVELOPES, ...options }).subscribe('a', consumer);
  return { bus, envelopes: Array.from({ length: ENVELOPES }, (_, n) => makeEnvelope('a', n)) };
}

describe('what an envelope costs, in counts', () => {
  it('an offer to a synchronous consumer makes no promise', async () => {
    const { bus, envelopes } = stageFor(() => true);
    const promises = await promisesMadeBy(async () => {
      for (const envelope of envelopes) bus.offer(envelope);
      await bus.idle();
    });
    expect(bus.stats()['a']?.delivered).toBe(ENVELOPES);
    // A few for each turn of 32 envelopes or more, and those of the test.
    expect(promises).toBeLessThan(ENVELOPES / 8);
  });

  it('awaiting an accepted publish makes the one promise that `await` makes', async () => {
    const { bus, envelopes } = stageFor(() => true);
    const promises = await promisesMadeBy(async () => {
      for (const envelope of envelopes) await bus.publish(envelope);
      await bus.idle();
    });
    expect(bus.stats()['a']?.delivered).toBe(ENVELOPES);
    expect(promises).toBeLessThan(ENVELOPES * 1.2);
  });

  it('an accepted publish that is awaited takes one microtask: that of the await', async () => {
    const { bus, envelopes } = stageFor(() => true);
    const microtasks = await microtasksOf(async () => {
      for (const envelope of envelopes) await bus.publish(envelope);
      await bus.idle();
    });
    expect(bus.stats()['a']?.delivered).toBe(ENVELOPES);
    expect(microtasks).toBeLessThan(ENVELOPES * 1.2);
  });

  it('an asynchronous attempt takes one microtask of the bus', async () => {
    const { bus, envelopes } = stageFor(async () => true);
    const microtasks = await microtasksOf(async () => {
      for (const envelope of envelopes) bus.offer(envelope);
      await bus.idle();
    });
    expect(bus.stats()['a']?.delivered).toBe(ENVELOPES);
    expect(microtasks).toBeLessThan(ENVELOPES * 1.2);
  });

  it('a published and handled envelope allocates at most 900 bytes, those of its await included', () => {
    const { bytes } = probeHeap();
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(900);
  });

  it('a bus at rest keeps one lease and one attempt, so that V8 does not forget what it optimised for them', () => {
    expect(probeHeap()).toMatchObject({ leases: 1, attempts: 1, state: 'open' });
  });

  it('an accepted publish always returns the same promise', () => {
    const { bus, envelopes } = stageFor(() => true);
    const [first, second] = envelopes.map((envelope) => bus.publish(envelope));
    expect(first).toBe(second);
  });

  it('an asynchronous consumer costs its own promise and one to hear of it', async () => {
    const { bus, envelopes } = stageFor(async () => true);
    const promises = await promisesMadeBy(async () => {
      for (const envelope of envelopes) bus.offer(envelope);
      await bus.idle();
    });
    expect(bus.stats()['a']?.delivered).toBe(ENVELOPES);
    expect(promises).toBeLessThan(ENVELOPES * 2.2);
  });

  it('a publisher that waits for room costs one promise to wait with, and those of its await', async () => {
    const { bus, envelopes } = stageFor(() => true, { capacity: 16 });
    const promises = await promisesMadeBy(async () => {
      await Promise.all(envelopes.map((envelope) => bus.publish(envelope)));
      await bus.idle();
    });
    expect(bus.stats()['a']?.delivered).toBe(ENVELOPES);
    expect(promises).toBeLessThan(ENVELOPES * 3.2);
  });

  it('a queued envelope takes at most 64 bytes more than the envelope, and leaves none behind', async () => {
    const count = 100_000;
    const { bus } = stageFor(() => true, { capacity: count });
    const envelopes = Array.from({ length: count }, (_, n) => makeEnvelope('a', n));
    bus.hold();
    const before = reachableBytes();
    for (const envelope of envelopes) bus.offer(envelope);
    expect((reachableBytes() - before) / count).toBeLessThan(64);
    bus.release();
    await bus.idle();
    expect((reachableBytes() - before) / count).toBeLessThan(8);
    expect(bus.stats()['a']?.delivered).toBe(envelopes.length);
  });
});
