/** Where something with a life cycle stands. */
export enum Status {
  Initialized = 'Initialized',
  Starting = 'Starting',
  Running = 'Running',
  Paused = 'Paused',
  Stopping = 'Stopping',
  Stopped = 'Stopped',
  Errored = 'Errored',
}

/** What can be started and stopped; every method answers whether it succeeded. */
export interface LifeCycle {
  start(properties: Record<string, string>): boolean;
  shutdown(): boolean;
  pause?(): boolean;
  unpause?(): boolean;
  restart?(): boolean;
  gracefulShutdown?(): boolean;
}
