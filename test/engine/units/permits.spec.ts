import { Permits } from '../../../lib/engine/dispatch/permits.js';

function permits(limit: number) {
  const events: string[] = [];
  return { permits: new Permits(limit, () => events.push('freed')), events };
}

describe('Permits', () => {
  it('R3.3 are as many as there are', () => {
    const { permits: two } = permits(2);
    two.acquire();
    expect(two.available).toBe(true);
    two.acquire();
    expect(two.available).toBe(false);
    two.release();
    expect(two.available).toBe(true);
  });

  it('R5.2 go to those who want theirs again before any new attempt, first come first served', () => {
    const { permits: one, events } = permits(1);
    one.acquire();
    one.retake(() => events.push('first'));
    one.retake(() => events.push('second'));
    expect(events).toEqual([]);
    one.release();
    expect(events).toEqual(['first']);
    expect(one.available).toBe(false);
    one.release();
    one.release();
    expect(events).toEqual(['first', 'second', 'freed']);
    expect(one.available).toBe(true);
  });

  it('R5.2 are taken again at once where one is free', () => {
    const { permits: one, events } = permits(1);
    one.retake(() => events.push('first'));
    expect(events).toEqual(['first']);
    expect(one.available).toBe(false);
  });

  it('R5.2 that are not wanted any more are passed on', () => {
    const { permits: one, events } = permits(1);
    one.acquire();
    one.retake(() => one.release());
    one.retake(() => events.push('second'));
    one.release();
    expect(events).toEqual(['second']);
    expect(one.available).toBe(false);
  });
});
