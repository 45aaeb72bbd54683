import type { ConfigService } from '@nestjs/config';
import type { SedaBusModuleOptions, StageOptions } from '@resolvingarchitecture/nestjs-seda-bus';
import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';
import { CHARGE, PRICE, SHIP, VALIDATE } from './orders/order.stages.js';
import type { Settings } from './settings/settings.js';

/** What depends on where the application runs. It overrules what the decorators of the stages say. */
export function busOptions(config: ConfigService, settings: Settings): SedaBusModuleOptions {
  const { storePath, orderCapacity: capacity } = settings;
  // An order that was accepted is finished, also when the process is killed: it is taken up by the next one.
  const order: StageOptions = { capacity, ...(storePath !== '' && { serviceLevel: 'AtLeastOnce' }) };
  return {
    // `CONSUME=orders.*,import.*` makes a worker for some stages of a process, `CONSUME=` one that only publishes.
    consume: namesIn(config.get<string>('CONSUME')) ?? true,
    shutdownTimeoutMs: settings.shutdownTimeoutMs,
    ...(storePath !== '' && { store: lmdbStore({ path: storePath }) }),
    stages: {
      [VALIDATE]: order,
      [PRICE]: order,
      [CHARGE]: {
        ...order,
        timeoutMs: settings.paymentTimeoutMs,
        backoff: { type: 'exponential', delayMs: settings.paymentRetryMs },
      },
      [SHIP]: order,
    },
  };
}

function namesIn(list: string | undefined): string[] | undefined {
  return list?.split(',').filter((name) => name !== '');
}
