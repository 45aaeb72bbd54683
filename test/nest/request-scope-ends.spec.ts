import { Controller, Get, Inject, Injectable, Scope } from '@nestjs/common';
import {
  type ContextId,
  ContextIdFactory,
  type ContextIdResolverFn,
  type ContextIdStrategy,
  REQUEST,
} from '@nestjs/core';
import { Test } from '@nestjs/testing';
import http from 'supertest';
import { type Attempt, DEAD_LETTER_HEADERS, type Envelope, makeEnvelope } from '#engine';
import {
  AttemptRequest,
  DeadLetter,
  ENVELOPE,
  type SedaBusModuleOptions,
  SedaBusModule,
  Stage,
} from '../../src/index.js';
import { Gate } from '../support/gate.js';
import { ManualClock, turn } from '../support/manual-clock.js';
import { boot, closeAfterwards, openAfterwards } from './support/boot.js';
import { publish } from './support/publish.js';

const start = (options: SedaBusModuleOptions, providers: NonNullable<Parameters<typeof boot>[0]['providers']>) =>
  boot({ imports: [SedaBusModule.forRoot(options)], providers });

describe('R9.4: a scoped handler that cannot be made', () => {
  const boom = new Error('no connection');
  const failing = (times: number) => {
    let made = 0;
    @Injectable({ scope: Scope.REQUEST })
    class Connection {
      constructor() {
        if (made++ < times) throw boom;
      }
    }
    const handled: unknown[] = [];
    @Injectable()
    class Orders {
      constructor(readonly connection: Connection) {}
      @Stage('orders', { maxAttempts: 3 })
      handle(envelope: Envelope): void {
        handled.push(envelope.content());
      }
    }
    return { providers: [Orders, Connection], handled };
  };

  test('nacks with the error of its dependency, attempt by attempt', async () => {
    const { providers, handled } = failing(Infinity);
    const { bus } = await start({}, providers);
    const outcome = await bus.publishAndWait(makeEnvelope('orders'));
    expect(outcome).toMatchObject({ status: 'dead-lettered', reason: 'max-attempts' });
    expect((outcome as { error?: Error }).error).toBe(boom);
    expect(bus.stats()['orders']).toMatchObject({ nacked: 3, deadLettered: 1 });
    expect(handled).toEqual([]);
  });

  test('is called by the attempt that succeeds in making it', async () => {
    const { providers, handled } = failing(2);
    const { bus } = await start({}, providers);
    await publish(bus, 'orders', 2);
    expect(handled).toEqual([0, 1]);
    expect(bus.stats()['orders']).toMatchObject({ delivered: 2, nacked: 2 });
  });
});

test('R4.4: an attempt that timed out while its provider was made does not reach the handler', async () => {
  const clock = new ManualClock();
  const gate = openAfterwards(new Gate());
  const handled: number[] = [];
  @Injectable()
  class Orders {
    constructor(@Inject('CONNECTION') readonly connection: unknown) {}
    @Stage('orders', { timeoutMs: 100, maxAttempts: 2 })
    handle(_: Envelope, { number }: Attempt): void {
      handled.push(number);
    }
  }
  const connection = { provide: 'CONNECTION', scope: Scope.REQUEST, useFactory: () => gate.opened };
  const { bus } = await start({ clock }, [Orders, connection]);
  await bus.publish(makeEnvelope('orders'));
  await turn();
  await clock.advance(100);
  expect(bus.stats()['orders']).toMatchObject({ nacked: 1, inFlight: 1 });
  gate.open();
  await bus.idle();
  expect(handled).toEqual([2]);
});

