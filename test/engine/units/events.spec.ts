import { Listeners } from '../../../lib/engine/events.js';
import { turn } from '../../support/manual-clock.js';
import { thenable } from '../../support/thenable.js';

function listeners() {
  const failures: [string, unknown][] = [];
  return { failures, given: new Listeners((where, thrown) => failures.push([where, thrown])) };
}

const event = { from: 'open', to: 'paused' } as const;

describe('Listeners', () => {
  it('say whether anybody listens', () => {
    const { given } = listeners();
    const listener = (): void => undefined;
    expect(given.has('state')).toBe(false);
    given.on('state', listener);
    expect([given.has('state'), given.has('dropped')]).toEqual([true, false]);
    given.off('state', listener);
    expect(given.has('state')).toBe(false);
  });

  it('hand the event itself to each', () => {
    const { given } = listeners();
    const got: unknown[] = [];
    given.on('state', (one) => got.push(one));
    given.on('state', (one) => got.push(one));
    given.emit('state', event);
    expect(got).toEqual([event, event]);
    expect(got[0]).toBe(event);
  });

  it('report what a callback throws, rejects with, or answers with a thenable, once each', async () => {
    const { given, failures } = listeners();
    const error = new Error('of the user');
    given.call('throwing', () => {
      throw error;
    });
    given.call('rejecting', () => Promise.reject(error));
    given.call('rejecting twice', () =>
      thenable((_, reject) => {
        reject(error);
        reject(error);
      }),
    );
    given.call('answering with a rejection', () => thenable((resolve) => resolve(Promise.reject(error))));
    given.call('fine', () => 1);
    await turn();
    expect(failures.map(([where]) => where).toSorted()).toEqual([
      'answering with a rejection',
      'rejecting',
      'rejecting twice',
      'throwing',
    ]);
    expect(failures.every(([, thrown]) => thrown === error)).toBe(true);
  });
});
