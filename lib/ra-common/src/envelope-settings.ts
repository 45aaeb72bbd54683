import type { Action } from './action.js';
import type { Multipart } from './multipart.js';
import { ServiceLevel } from './service-level.js';

/** What few envelopes say of themselves. */
export interface EnvelopeSettings {
  client: string | undefined;
  replyToClient: boolean;
  clientReplyAction: string | undefined;
  url: string | undefined;
  multipart: Multipart | undefined;
  action: Action | undefined;
  commandPath: string | undefined;
  sensitivity: number;
  delayed: boolean;
  minDelay: number;
  maxDelay: number;
  copy: boolean;
  maxCopies: number;
  minCopies: number;
  serviceLevel: ServiceLevel;
}

/** What all the others have. */
export const DEFAULT_SETTINGS: Readonly<EnvelopeSettings> = Object.freeze({
  client: undefined,
  replyToClient: false,
  clientReplyAction: undefined,
  url: undefined,
  multipart: undefined,
  action: undefined,
  commandPath: undefined,
  sensitivity: 1,
  delayed: false,
  minDelay: 0,
  maxDelay: 0,
  copy: false,
  maxCopies: 0,
  minCopies: 0,
  serviceLevel: ServiceLevel.AtLeastOnce,
});

/** Where an object keeps its settings once one was set. */
export interface SettingsHolder {
  lazySettings: EnvelopeSettings | undefined;
}

/** Gives a prototype a property for each setting: read from the defaults until the first one is set. */
export function defineSettings(prototype: object): void {
  for (const name of Object.keys(DEFAULT_SETTINGS) as (keyof EnvelopeSettings)[]) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      get(this: SettingsHolder) {
        return (this.lazySettings ?? DEFAULT_SETTINGS)[name];
      },
      set(this: SettingsHolder, value: never) {
        (this.lazySettings ??= { ...DEFAULT_SETTINGS })[name] = value;
      },
    });
  }
}
