import type { ConfigService } from '@nestjs/config';
import type { SedaBusModuleOptions } from '@resolvingarchitecture/nestjs-seda-bus';
import { CHARGE, PRICE, SHIP, VALIDATE } from './orders/order.stages.js';
import type { Settings } from './settings/settings.js';

/** What depends on where the application runs. It overrules what the decorators of the stages say. */
export function busOptions(config: ConfigService, settings: Settings): SedaBusModuleOptions {
  const capacity = settings.orderCapacity;
  return {
    // `CONSUME=orders.*,import.*` makes a worker for some stages of a process, `CONSUME=` one that only publishes.
    consume: namesIn(config.get<string>('CONSUME')) ?? true,
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

function namesIn(list: string | undefined): string[] | undefined {
  return list?.split(',').filter((name) => name !== '');
}
