import { Controller, Get, Injectable, Module } from '@nestjs/common';
import request from 'supertest';
import { type Envelope, SedaBus, makeEnvelope } from '#engine';
import { FirstToEnd } from '../../src/first-to-end.module.js';
import { type DrainOn, type SedaBusModuleOptions, SedaBusModule, Stage } from '../../src/index.js';
import { Gate } from '../support/gate.js';
import { ManualClock, turn } from '../support/manual-clock.js';
import { type Booted, boot, closeAfterwards, compile, openAfterwards } from './support/boot.js';
import { Database, DatabaseModule } from './support/database.js';

let gate: Gate;
beforeEach(() => void (gate = openAfterwards(new Gate())));

@Injectable()
class Writer {
  constructor(private readonly database: Database) {}

  @Stage('rows', { concurrency: 2 })
  async write(envelope: Envelope): Promise<void> {
    await gate.opened;
    this.database.insert(envelope.content());
  }
}

@Module({ imports: [DatabaseModule], providers: [Writer] })
class WriterModule {}

/** What the bus is in when the hooks of other modules are called. */
@Injectable()
class Witness {
  readonly states: string[] = [];

  constructor(private readonly bus: SedaBus) {}

  onModuleDestroy = (): unknown => this.states.push(this.bus.state);
  beforeApplicationShutdown = (): unknown => this.states.push(this.bus.state);
  onApplicationShutdown = (): unknown => this.states.push(this.bus.state);
}

@Controller()
class Ping {
  @Get('/ping')
  ping(): string {
    return 'pong';
  }
}

/** Ten envelopes queued, their handlers waiting at the gate. */
async function bootWithWork(options: SedaBusModuleOptions): Promise<Booted & { database: Database }> {
  const booted = await boot({ imports: [WriterModule, SedaBusModule.forRoot(options)] });
  for (let i = 0; i < 10; i++) await booted.bus.publish(makeEnvelope('rows', i));
  return { ...booted, database: booted.app.get(Database, { strict: false }) };
}

describe('R9.6: the bus drains while everything else is still there', () => {
  test('all that was queued is written before the database closes', async () => {
    const { app, bus, database, log } = await bootWithWork({});
    const closed = app.close();
    await turn();
    expect({ state: bus.state, closed: database.closedWith }).toEqual({ state: 'draining', closed: undefined });
    gate.open();
    await closed;
    expect(database).toMatchObject({ rows: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], closedWith: 10 });
    expect(log.ofBus('log').at(-1)).toBe('Shut down: drained, abandoned: 0');
  });

  test('a database in the root module itself, too', async () => {
    const metadata = { imports: [SedaBusModule.forRoot()], providers: [Database, Writer] };
    const { app, bus } = await boot(metadata);
    await bus.publish(makeEnvelope('rows', 'row'));
    gate.open();
    await app.close();
    expect(app.get(Database)).toMatchObject({ closedWith: 1 });
  });

  test('HTTP answers meanwhile', async () => {
    const { app, bus } = await compile({
      imports: [WriterModule, SedaBusModule.forRoot()],
      controllers: [Ping],
    });
    const http = closeAfterwards(app.createNestApplication());
    await http.listen(0);
    await bus.publish(makeEnvelope('rows', 'row'));
    const closed = http.close();
    await turn();
    await request(http.getHttpServer()).get('/ping').expect(200, 'pong');
    gate.open();
    await closed;
    expect(bus.stats()['rows']).toMatchObject({ delivered: 1 });
  });

  test.each<[DrainOn, string[]]>([
    ['first', ['closed', 'closed', 'closed']],
    ['onModuleDestroy', ['open', 'closed', 'closed']],
    ['beforeApplicationShutdown', ['open', 'open', 'closed']],
    ['onApplicationShutdown', ['open', 'open', 'open']],
  ])('drainOn: %s is the moment; in the hooks of other modules the bus is %j', async (drainOn, states) => {
    const { app, bus } = await boot({ imports: [SedaBusModule.forRoot({ drainOn })], providers: [Witness] });
    await app.close();
    expect(app.get(Witness).states).toEqual(states);
    expect(bus.state).toBe('closed');
  });

  test('it drains once, however often the application is closed', async () => {
    const { app, log } = await bootWithWork({});
    const hook = app.get(FirstToEnd, { strict: false });
    // Two closes at once call the hooks twice in Nest 11.
    const closed = Promise.all([hook.onModuleDestroy(), app.close()]);
    gate.open();
    await closed;
    await app.close();
    expect(log.ofBus('log').filter((line) => line.startsWith('Shut down'))).toHaveLength(1);
  });

  test('a bus that the application ended itself is not ended again', async () => {
    const { app, bus, log } = await boot({ imports: [SedaBusModule.forRoot()] });
    await bus.shutdown();
    await app.close();
    expect(log.ofBus('log')).toEqual(['Started: 1 stage(s), 0 handler(s)']);
  });
});

describe('the time a drain may take', () => {
  const closeAfter = async (options: SedaBusModuleOptions, ms: number) => {
    const clock = new ManualClock();
    const { app, log, database } = await bootWithWork({ ...options, clock });
    const closed = app.close();
    await turn();
    await clock.advance(ms);
    await closed;
    return { warnings: log.ofBus('warn'), rows: database.rows };
  };
  const late = { warnings: ['Shut down before all was done, abandoned: 10'], rows: [] };

  test('is ten seconds; what is left then is abandoned, and counted in the log', async () => {
    expect(await closeAfter({}, 10_000)).toEqual(late);
  });

  test('is shutdownTimeoutMs', async () => {
    expect(await closeAfter({ shutdownTimeoutMs: 50 }, 50)).toEqual(late);
  });
});

test('N10: after the close a kept reference publishes nothing, and no handler is called', async () => {
  let handled = 0;
  @Injectable()
  class Orders {
    @Stage('orders')
    handle(): void {
      handled++;
    }
  }
  const { app, bus } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Orders] });
  await app.close();
  await expect(bus.publish(makeEnvelope('orders'))).resolves.toBe(false);
  await turn();
  expect(handled).toBe(0);
  expect(bus.stats()['orders']?.droppedBy).toMatchObject({ closed: 1 });
});

test('what a handler injects may publish on while the bus drains, by its attempt', async () => {
  const seen: unknown[] = [];
  @Injectable()
  class Chain {
    constructor(readonly bus: SedaBus) {}

    @Stage('first')
    async first(_: Envelope, attempt: { publish(envelope: Envelope): Promise<boolean> }): Promise<void> {
      await gate.opened;
      seen.push(await attempt.publish(makeEnvelope('second')), await this.bus.publish(makeEnvelope('second')));
    }

    @Stage('second')
    second(): void {
      seen.push('second');
    }
  }
  const { app, bus } = await boot({ imports: [SedaBusModule.forRoot()], providers: [Chain] });
  await bus.publish(makeEnvelope('first'));
  const closed = app.close();
  await turn();
  gate.open();
  await closed;
  expect(seen.toSorted()).toEqual([false, 'second', true]);
});
