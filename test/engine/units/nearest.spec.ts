import { nearestNames } from '../../../lib/engine/nearest.js';

const known = ['orders.validate', 'orders.price', 'orders.ship', 'mail', 'Mail.send'];

describe('nearestNames', () => {
  it.each([
    ['orders.pirce', ['orders.price', 'orders.ship', 'orders.validate']],
    ['MAIL', ['mail']],
    ['mails', ['mail', 'Mail.send']],
    ['order.validate', ['orders.validate', 'orders.price']],
    ['something else entirely', []],
    ['', []],
  ])('of %j are %j', (name, nearest) => {
    expect(nearestNames(name, known)).toEqual(nearest);
  });

  it('are at most three, the best first, ties by name', () => {
    expect(nearestNames('ab', ['ad', 'ac', 'ae', 'ab', 'af'])).toEqual(['ab', 'ac', 'ad']);
  });

  it('of nothing known are none', () => {
    expect(nearestNames('a', [])).toEqual([]);
  });
});
