import type { Checked, StageOptions } from '#engine';
import { DEFAULT_BUS } from '../seda-bus.tokens.js';
import { addHandlerMetadata } from '../stage-metadata.accessor.js';
import type { HandlerDecorator } from './handler-decorator.js';

/** The options of the channel `<source>.dead-letters`, and what an ack means there. */
export interface DeadLetterOptions extends StageOptions {
  /** Only inform: a dead letter that was handled stays in its channel, to be listed, redriven or purged. @default false */
  readonly keep?: boolean;
  /** The name of the bus of `source`. @default the bus without a name */
  readonly bus?: string;
}

/**
 * Makes a method the consumer of the dead letters of the stage `source`. They go to a channel of their own,
 * `<source>.dead-letters` (capacity 4096, `DropOldest`, unless `options` say otherwise), instead of the shared one.
 *
 * An ack removes the dead letter, with `keep: true` it stays. A handler that fails leaves it parked.
 */
export function DeadLetter<Source extends string>(
  source: Checked<Source>,
  options?: DeadLetterOptions,
): HandlerDecorator<Source>;
export function DeadLetter(source: string, options: DeadLetterOptions = {}): MethodDecorator {
  const { keep = false, bus = DEFAULT_BUS, ...stageOptions } = options;
  const metadata = { kind: 'dead-letter', source, keep, bus, options: stageOptions } as const;
  return (target, key, descriptor) => addHandlerMetadata(target, key, descriptor, metadata);
}
