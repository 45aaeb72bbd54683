import type { Settings } from '../../../sample-app/src/settings/settings.js';

/** The sample's settings for tests: nothing takes time, unless a test says so. */
export function testSettings(other: Partial<Settings> = {}): Settings {
  return {
    port: 0,
    orderCapacity: 100,
    paymentLatencyMs: 0,
    paymentTimeoutMs: 60_000,
    paymentRetryMs: 200,
    storePath: '',
    orderBookSize: 10_000,
    shutdownTimeoutMs: 60_000,
    ...other,
  };
}
