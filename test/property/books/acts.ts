import { Envelope } from '#engine';
import type { Command, CommandName } from './commands.js';
import type { Ending, Entry, Letter, Publication, Script } from './parts.js';
import { DEAD, LATE } from './scenario.js';
import type { StageModel } from './stage-model.js';
import type { World } from './world.js';

type Arguments = Pick<Command, 'a' | 'b'>;

/** What the bus answers to an act that ends it. */
interface Ends {
  readonly ends: boolean | Promise<boolean>;
}

type Act = (world: World, args: Arguments) => unknown;

const NOWHERE = 'nowhere';
const SCRIPTS: readonly Script[] = ['gate', 'gate', 'gate', 'ack', 'false', 'throw', 'retryIn', 'deadLetter'];
const ENDINGS: readonly Ending[] = ['ack', 'ack', 'ack', 'false', 'throw', 'retryIn', 'deadLetter', 'false'];
const ADDRESSES = ['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b', 'a', 'b', 'a', 'a', 'a', LATE, DEAD, NOWHERE] as const;
const SLIPS = [[], ['b'], ['a'], ['b', 'a'], ['a', 'b'], ['b', 'b'], [LATE], ['b', NOWHERE]] as const;
const TIMEOUTS = [undefined, undefined, 0, 911] as const;

/** What each command does, to the model first. Where it has nothing to act on, it does nothing. */
export const ACTS: Readonly<Record<CommandName, Act>> = {
  publish: (world, args) => {
    for (let copies = (args.b >> 10) + 1; copies > 0; copies--) publish(world, args, false);
  },
  offer: (world, args) => publish(world, args, true),
  settle: ({ handlers: { gated } }, { a, b }) => pick(gated, a)?.end(pick(ENDINGS, b) as Ending),
  advance: (world, { a }) => world.advance(a * 12),
  attemptPublish,
  abort,
  pause: ({ bus, model }, { a }) => {
    const stage = reach(model.stages, a);
    model.pause(stage);
    bus.pause(stage?.name);
  },
  resume: ({ bus, model }, { a }) => {
    const stage = reach(model.stages, a);
    model.resume(stage);
    bus.resume(stage?.name);
  },
  hold: ({ bus, model }, { a }) => {
    const stage = reach(model.stages, a);
    (stage ?? model).held = true;
    bus.hold(stage?.name);
  },
  release: ({ bus, model }, { a }) => {
    const stage = reach(model.stages, a);
    (stage ?? model).held = false;
    bus.release(stage?.name);
  },
  subscribe: (world, { a }) => {
    const stage = pick(world.model.stages, a) as StageModel;
    if (world.model.state === 'closed') return;
    if (!stage.exists) world.register(stage.scenario);
    world.subscribe(stage);
  },
  unsubscribe: (world, { a }) => {
    const stage = pick(world.model.known, a) as StageModel;
    if (!someWaitForTheirRetry(stage)) world.unsubscribe(stage);
  },
  redrive: ({ bus, model }, { a }) => {
    const entry = pick(deadLetters(model.dead), a);
    if (entry === undefined) return;
    model.redrive(model.dead, entry);
    void bus.deadLetters(DEAD).redrive([entry.letter.id]);
  },
  purge: ({ bus, model }, { a, b }) => {
    const all = deadLetters(model.dead);
    const one = b % 2 === 0 ? undefined : pick(all, a);
    model.dropQueued(model.dead, 'purged', one === undefined ? all : [one]);
    void bus.deadLetters(DEAD).purge(one === undefined ? 'all' : [one.letter.id]);
  },
  start: ({ bus, model }) => {
    model.start();
    bus.start().catch(() => undefined);
  },
  shutdown: ({ bus, model }, { a }): Ends => {
    const timeoutMs = (a % 4) * 500;
    model.drain(timeoutMs);
    return { ends: bus.shutdown({ timeoutMs }) };
  },
  // The model closes when the bus says so.
  shutdownNow: ({ bus }): Ends => ({ ends: bus.shutdownNow() }),
};

