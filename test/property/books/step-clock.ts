import { ManualClock } from '#engine';

/** Time that passes one timer at a time, so that whoever drives it can look in between. */
export class StepClock extends ManualClock {
  constructor() {
    super(1_000_000);
  }
}

/** Resolves when everything is done that follows from a step without time passing: the event loop has come round. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
