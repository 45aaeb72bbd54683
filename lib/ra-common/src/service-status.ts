/** Where a service stands. */
export enum ServiceStatus {
  NotInitialized = 'NotInitialized',
  Initializing = 'Initializing',
  Waiting = 'Waiting',
  Starting = 'Starting',
  Running = 'Running',
  Verified = 'Verified',
  PartiallyRunning = 'PartiallyRunning',
  DegradedRunning = 'DegradedRunning',
  Unstable = 'Unstable',
  Pausing = 'Pausing',
  Paused = 'Paused',
  Unpausing = 'Unpausing',
  ShuttingDown = 'ShuttingDown',
  GracefullyShuttingDown = 'GracefullyShuttingDown',
  Shutdown = 'Shutdown',
  GracefullyShutdown = 'GracefullyShutdown',
  Restarting = 'Restarting',
  Unavailable = 'Unavailable',
  Error = 'Error',
}

/** Whether a service of this status serves: Running, Verified, PartiallyRunning or DegradedRunning. */
export function serviceStatusIsRunning(status: ServiceStatus): boolean {
  switch (status) {
    case ServiceStatus.Running:
    case ServiceStatus.Verified:
    case ServiceStatus.PartiallyRunning:
    case ServiceStatus.DegradedRunning:
      return true;
    default:
      return false;
  }
}
