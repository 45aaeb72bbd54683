import { ACTS, isEnd } from './acts.js';
import type { Command } from './commands.js';
import { DEAD, type Scenario } from './scenario.js';
import { World } from './world.js';

/** Runs a sequence of commands on a random bus and its model, to the end of the bus; throws where they differ. */
export async function run(scenario: Scenario, commands: readonly Command[]): Promise<void> {
  const world = new World(scenario);
  const answers: (boolean | Promise<boolean>)[] = [];
  for (const command of commands) {
    const answer = await ACTS[command.do](world, command);
    if (isEnd(answer)) answers.push(answer.ends);
    await world.rest();
  }
  await end(world, answers);
}

/** After the end nothing is left over, whatever the handlers that still run may say. */
async function end(world: World, answers: (boolean | Promise<boolean>)[]): Promise<void> {
  const { model, bus, handlers, clock } = world;
  model.drain(700);
  answers.push(bus.shutdown({ timeoutMs: 700 }));
  await world.rest();
  await world.advance(2_000);
  while (handlers.gated.length > 0) handlers.gated[0]?.end('ack');
  await world.rest();
  if (bus.state !== 'closed') throw new Error('the bus is not closed');
  if (clock.pending > 0) throw new Error(`${clock.pending} timers are left`);
  for (const answer of answers) if ((await answer) !== model.drained) throw new Error(`the end said ${await answer}`);
  for (const [name, { waiting, inFlight, retrying, depth }] of Object.entries(bus.stats()))
    if (waiting + inFlight > 0 || (name !== DEAD && retrying + depth > 0)) throw new Error(`${name} is not empty`);
}
