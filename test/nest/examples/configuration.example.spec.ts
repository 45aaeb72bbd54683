import { Injectable } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { SedaBusModule, Stage } from '../../../src/index.js';
import { boot } from '../support/boot.js';

const environment = { ORDERS_CONCURRENCY: 8, CONSUME: 'orders.*' };
const ConfigurationModule = ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => environment] });

@Injectable()
class Handlers {
  // #region precedence
  @Stage('orders.price', { concurrency: 4, capacity: 500 })
  price(): void {}
  // #endregion

  @Stage('mails.send')
  send(): void {}
}

// #region configuration
const root = SedaBusModule.forRootAsync({
  imports: [ConfigurationModule],
  inject: [ConfigService],
  useFactory: (config: ConfigService) => ({
    defaults: { maxAttempts: 3 },
    stages: { 'orders.price': { concurrency: config.getOrThrow<number>('ORDERS_CONCURRENCY') } },
    consume: config.get<string>('CONSUME')?.split(',') ?? true,
  }),
});
// #endregion

test('configuration goes before decorators, decorators before defaults; a role consumes its stages', async () => {
  const { bus } = await boot({ imports: [root], providers: [Handlers] });
  expect(bus.stats()['orders.price']).toMatchObject({ concurrency: 8, capacity: 500 });
  for (const stage of ['orders.price', 'mails.send']) bus.stage(stage)?.offer('x');
  await bus.idle();
  expect(bus.stats()).toMatchObject({ 'orders.price': { delivered: 1 }, 'mails.send': { delivered: 0, depth: 1 } });
});
