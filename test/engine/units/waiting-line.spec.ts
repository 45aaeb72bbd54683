import { getEventListeners } from 'node:events';
import { AbortWatch } from '../../../lib/engine/admission/abort-watch.js';
import { WaitingLine } from '../../../lib/engine/admission/waiting-line.js';
import { numbers } from '../../support/manual-bus.js';
import { ManualClock } from '../../support/manual-clock.js';
import { Told } from '../../support/told.js';

function line() {
  const clock = new ManualClock();
  const waiting = new WaitingLine(clock, new AbortWatch());
  const heard: [unknown, string][] = [];
  const join = (name: unknown, patience = {}): void =>
    waiting.join(patience, new Told((answer) => heard.push([name, answer])));
  return { clock, waiting, heard, join };
}

describe('WaitingLine', () => {
  it('is first come first served', () => {
    const { waiting, heard, join } = line();
    numbers(3).forEach((n) => join(n));
    while (waiting.length > 0) waiting.shift()?.called('admitted');
    expect(heard).toEqual(numbers(3).map((n) => [n, 'admitted']));
    expect(waiting.shift()).toBeUndefined();
  });

  it.each([0, 1, 2])('lets number %i of three leave, and keeps the others in order', async (leaver) => {
    const { clock, waiting, heard, join } = line();
    numbers(3).forEach((n) => join(n, n === leaver ? { timeoutMs: 5 } : {}));
    await clock.advance(5);
    join('late');
    expect(waiting.length).toBe(3);
    while (waiting.length > 0) waiting.shift()?.called('admitted');
    const stayed = numbers(3).filter((n) => n !== leaver);
    expect(heard).toEqual([[leaver, 'timeout'], ...[...stayed, 'late'].map((name) => [name, 'admitted'])]);
    expect(clock.pending).toBe(0);
  });

  it('tells each exactly once, whatever happens later', async () => {
    const { clock, waiting, heard, join } = line();
    const controller = new AbortController();
    join('both', { timeoutMs: 5, signal: controller.signal });
    controller.abort();
    await clock.advance(5);
    expect(waiting.shift()).toBeUndefined();
    expect(heard).toEqual([['both', 'aborted']]);
  });

  it('has a timer and a listener only for those who stand in it', () => {
    const { clock, waiting, join } = line();
    const { signal } = new AbortController();
    numbers(3).forEach((n) => join(n, { timeoutMs: 5, signal }));
    expect([clock.pending, getEventListeners(signal, 'abort').length]).toEqual([3, 1]);
    waiting.shift();
    waiting.dismiss('closed');
    expect([clock.pending, getEventListeners(signal, 'abort').length, waiting.length]).toEqual([0, 0, 0]);
  });

  it('dismisses all who are there, in order, and not those who join meanwhile', () => {
    const { waiting, heard, join } = line();
    waiting.join(
      {},
      new Told((answer) => {
        heard.push(['first', answer]);
        join('newcomer');
      }),
    );
    join('second');
    waiting.dismiss('closed');
    expect(heard).toEqual([
      ['first', 'closed'],
      ['second', 'closed'],
    ]);
    expect(waiting.length).toBe(1);
  });

  it('survives that one who is dismissed sends others away', () => {
    const { waiting, heard, join } = line();
    const controller = new AbortController();
    waiting.join({}, new Told(() => controller.abort()));
    join('aborted', { signal: controller.signal });
    join('closed');
    waiting.dismiss('closed');
    expect(heard).toEqual([
      ['aborted', 'aborted'],
      ['closed', 'closed'],
    ]);
    expect(waiting.length).toBe(0);
  });

  it('sets its timer again when it fires early', async () => {
    const { clock, heard, join } = line();
    const set = clock.setTimeout.bind(clock);
    clock.setTimeout = (callback, delayMs) => set(callback, Math.min(delayMs, 10));
    join('patient', { timeoutMs: 25 });
    await clock.advance(24);
    expect(heard).toEqual([]);
    await clock.advance(1);
    expect(heard).toEqual([['patient', 'timeout']]);
    expect(clock.pending).toBe(0);
  });
});

describe('AbortWatch', () => {
  it('calls all who wait with a signal, once, and forgets them', () => {
    const watch = new AbortWatch();
    const controller = new AbortController();
    const calls: string[] = [];
    for (const name of ['first', 'second']) {
      const waiter = {
        aborted: (): void => {
          calls.push(name);
          watch.remove(controller.signal, waiter);
        },
      };
      watch.add(controller.signal, waiter);
    }
    controller.abort();
    controller.abort();
    expect(calls).toEqual(['first', 'second']);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('goes on for those who still wait when one of them has left', () => {
    const watch = new AbortWatch();
    const controller = new AbortController();
    const calls: string[] = [];
    const gone = { aborted: (): void => void calls.push('gone') };
    watch.add(controller.signal, gone);
    watch.add(controller.signal, { aborted: () => calls.push('here') });
    watch.remove(controller.signal, gone);
    controller.abort();
    expect(calls).toEqual(['here']);
  });

  it('ignores one whom it does not know', () => {
    const watch = new AbortWatch();
    const { signal } = new AbortController();
    watch.remove(signal, { aborted: () => undefined });
    watch.add(signal, { aborted: () => undefined });
    watch.remove(signal, { aborted: () => undefined });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });
});
