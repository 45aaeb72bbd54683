import type { SedaBusModuleOptions } from '@resolvingarchitecture/nestjs-seda-bus';
import { CHARGE, PRICE, SHIP, VALIDATE } from './orders/order.stages.js';
import type { Settings } from './settings/settings.js';

/** What of the stages depends on where the application runs. It overrules what their decorators say. */
export function busOptions(settings: Settings): SedaBusModuleOptions {
  const capacity = settings.orderCapacity;
  return {
    shutdownTimeoutMs: settings.shutdownTimeoutMs,
    stages: {
      [VALIDATE]: { capacity },
      [PRICE]: { capacity },
      [CHARGE]: {
        capacity,
        timeoutMs: settings.paymentTimeoutMs,
        backoff: { type: 'exponential', delayMs: settings.paymentRetryMs },
      },
      [SHIP]: { capacity },
    },
  };
}
