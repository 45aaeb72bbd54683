import { runFixture } from './support/run-fixture.js';

// These programs run the compiled package under its own name, each in a process of its own: what ends a process, or keeps
// it alive, shows in no other way.

test('N01: a handler that rejects does not end the process, is counted, kept and logged once', async () => {
  expect(await runFixture('failing-handler.mjs')).toEqual({
    code: 0,
    signal: null,
    errors: '',
    report: { unhandled: 0, deadLettered: 1, parked: 1, errors: 1 },
  });
});

test('N10, N23: with retries due in a minute the process ends after close, and says how many are abandoned', async () => {
  expect(await runFixture('pending-retries.mjs')).toEqual({
    code: 0,
    signal: null,
    errors: '',
    report: { retrying: 10, late: false, warnings: ['Shut down before all was done, abandoned: 10'] },
  });
});

test('R9.6: SIGTERM drains all that was accepted before the database of another module closes', async () => {
  const ended = await runFixture('sigterm.mjs', (output, child) => {
    if (output === 'ready\n') child.kill('SIGTERM');
  });
  expect(ended).toEqual({ code: 0, signal: null, errors: '', report: { written: 500 } });
});
