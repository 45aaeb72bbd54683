import { describeBooks } from './books/describe-books.js';

describeBooks([
  { bus: 'any bus', wanted: {}, share: 0.4 },
  { bus: 'a bus that has not started', wanted: { starting: true }, share: 0.1 },
]);
