import { type Answer, Waiter } from '../../lib/engine/admission/waiting-line.js';

/** One who waits in a line and passes on what it is told. */
export class Told extends Waiter {
  constructor(private readonly hear: (answer: Answer) => void) {
    super();
  }

  override called(answer: Answer): void {
    this.hear(answer);
  }
}
