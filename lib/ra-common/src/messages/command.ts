/** What a service can be told to do. */
export enum Command {
  Start = 'Start',
  Shutdown = 'Shutdown',
  GracefullyShutdown = 'GracefullyShutdown',
  Restart = 'Restart',
  Pause = 'Pause',
  Unpause = 'Unpause',
  NetState = 'NetState',
  Report = 'Report',
  RegisterStateChangeListener = 'RegisterStateChangeListener',
  UnregisterStateChangeListener = 'UnregisterStateChangeListener',
}
