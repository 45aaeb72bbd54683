import type { Core } from '../core.js';
import { StageInUseError } from '../errors.js';
import type { Stage } from '../stage.js';
import { untilOrLate } from './deadline.js';

/**
 * Takes a stage off the bus: its name is unknown at once, what it has admitted is finished, then it is gone. Whether
 * nothing was abandoned.
 * @throws StageInUseError for a channel that dead letters still go to
 */
export async function removeStage(core: Core, stage: Stage, timeoutMs: number): Promise<boolean> {
  const { clock, registry } = core;
  const source = registry.sourceOf(stage);
  if (source !== undefined)
    throw new StageInUseError(stage.name, `keeps the dead letters of ${source} and cannot be removed`);
  registry.retire(stage);
  stage.admission.dismissPublishers();
  await untilOrLate(core, { removed: stage }, () => stage.idle, clock.now() + timeoutMs);
  return endOf(core, stage);
}

/** What is left is abandoned: hops that wait to come in, attempts that run, and what is queued. */
function endOf(core: Core, stage: Stage): boolean {
  const abandoned = (): number => stage.books.droppedBy.abandoned;
  const before = abandoned();
  stage.admission.dismissInsiders();
  stage.interrupt();
  stage.dropQueued('abandoned', () => true);
  stage.backend.close();
  core.registry.forget(stage);
  core.lessToDo();
  return abandoned() === before;
}
