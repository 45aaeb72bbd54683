import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { SedaBus, makeEnvelope } from '#engine';
import {
  DeadLetter,
  SedaBusHealthIndicator,
  type SedaHealthThresholds,
  SedaBusModule,
  Stage,
} from '../../src/index.js';
import { Gate } from '../support/gate.js';
import { ManualClock, turn } from '../support/manual-clock.js';
import { boot, compile, openAfterwards } from './support/boot.js';

let gate: Gate;
let clock: ManualClock;
beforeEach(() => {
  gate = openAfterwards(new Gate());
  clock = new ManualClock();
});

@Injectable()
class Work {
  @Stage('work', { capacity: 10, backpressure: 'reject' })
  handle(envelope: { content(): unknown }): unknown {
    return envelope.content() === 'bad' ? false : gate.opened;
  }

  @DeadLetter('other')
  parked(): boolean {
    return false;
  }

  @Stage('other')
  other(): boolean {
    return false;
  }
}

const metadata = () => ({ imports: [SedaBusModule.forRoot({ clock })], providers: [Work] });

/** Boots, and queues so many beside the one that runs. */
async function bootWith(queued: number) {
  const { app, bus } = await boot(metadata());
  const indicator = app.get(SedaBusHealthIndicator, { strict: false });
  if (queued >= 0) {
    await bus.publish(makeEnvelope('work'));
    await turn();
    for (let i = 0; i < queued; i++) await bus.publish(makeEnvelope('work', i));
  }
  const health = (thresholds?: SedaHealthThresholds) => indicator.isHealthy('seda', thresholds).seda;
  return { app, bus, health };
}

const reason = (text: string) => ({ reason: expect.stringContaining(text) });

test('R10: an idle bus is up, without a reason, and shows every stage', async () => {
  const { health } = await bootWith(-1);
  expect(health()).toEqual({
    status: 'up',
    state: 'open',
    stages: {
      'dead-letters': expect.anything(),
      other: expect.anything(),
      'other.dead-letters': expect.anything(),
      work: { state: 'open', depth: 0, capacity: 10, inFlight: 0, waiting: 0, deadLettered: 0, oldestAgeMs: 0 },
    },
  });
});

describe('R10: degraded', () => {
  test.each([
    [8, 'up'],
    [9, 'degraded'],
  ])('at 0.9 × capacity: with %d of 10 queued it is %s', async (queued, status) => {
    const { health } = await bootWith(queued);
    expect(health().status).toBe(status);
  });

  test('says which stage is saturated', async () => {
    const { health } = await bootWith(9);
    expect(health()).toMatchObject(reason("stage 'work' is saturated: depth 9 of 10"));
  });

  test('for one second after a refusal', async () => {
    const { bus, health } = await bootWith(10);
    await bus.publish(makeEnvelope('work'));
    gate.open();
    await bus.idle();
    await clock.advance(999);
    expect(health()).toMatchObject({ status: 'degraded', ...reason("stage 'work' made publishers wait") });
    await clock.advance(1);
    expect(health().status).toBe('up');
  });

  test.each(['hold', 'pause'] as const)('when a stage, or the bus, is on %s', async (action) => {
    const { bus, health } = await bootWith(-1);
    bus[action]('work');
    expect(health()).toMatchObject({ status: 'degraded', ...reason("stage 'work' is") });
    bus.release('work');
    bus.resume('work');
    expect(health().status).toBe('up');
    bus[action]();
    expect(health().status).toBe('degraded');
  });

  test('is up in Terminus 11, with the reason', async () => {
    const eleven = {
      check: (key: string) => ({
        up: (data: object) => ({ [key]: { ...data, status: 'up' } }),
        down: (data: object) => ({ [key]: { ...data, status: 'down' } }),
      }),
    };
    const { app, bus } = await boot(metadata(), (builder) =>
      builder.overrideProvider(HealthIndicatorService).useValue(eleven),
    );
    bus.hold('work');
    const { seda } = app.get(SedaBusHealthIndicator, { strict: false }).isHealthy('seda');
    expect(seda).toMatchObject({ status: 'up', ...reason("stage 'work' is held") });
  });
});

