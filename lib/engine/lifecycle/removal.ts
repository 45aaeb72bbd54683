import type { Core } from '../core.js';
import { StageInUseError } from '../errors.js';
import type { Stage } from '../stage.js';
import { untilOrLate } from './deadline.js';

/**
 * Takes a stage off the bus: its name is unknown at once, what it has admitted is finished, then it is gone. Whether
 * nothing was abandoned. A bus that ends meanwhile ends the stage, too, and keeps it in its books.
 * @throws StageInUseError for a channel that dead letters still go to
 */
export async function removeStage(core: Core, stage: Stage, timeoutMs: number): Promise<boolean> {
  const { clock, lifecycle, registry } = core;
  const source = registry.sourceOf(stage);
  if (source !== undefined)
    throw new StageInUseError(stage.name, `keeps the dead letters of ${source} and cannot be removed`);
  const before = stage.books.droppedBy.abandoned;
  registry.retire(stage);
  stage.leave();
  // On a bus that has not started nothing would ever be finished.
  if (lifecycle.state !== 'starting')
    await untilOrLate(core, { removed: stage }, () => stage.idle, clock.now() + timeoutMs);
  const finished = lifecycle.ended || (await abandonRest(core, stage));
  return finished && stage.books.droppedBy.abandoned === before;
}

/** Hops that wait elsewhere, attempts that run, and what is queued. `false` if a loan is still out, which ends by itself. */
async function abandonRest(core: Core, stage: Stage): Promise<boolean> {
  for (const { admission } of core.registry.all) admission.abandonHopsOf(stage);
  stage.interrupt();
  if (stage.storing === undefined) stage.dropQueued('abandoned', () => true);
  else stage.tellKept();
  stage.backend.close();
  stage.gone = true;
  // Whoever takes its name finds on disk what it was.
  if (stage.storing !== undefined) await core.durable.remove(stage);
  core.registry.forget(stage);
  core.lessToDo();
  return stage.lent === 0;
}
