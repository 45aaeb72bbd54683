import { SedaBus } from '#engine';
import { requireCapabilities } from '../../../lib/engine/backend/requirements.js';
import { busSettings, stageSettings, type StageOptions } from '../../../lib/engine/options.js';

const all = {
  survivesRestart: false,
  answersAtOnce: true,
  delay: true,
  discardOldest: true,
  ordering: 'fifo',
  capacity: 'exact',
} as const;

const settings = (options: StageOptions) => stageSettings('stage', options, busSettings().defaults);
const backoff = { type: 'fixed', delayMs: 1 } as const;

describe('requireCapabilities', () => {
  it.each<[StageOptions, object, string]>([
    [{ backoff }, { delay: false }, 'delay'],
    [{ backpressure: 'drop-oldest' }, { discardOldest: false }, 'discardOldest'],
  ])('refuses %j of a backend with %j, naming %s', (options, lacking, capability) => {
    const capabilities = { ...all, ...lacking };
    expect(() => requireCapabilities('a', settings(options), capabilities)).toThrow(
      expect.objectContaining({ code: 'SEDA_CAPABILITY', stage: 'a', capability }),
    );
    expect(() => requireCapabilities('a', settings({}), capabilities)).not.toThrow();
    expect(() => requireCapabilities('a', settings(options), all)).not.toThrow();
  });

  it('the memory backend has all that a stage can ask for', () => {
    expect(new SedaBus().channel('a', { backoff, backpressure: 'drop-oldest' }).stats()).toHaveProperty('a');
  });
});
