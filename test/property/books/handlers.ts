import type { Attempt } from '#engine';
import type { BusModel } from './bus-model.js';
import { type Ending, type Letter, REASON, RETRY_IN_MS, type Run } from './parts.js';
import type { StageModel } from './stage-model.js';

/** An attempt that waits for a command to end it. */
export interface Gated {
  readonly stage: StageModel;
  readonly run: Run;
  readonly attempt: Attempt;
  readonly end: (ending: Ending) => void;
  publishing: boolean;
}

const THROWN = new Error('thrown by a handler');

/** What the consumers of a random bus do: the model hears of every call and every verdict before the bus does. */
export class Handlers {
  /** The handlers that wait. */
  readonly gated: Gated[] = [];
  /** A call that the model says must not have been. */
  failure: unknown = undefined;

  constructor(
    private readonly model: BusModel,
    private readonly letters: ReadonlyMap<string, Letter>,
  ) {}

  called(stage: StageModel, consumer: number, id: string, attempt: Attempt): unknown {
    try {
      return this.handle(stage, consumer, id, attempt);
    } catch (error) {
      if (error !== THROWN) this.failure ??= error;
      throw error;
    }
  }

  private handle(stage: StageModel, consumer: number, id: string, attempt: Attempt): unknown {
    const run = this.model.attempts.called(stage, id, consumer);
    const { script } = this.letters.get(id) as Letter;
    if (attempt.number !== run.entry.attempt) throw new Error(`attempt ${attempt.number} of ${id}`);
    if (script === 'gate') return this.gate(stage, run, consumer, attempt);
    this.model.attempts.ended(stage, run, consumer, script);
    if (script === 'throw') throw THROWN;
    return say(attempt, script);
  }

  private gate(stage: StageModel, run: Run, consumer: number, attempt: Attempt): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const end = (ending: Ending): void => {
        this.model.attempts.ended(stage, run, consumer, ending);
        this.gated.splice(this.gated.indexOf(gated), 1);
        if (ending === 'throw') reject(THROWN);
        else resolve(say(attempt, ending));
      };
      const gated: Gated = { stage, run, attempt, end, publishing: false };
      this.gated.push(gated);
    });
  }
}

function say(attempt: Attempt, ending: Ending): unknown {
  if (ending === 'retryIn') attempt.retryIn(RETRY_IN_MS);
  else if (ending === 'deadLetter') attempt.deadLetter(REASON);
  return ending !== 'false';
}
