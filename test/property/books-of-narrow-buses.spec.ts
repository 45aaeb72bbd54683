import { Backpressure } from '#engine';
import { describeBooks } from './books/describe-books.js';

describeBooks([
  { bus: 'a bus of one permit', wanted: { concurrency: 1 }, share: 0.2 },
  { bus: 'a bus whose stages let publishers wait', wanted: { backpressure: Backpressure.Block }, share: 0.2 },
  { bus: 'a bus whose stages drop the oldest', wanted: { backpressure: Backpressure.DropOldest }, share: 0.1 },
]);
