import { Injectable } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { makeEnvelope } from '#engine';
import { SedaBusModule, Stage } from '../../src/index.js';
import { Gate } from '../support/gate.js';
import { turn } from '../support/manual-clock.js';
import { boot, openAfterwards } from './support/boot.js';

const gate = new Gate();

@Injectable()
class Work {
  inFlight = 0;
  most = 0;

  @Stage('a', { concurrency: 2, capacity: 50 })
  async handle(): Promise<void> {
    this.most = Math.max(this.most, ++this.inFlight);
    await gate.opened;
    this.inFlight--;
  }
}

describe('N35, R9.5: options of stages from configuration', () => {
  test('N35: the concurrency that ConfigService knows goes before the decorator’s', async () => {
    openAfterwards(gate);
    const configured = SedaBusModule.forRootAsync({
      imports: [ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ N: 5 })] })],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({ stages: { a: { concurrency: config.getOrThrow<number>('N') } } }),
    });
    const { app, bus } = await boot({ imports: [configured], providers: [Work] });
    for (let n = 0; n < 20; n++) bus.offer(makeEnvelope('a', n));
    await turn();
    expect(app.get(Work).most).toBe(5);
    expect(bus.stats()['a']).toMatchObject({ inFlight: 5, concurrency: 5, capacity: 50 });
    gate.open();
    await bus.idle();
    expect(app.get(Work).most).toBe(5);
  });
});
