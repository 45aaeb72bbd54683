import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Envelope, SedaBus, type StoreDescription, envelopePayload, makeEnvelope, memoryStore } from '#engine';
import {
  DeadLetter,
  SedaBusHealthIndicator,
  SedaBusModule,
  type SedaBusModuleOptions,
  Stage,
} from '../../src/index.js';
import { ManualClock, turn } from '../support/manual-clock.js';
import { boot } from './support/boot.js';

const seen: unknown[] = [];
beforeEach(() => void seen.splice(0));

@Injectable()
class Orders {
  @Stage('orders', { serviceLevel: 'AtLeastOnce', maxAttempts: 1 })
  handle(envelope: Envelope): boolean {
    seen.push(envelopePayload(envelope));
    return envelopePayload(envelope) !== 'bad';
  }
}

const bootOn = (store: StoreDescription, options: SedaBusModuleOptions = {}, providers: (typeof Orders)[] = [Orders]) =>
  boot({ imports: [SedaBusModule.forRoot({ store, ...options })], providers });

describe('A module with a store', () => {
  test('keeps what is published over a restart of the application', async () => {
    const store = memoryStore();
    const first = await bootOn(store);
    first.bus.hold('orders');
    await first.bus.publish(makeEnvelope('orders', 1));
    await first.app.close();
    expect(seen).toEqual([]);
    const second = await bootOn(store);
    await second.bus.idle();
    expect(seen).toEqual([1]);
    expect(second.log.ofBus('log')).toContain('Started: 2 stage(s), 1 handler(s)');
  });

  test('accepts durably what is published in onModuleInit, and delivers it after the start', async () => {
    const answers: unknown[] = [];

    @Injectable()
    class Early implements OnModuleInit {
      constructor(private readonly bus: SedaBus) {}

      async onModuleInit(): Promise<void> {
        answers.push(await this.bus.publish(makeEnvelope('orders', 'early')), [...seen]);
      }
    }

    const { bus } = await boot({
      imports: [SedaBusModule.forRoot({ store: memoryStore() })],
      providers: [Orders, Early],
    });
    await bus.idle();
    expect([answers, seen]).toEqual([[true, []], ['early']]);
  });

  test('keeps dead letters on disk, the shared ones and those of @DeadLetter', async () => {
    @Injectable()
    class Mails {
      @Stage('mails', { maxAttempts: 1 })
      send(): boolean {
        return false;
      }

      @DeadLetter('mails', { consume: false })
      parked(): void {}
    }

    const store = memoryStore();
    const first = await bootOn(store, {}, [Orders, Mails as never]);
    await first.bus.publish(makeEnvelope('orders', 'bad'));
    await first.bus.publish(makeEnvelope('mails', 'lost'));
    await first.bus.idle();
    await first.app.close();
    const { bus } = await bootOn(store, {}, [Orders, Mails as never]);
    const letters = await Promise.all(['orders', 'mails'].map((stage) => bus.deadLetters(stage).list()));
    expect(letters.map(({ items }) => items.map(({ envelope }) => envelopePayload(envelope)))).toEqual([
      ['bad'],
      ['lost'],
    ]);
  });

  test('N36: one process publishes and does not consume, the next one consumes', async () => {
    const store = memoryStore();
    const web = await bootOn(store, { consume: false });
    await web.bus.publish(makeEnvelope('orders', 1));
    await web.bus.publish(makeEnvelope('orders', 2));
    await web.bus.idle();
    await web.app.close();
    expect([seen, web.bus.stats()['orders']?.dropped]).toEqual([[], 0]);
    expect(web.log.ofBus('warn').filter((line) => line.includes('not consumed here'))).toEqual([]);
    const worker = await bootOn(store, { consume: true });
    await worker.bus.idle();
    expect(seen).toEqual([1, 2]);
  });

  test('does not boot when its store cannot be opened, and says why', async () => {
    const store = memoryStore();
    const { app } = await bootOn(store);
    await expect(bootOn(store)).rejects.toMatchObject({ code: 'SEDA_STORE_LOCKED' });
    await app.close();
    await (await bootOn(store)).app.close();
  });

  test('waits ten seconds for a process that still has the store', async () => {
    const waits: number[] = [];
    const memory = memoryStore();
    const store: StoreDescription = {
      name: 'watched',
      open: (context) => {
        waits.push(context.lockWaitMs);
        return memory.open(context);
      },
    };
    await bootOn(store);
    expect(waits).toEqual([10_000]);
  });

  test('R10: is down while its store is full', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    const { app, bus } = await bootOn(store, { clock, stages: { orders: { backpressure: 'reject' } } });
    const indicator = app.get(SedaBusHealthIndicator, { strict: false });
    const health = () => indicator.isHealthy('seda').seda;
    expect(health()).toMatchObject({ status: 'up' });
    store.full = true;
    expect(await bus.publish(makeEnvelope('orders', 1))).toBe(false);
    expect(health()).toMatchObject({ status: 'down', reason: expect.stringContaining('store-full') });
    store.full = false;
    await clock.advance(2_000);
    await turn();
    await turn();
    expect(health()).toMatchObject({ status: 'up' });
    expect(await bus.publish(makeEnvelope('orders', 1))).toBe(true);
  });

  test.each([[1], [{}], [{ name: 'a store' }]])('store: %j is refused', async (store) => {
    await expect(bootOn(store as unknown as StoreDescription)).rejects.toMatchObject({
      code: 'SEDA_INVALID_OPTION',
      option: 'bus.store',
    });
  });
});