export const isEnd = (answer: unknown): answer is Ends =>
  typeof answer === 'object' && answer !== null && 'ends' in answer;

function publish(world: World, { a, b }: Arguments, atOnce: boolean): void {
  const { model, bus, aborters } = world;
  const to = model.state === 'starting' && a % 4 === 3 ? LATE : (pick(ADDRESSES, a) as string);
  const letter = draw(world, b);
  const timeoutMs = pick(TIMEOUTS, b);
  const controller = (a & 48) === 48 ? new AbortController() : undefined;
  if ((a & 192) === 192) controller?.abort();
  const options = {
    delayMs: (b & 12) === 12 ? 300 + (a >> 4) : 0,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(controller && { signal: controller.signal }),
    ...world.receiptOf(letter),
  };
  const aborted = controller?.signal.aborted === true;
  if (controller !== undefined) aborters.push({ controller, letter });
  const envelope = addressed(to, letter);
  const foretold = model.doors.publish(to, letter, { ...options, aborted, atOnce });
  if (!atOnce) return world.follow(foretold, bus.publish(envelope, options));
  const said = bus.offer(envelope, options);
  if (said !== foretold.answer) throw new Error(`the offer of ${letter.id} said ${said}, not ${foretold.answer}`);
}

/** By way of an attempt that runs, or has been interrupted. */
function attemptPublish(world: World, { a, b }: Arguments): void {
  const { doors } = world.model;
  const gated = pick(
    world.handlers.gated.filter(({ publishing, stage }) => !publishing && !stage.pubSub),
    b,
  );
  if (gated === undefined) return;
  const { run, attempt } = gated;
  const to = pick(ADDRESSES, a) as string;
  const letter = draw(world, b);
  const timeoutMs = pick(TIMEOUTS, b);
  const options = {
    delayMs: (b & 12) === 12 ? 300 : 0,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...world.receiptOf(letter),
  };
  const envelope = addressed(to, letter);
  const foretold: Publication = run.over
    ? { letter, answer: doors.refuseLate(to, letter) }
    : doors.publish(to, letter, { ...options, inside: true });
  if (foretold.answer === undefined) run.holdsPermit = false;
  gated.publishing = true;
  const answered = attempt.publish(envelope, options);
  world.follow(foretold, answered, run);
  void answered.then(() => (gated.publishing = false));
}

function abort({ aborters, model }: World, { a }: Arguments): void {
  const aborter = pick(aborters, a);
  if (aborter === undefined) return;
  aborters.splice(aborters.indexOf(aborter), 1);
  model.doors.abort(aborter.letter);
  aborter.controller.abort();
}

function draw(world: World, b: number): Letter {
  return world.letter(pick(SCRIPTS, b >> 7) as Script, pick(SLIPS, b >> 4) ?? [], (b & 3) !== 3);
}

function addressed(to: string, { id, slip }: Letter): Envelope {
  const envelope = Envelope.documentWithId(id);
  for (const hop of slip.toReversed()) envelope.addRoute(hop, 'RECEIVE');
  envelope.addRoute(to, 'RECEIVE');
  return envelope;
}

/** With a retry only for consumers that are gone an attempt would call nobody, and nothing would tell of it. */
function someWaitForTheirRetry({ pubSub, running, queue }: StageModel): boolean {
  return pubSub && (running.size > 0 || queue.some(({ remaining }) => remaining !== undefined));
}

function deadLetters(channel: StageModel): Entry[] {
  return channel.queue.filter(({ letter }) => channel.isDeadLetter(letter));
}

/** One stage, or `undefined` for the whole bus. */
function reach(stages: readonly StageModel[], a: number): StageModel | undefined {
  const stage = stages[a % (stages.length + 1)];
  return stage?.exists === true ? stage : undefined;
}

/** Some item of a list, by any number; `undefined` of an empty one. */
function pick<T>(items: readonly T[], a: number): T | undefined {
  return items[a % (items.length || 1)];
}
