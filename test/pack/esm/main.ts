import { createRequire } from 'node:module';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import * as terminus from '@nestjs/terminus';
import * as seda from '@resolvingarchitecture/nestjs-seda-bus';
import { SedaBus as EngineBus } from '@resolvingarchitecture/nestjs-seda-bus/engine';
import { Envelope as CommonEnvelope } from '@resolvingarchitecture/nestjs-seda-bus/ra-common';

// This file is compiled with the published types, and then runs.

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

const app = await core.NestFactory.createApplicationContext(App, { logger: false });
const bus = app.get(seda.SedaBus);
const outcome: seda.Outcome = await bus.publishAndWait(seda.makeEnvelope('orders.price'));
await bus.idle();
const { items } = await bus.deadLetters('orders.ship').list();
await app.close();
const typed = JSON.stringify([outcome.status, items.length]);
const same = EngineBus === seda.SedaBus && CommonEnvelope === seda.Envelope;

const checks = createRequire(import.meta.url)('./checks.cjs') as (loaded: object) => Promise<object[]>;
const results = [
  { name: 'decorators and types, compiled', passed: typed === '["completed",1]', detail: typed },
  { name: 'the subpaths hold the same classes', passed: same, detail: String(same) },
  ...(await checks({ common, core, terminus, seda })),
];
console.log(JSON.stringify(results));