describe('R7.6: a scoped @DeadLetter handler', () => {
  test.each([
    [false, 0],
    [true, 1],
  ])('with keep: %s leaves %d', async (keep, left) => {
    const informed: unknown[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class Parked {
      constructor(@Inject(ENVELOPE) private readonly envelope: Envelope) {}
      @DeadLetter('orders', { keep })
      inform(): void {
        informed.push(this.envelope.headers[DEAD_LETTER_HEADERS.source]);
      }
    }
    const { bus } = await start({ stages: { orders: {} } }, [Parked]);
    await publish(bus, 'orders');
    await bus.idle();
    expect(informed).toEqual(['orders']);
    expect((await bus.deadLetters('orders').list()).items).toHaveLength(left);
  });
});

describe('durable providers', () => {
  const parents = new Map<unknown, ContextId>();
  const resolver = (contextId: ContextId, { envelope }: AttemptRequest) => {
    const tenant = envelope.headers['tenant'];
    const parent = parents.get(tenant) ?? { id: parents.size };
    parents.set(tenant, parent);
    const resolve: ContextIdResolverFn = ({ isTreeDurable }) => (isTreeDurable ? parent : contextId);
    return { resolve, payload: { tenant } };
  };
  const before = (ContextIdFactory as unknown as { strategy: ContextIdStrategy }).strategy;
  beforeEach(() => parents.clear());
  beforeEach(() => ContextIdFactory.apply({ attach: resolver }));
  afterEach(() => ContextIdFactory.apply(before));

  test('R9.4: are made once for each parent context, with the payload of the strategy as their request', async () => {
    const made: unknown[] = [];
    const used: unknown[] = [];
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Pool {
      constructor(@Inject(REQUEST) readonly request: { tenant: string }) {
        made.push(request.tenant);
      }
    }
    @Injectable()
    class Durable {
      constructor(readonly pool: Pool) {}
      @Stage('orders')
      handle(envelope: Envelope): void {
        used.push([envelope.content(), this.pool.request]);
      }
    }
    const { bus } = await start({}, [Durable, Pool]);
    for (const [payload, tenant] of ['a', 'b', 'a'].entries())
      await bus.publish(makeEnvelope('orders', payload, { headers: { tenant } }));
    await bus.idle();
    expect(made).toEqual(['a', 'b']);
    expect(used).toEqual([
      [0, { tenant: 'a' }],
      [1, { tenant: 'b' }],
      [2, { tenant: 'a' }],
    ]);
  });

  test('R9.4: know nothing of the envelope they are made with, if the strategy has no payload', async () => {
    ContextIdFactory.apply({ attach: (contextId, request: AttemptRequest) => resolver(contextId, request).resolve });
    const seen: unknown[] = [];
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Durable {
      constructor(
        @Inject(REQUEST) private readonly request: unknown,
        @Inject(ENVELOPE) private readonly envelope: unknown,
      ) {}
      @Stage('orders')
      handle(): void {
        seen.push([this.request, this.envelope]);
      }
    }
    const { bus } = await start({}, [Durable]);
    await publish(bus, 'orders', 2);
    expect(seen).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test('R9.4: lend their payload to the request of a handler that is not durable', async () => {
    const seen: unknown[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class Orders {
      constructor(@Inject(REQUEST) private readonly request: AttemptRequest & { tenant: string }) {}
      @Stage('orders')
      handle(envelope: Envelope): void {
        seen.push(this.request.tenant, this.request.envelope === envelope);
      }
    }
    const { bus } = await start({}, [Orders]);
    await bus.publish(makeEnvelope('orders', 1, { headers: { tenant: 'c' } }));
    await bus.idle();
    expect(seen).toEqual(['c', true]);
  });
});

test('ENVELOPE is undefined in a provider that is made for an HTTP request', async () => {
  @Controller()
  class Page {
    constructor(@Inject(ENVELOPE) private readonly envelope: unknown) {}
    @Get()
    show(): string {
      return String(this.envelope);
    }
  }
  const module = await Test.createTestingModule({ imports: [SedaBusModule.forRoot()], controllers: [Page] }).compile();
  const app = closeAfterwards(module.createNestApplication({ logger: false }));
  await app.init();
  await http(app.getHttpServer()).get('/').expect(200, 'undefined');
});

test('N10: after close a kept reference is refused, reason closed, and no handler is made or called', async () => {
  let made = 0;
  let handled = 0;
  @Injectable({ scope: Scope.REQUEST })
  class Orders {
    constructor() {
      made++;
    }
    @Stage('orders')
    handle(): void {
      handled++;
    }
  }
  const { app, bus } = await start({}, [Orders]);
  const reasons: string[] = [];
  bus.on('dropped', ({ reason }) => reasons.push(reason));
  await publish(bus, 'orders', 2);
  await app.close();
  expect(await bus.publish(makeEnvelope('orders'))).toBe(false);
  expect({ made, handled, reasons }).toEqual({ made: 2, handled: 2, reasons: ['closed'] });
  expect(bus.stats()['orders']).toMatchObject({ dropped: 1, delivered: 2, inFlight: 0, depth: 0 });
});
