export { ManualClock, turn } from '../../lib/engine/testing/manual-clock.js';
