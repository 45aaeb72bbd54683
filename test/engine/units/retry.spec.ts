import { backoffDelay } from '../../../lib/engine/delivery/retry.js';

const fixed = { type: 'fixed', delayMs: 100, factor: 2, maxDelayMs: 100, jitter: false } as const;
const exponential = { type: 'exponential', delayMs: 100, factor: 2, maxDelayMs: 30_000, jitter: false } as const;
const half = (): number => 0.5;

describe('backoffDelay', () => {
  it('without a backoff is nothing', () => {
    expect(backoffDelay(undefined, 5, half)).toBe(0);
  });

  it('fixed is the same for every attempt', () => {
    expect([1, 2, 50].map((attempt) => backoffDelay(fixed, attempt, half))).toEqual([100, 100, 100]);
  });

  it('exponential grows by its factor up to its maximum', () => {
    const delays = [1, 2, 3, 9, 10, 2_000, Number.MAX_SAFE_INTEGER].map((n) => backoffDelay(exponential, n, half));
    expect(delays).toEqual([100, 200, 400, 25_600, 30_000, 30_000, 30_000]);
  });

  it('of a delay of 0 stays 0, also where its factor has grown beyond every number', () => {
    expect(backoffDelay({ ...exponential, delayMs: 0 }, 2_000, half)).toBe(0);
  });

  it('with a factor of 1 does not grow', () => {
    expect(backoffDelay({ ...exponential, factor: 1 }, 2_000, half)).toBe(100);
  });

  it.each([
    [0, 0],
    [0.5, 200],
    [0.999, 399.6],
  ])('with jitter at %d draws %d of 400', (drawn, delay) => {
    expect(backoffDelay({ ...exponential, jitter: true }, 3, () => drawn)).toBeCloseTo(delay, 9);
  });

  it('draws only where there is jitter', () => {
    const never = (): number => {
      throw new Error('drawn');
    };
    expect(backoffDelay(fixed, 1, never)).toBe(100);
  });
});
