import { runFixture } from './support/run-fixture.js';

// Against the compiled package, each in a process of its own: what is left in the heap, or keeps a process alive, shows there.

test('N10: with a request-scoped handler the process ends by itself after close, and nothing is handled any more', async () => {
  expect(await runFixture('scoped-closed.mjs')).toEqual({
    code: 0,
    signal: null,
    errors: '',
    report: { made: 10, handled: 10, late: false, reasons: ['closed'], timers: 0 },
  });
});

test('R9.4: of what is made for 10,000 envelopes nothing stays, with enhancers and without', async () => {
  const { code, report } = await runFixture('scoped-growth.mjs');
  const { made, left, bytes } = report as { made: number; left: number; bytes: number };
  expect({ code, made }).toEqual({ code: 0, made: 70_000 });
  // What Nest keeps of each class, and what the last attempt held.
  expect(left).toBeLessThanOrEqual(4);
  expect(bytes).toBeLessThan(256);
}, 180_000);