describe('R10: down', () => {
  test('before the start', async () => {
    const { app } = await compile(metadata());
    const { seda } = app.get(SedaBusHealthIndicator, { strict: false }).isHealthy('seda');
    expect(seda).toMatchObject({ status: 'down', state: 'starting', ...reason('has not started') });
  });

  test('while it drains, and when it is closed', async () => {
    const { app, health } = await bootWith(1);
    const closed = app.close();
    await turn();
    expect(health()).toMatchObject({ status: 'down', state: 'draining', ...reason('the bus is draining') });
    gate.open();
    await closed;
    expect(health()).toMatchObject({ status: 'down', state: 'closed' });
  });

  test.each([
    [5, 'up'],
    [6, 'down'],
  ])('past maxDepthRatio 0.5: with %d of 10 queued it is %s', async (queued, status) => {
    const { health } = await bootWith(queued);
    expect(health({ maxDepthRatio: 0.5 }).status).toBe(status);
  });

  test('past maxDeadLetters', async () => {
    const { bus, health } = await bootWith(-1);
    await bus.publishAndWait(makeEnvelope('work', 'bad'));
    expect(health({ maxDeadLetters: 1 }).status).toBe('up');
    expect(health({ maxDeadLetters: 0 })).toMatchObject({
      status: 'down',
      ...reason("stage 'work': dead letters is 1, more than 0"),
    });
  });

  test('past maxOldestAgeMs', async () => {
    const { health } = await bootWith(1);
    await clock.advance(100);
    expect(health({ maxOldestAgeMs: 100 }).status).toBe('up');
    expect(health({ maxOldestAgeMs: 99 })).toMatchObject({ status: 'down', ...reason('age of the oldest') });
  });

  test('but not for the age of dead letters at rest, unless it is asked for', async () => {
    const { bus, health } = await bootWith(-1);
    await bus.publishAndWait(makeEnvelope('work', 'bad'));
    await bus.publishAndWait(makeEnvelope('other'));
    await bus.idle();
    await clock.advance(60_000);
    expect(health({ maxOldestAgeMs: 1 }).status).toBe('up');
    expect(health({ stages: { 'dead-letters': { maxOldestAgeMs: 1 } } }).status).toBe('down');
  });

  test('by a threshold of one stage in place of the one for all', async () => {
    const { health } = await bootWith(6);
    expect(health({ maxDepthRatio: 0.5, stages: { work: { maxDepthRatio: 0.7 } } }).status).toBe('up');
    expect(health({ maxDepthRatio: 0.7, stages: { work: { maxDepthRatio: 0.5 } } }).status).toBe('down');
  });
});

test.each<[string, unknown]>([
  ['maxDepthRatio', { maxDepthRatio: 0 }],
  ['maxDepthRatio', { maxDepthRatio: '1' }],
  ['maxDeadLetters', { maxDeadLetters: 1.5 }],
  ['maxOldestAgeMs', { maxOldestAgeMs: Number.NaN }],
  ['maxAge', { maxAge: 3 }],
  ['thresholds', null],
  ['stages', { stages: [] }],
  ['maxDeadLetters', { stages: { work: { maxDeadLetters: -1 } } }],
  ['unknown', { stages: { unknown: {} } }],
])('a threshold that is none is refused: %s of %j', async (named, thresholds) => {
  const { health } = await bootWith(-1);
  expect(() => health(thresholds as SedaHealthThresholds)).toThrow(
    expect.objectContaining({ code: 'SEDA_INVALID_OPTION', message: expect.stringContaining(named) }),
  );
});

test('the indicator is injected by its class where the bus is', async () => {
  const { app } = await bootWith(-1);
  expect(app.get(SedaBusHealthIndicator, { strict: false })).toBeInstanceOf(SedaBusHealthIndicator);
  expect(app.get(SedaBus, { strict: false })).toBeInstanceOf(SedaBus);
});
