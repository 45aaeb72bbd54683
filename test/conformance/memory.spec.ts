import { MemoryBackend } from '../../lib/engine/backend/memory.js';
import { ManualClock } from '../support/manual-clock.js';
import { describeBackend } from './backend.js';

describeBackend(
  'in memory',
  {
    survivesRestart: false,
    answersAtOnce: true,
    delay: true,
    discardOldest: true,
    ordering: 'fifo',
    capacity: 'exact',
  },
  () => {
    const clock = new ManualClock();
    return { backend: new MemoryBackend(clock), clock };
  },
);
