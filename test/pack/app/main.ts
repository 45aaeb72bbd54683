import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import * as terminus from '@nestjs/terminus';
import * as testing from '@nestjs/testing';
import * as seda from '@resolvingarchitecture/nestjs-seda-bus';
import { SedaBus as EngineBus } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';
import { Envelope as CommonEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/ra-common';
import * as kit from '@resolvingarchitecture/nestjs-seda-bus/testing';
import checks from './checks.cjs';

// Compiled with the published types, to an ES module or to CommonJS, whatever the application is. Then it runs.

@common.Injectable()
class Orders {
  constructor(
    private readonly bus: seda.SedaBus,
    @seda.InjectStage('orders.ship') private readonly ship: seda.StageRef<{ order: number }>,
  ) {}

  @seda.Stage('orders.price', { capacity: 10, backpressure: seda.Backpressure.Reject, maxAttempts: 2 })
  async price(order: seda.Envelope, attempt: seda.Attempt): Promise<void> {
    await this.ship.publish({ order: attempt.number });
    order.headers['state'] = this.bus.state;
  }

  @seda.Stage('orders.ship')
  shipped(): boolean {
    return false;
  }

  @seda.DeadLetter('orders.ship', { keep: true })
  parked(): void {}
}

@common.Module({
  imports: [
    seda.SedaBusModule.forRootAsync({ useFactory: (): seda.SedaBusAsyncResult => ({ concurrency: 8 }) }),
    seda.SedaBusModule.forFeature([{ name: 'orders.ship', capacity: 5 }]),
  ],
  providers: [Orders],
})
class App {}

async function compiled(): Promise<[seda.Outcome['status'], number]> {
  const app = await core.NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  const bus = app.get(seda.SedaBus);
  const outcome: seda.Outcome = await bus.publishAndWait(seda.makeEnvelope('orders.price'));
  await bus.idle();
  const { items } = await bus.deadLetters('orders.ship').list();
  await app.close();
  return [outcome.status, items.length];
}

async function main(): Promise<void> {
  const row = JSON.parse(process.argv[2] ?? '{}') as object;
  const loaded = { common, core, terminus, testing, seda, kit, EngineBus, CommonEnvelope, lmdbStore, compiled };
  const results = await checks(row, loaded);
  console.log(JSON.stringify(results));
  // What failed may have left an application open; without that, nothing keeps the process alive.
  if (results.some(({ passed }) => !passed)) process.exit();
}

void main();
