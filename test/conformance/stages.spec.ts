import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ConformanceSubject,
  type ConformingBus,
  SedaBus,
  type StageFeatures,
  type StoreDescription,
  memoryStore,
  stageConformance,
} from '#engine';
import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';

const root = mkdtempSync(join(tmpdir(), 'seda-conformance-'));
let folders = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));

const MEMORY: StageFeatures = {
  survivesRestart: false,
  answersAtOnce: true,
  delay: true,
  discardOldest: true,
  fifo: true,
  deduplicates: false,
};
const STORE: StageFeatures = { ...MEMORY, survivesRestart: true, answersAtOnce: false, deduplicates: true };

const inMemory: ConformanceSubject = {
  features: MEMORY,
  open: async () => {
    const bus = new SedaBus();
    const close = async (): Promise<void> => void (await bus.shutdown({ timeoutMs: 0 }));
    return { bus, stage: {}, close, reopen: () => Promise.reject(new Error('what is in memory is gone')) };
  },
};

function onStore(makeStore: () => StoreDescription): ConformanceSubject {
  const openOn = async (store: StoreDescription, declare?: (bus: SedaBus) => void): Promise<ConformingBus> => {
    const bus = new SedaBus({ store });
    declare?.(bus);
    await bus.ready();
    const close = async (): Promise<void> => void (await bus.shutdown({ timeoutMs: 0 }));
    return {
      bus,
      stage: { serviceLevel: 'AtLeastOnce', windowSize: 4 },
      close,
      reopen: async (again) => {
        await close();
        return openOn(store, again);
      },
    };
  };
  return { features: STORE, open: () => openOn(makeStore()) };
}

const SUBJECTS: readonly (readonly [string, ConformanceSubject])[] = [
  ['in memory', inMemory],
  ['on a store in memory', onStore(() => memoryStore())],
  ['on LMDB', onStore(() => lmdbStore({ path: join(root, String(folders++)) }))],
];

describe.each(SUBJECTS)('A stage %s', (_, subject) => {
  const asked = stageConformance.filter(({ needs }) => needs.every((feature) => subject.features[feature]));

  it.each(asked.map((each) => [each.name, each] as const))('%s', (_name, { run }) => run(subject));
});

describe('The conformance suite', () => {
  it('says of a stage that breaks a rule that it does', async () => {
    const broken: ConformanceSubject = {
      features: MEMORY,
      open: async () => {
        const kit = await inMemory.open();
        return { ...kit, stage: { maxAttempts: 1, concurrency: 2, capacity: 1, backpressure: 'drop-newest' } };
      },
    };
    const [delivers] = stageConformance;
    await expect(delivers?.run(broken)).rejects.toThrow();
  });
});
