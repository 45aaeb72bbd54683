import type { Envelope } from '#ra-common';
import type { DropReason } from './books.js';
import { InvalidOptionError } from './errors.js';
import type { BusState, StageState } from './lifecycle/lifecycle.js';
import { isThenable } from './thenable.js';

/** What happened, by name. Listeners are called at once, in the order they came, with one argument. */
export interface SedaEvents {
  /** A stage dropped an envelope. */
  dropped: { readonly stage: string; readonly reason: DropReason; readonly envelope: Envelope };
  /** A stage ended the attempts at an envelope. `channel` is where it is parked, `undefined` when nowhere. */
  deadLetter: {
    readonly stage: string;
    readonly channel: string | undefined;
    readonly reason: string;
    readonly attempts: number;
    readonly error: Error | undefined;
    readonly envelope: Envelope;
  };
  /** An attempt was nacked and another will follow after `delayMs`. */
  retry: {
    readonly stage: string;
    readonly attempt: number;
    readonly delayMs: number;
    readonly error: Error | undefined;
    readonly envelope: Envelope;
  };
  /** An envelope was published to a stage that does not exist; `stage` is `undefined` when it had no address at all. */
  unroutable: { readonly stage: string | undefined; readonly envelope: Envelope };
  /** The bus's state changed. */
  state: { readonly from: BusState; readonly to: BusState };
  /** A stage was paused, resumed, held or released on its own account. */
  stageState: { readonly stage: string; readonly from: StageState; readonly to: StageState };
  /** A callback or a listener of the user threw. `where` names it. */
  error: { readonly where: string; readonly error: Error };
  /** Something an operator should know, once. */
  warning: { readonly code: string; readonly message: string };
}

export type SedaEventName = keyof SedaEvents;

const NAMES: Readonly<Record<SedaEventName, true>> = Object.freeze({
  dropped: true,
  deadLetter: true,
  retry: true,
  unroutable: true,
  state: true,
  stageState: true,
  error: true,
  warning: true,
});

/** @throws InvalidOptionError */
export function checkListener(name: unknown, listener: unknown): void {
  if (typeof name !== 'string' || !Object.hasOwn(NAMES, name)) {
    throw new InvalidOptionError('event', `one of ${Object.keys(NAMES).join(', ')}`, name);
  }
  if (typeof listener !== 'function') throw new InvalidOptionError('listener', 'a function', listener);
}

export type SedaListener<Name extends SedaEventName> = (event: SedaEvents[Name]) => unknown;

/** A list of listeners a name, and nothing else: an event that nobody listens to costs one look. */
export class Listeners {
  private readonly byName = new Map<SedaEventName, readonly SedaListener<never>[]>();

  constructor(private readonly failed: (where: string, thrown: unknown) => void) {}

  /** Adds a listener; the same one twice is called twice. */
  on<Name extends SedaEventName>(name: Name, listener: SedaListener<Name>): void {
    this.byName.set(name, [...this.of(name), listener]);
  }

  /** Removes the listener once; an unknown one is ignored. */
  off<Name extends SedaEventName>(name: Name, listener: SedaListener<Name>): void {
    const listeners = this.of(name);
    const index = listeners.indexOf(listener);
    if (index >= 0) this.byName.set(name, listeners.toSpliced(index, 1));
  }

  /** Look here before building an event that perhaps nobody wants. */
  has(name: SedaEventName): boolean {
    return this.of(name).length > 0;
  }

  emit<Name extends SedaEventName>(name: Name, event: SedaEvents[Name]): void {
    for (const listener of this.of(name)) this.call(`listener of '${name}'`, () => listener(event));
  }

  /** Calls what the user gave us. What it throws, or rejects with, is counted and changes nothing. */
  call(where: string, callback: () => unknown): void {
    try {
      const result = callback();
      if (isThenable(result)) Promise.resolve(result).then(undefined, (thrown: unknown) => this.failed(where, thrown));
    } catch (thrown) {
      this.failed(where, thrown);
    }
  }

  private of<Name extends SedaEventName>(name: Name): readonly SedaListener<Name>[] {
    return (this.byName.get(name) ?? NONE) as readonly SedaListener<Name>[];
  }
}

const NONE: readonly SedaListener<never>[] = Object.freeze([]);
