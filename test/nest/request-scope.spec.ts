import { Controller, Inject, Injectable, Module, type ModuleMetadata, Scope, type Type } from '@nestjs/common';
import { ContextIdFactory, ModuleRef, REQUEST } from '@nestjs/core';
import { type Attempt, Delivery, type Envelope, makeEnvelope } from '#engine';
import { ATTEMPT, AttemptRequest, ENVELOPE, type SedaBusModuleOptions, SedaBusModule, Stage } from '../../src/index.js';
import { boot } from './support/boot.js';
import { publish } from './support/publish.js';

const start = (options: SedaBusModuleOptions, metadata: ModuleMetadata) =>
  boot({ ...metadata, imports: [SedaBusModule.forRoot(options), ...(metadata.imports ?? [])] });

/** A handler's class of its own, and what its instances saw. */
function ordersOf(scope: Scope = Scope.REQUEST) {
  const seen: { instance: object; number: number; envelope: Envelope }[] = [];
  @Injectable({ scope })
  class Orders {
    @Stage('orders', { maxAttempts: 2 })
    handle(envelope: Envelope, { number }: Attempt): boolean {
      seen.push({ instance: this, number, envelope });
      return number === 2;
    }
  }
  return { Orders, seen };
}

describe('R9.4: a handler whose provider is not static', () => {
  test.each([
    ['request-scoped', Scope.REQUEST],
    ['transient', Scope.TRANSIENT],
  ])('has a fresh instance for each attempt, retries included, if it is %s', async (_, scope) => {
    const { Orders, seen } = ordersOf(scope);
    const { bus } = await start({}, { providers: [Orders] });
    await publish(bus, 'orders', 2);
    expect(seen.map(({ number }) => number)).toEqual([1, 2, 1, 2]);
    expect(new Set(seen.map(({ instance }) => instance)).size).toBe(4);
    expect(seen.every(({ instance }) => instance instanceof Orders)).toBe(true);
    expect(bus.stats()['orders']).toMatchObject({ delivered: 2, nacked: 2 });
  });

  test('is made with the envelope, the attempt and the request of both', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class Context {
      constructor(
        @Inject(ENVELOPE) readonly envelope: Envelope,
        @Inject(ATTEMPT) readonly attempt: Attempt,
        @Inject(REQUEST) readonly request: AttemptRequest,
      ) {}
    }
    @Injectable()
    class Orders {
      constructor(private readonly context: Context) {}
      @Stage('orders')
      handle(envelope: Envelope, attempt: Attempt): void {
        const { context } = this;
        seen.push(
          context.envelope === envelope,
          context.attempt === attempt,
          context.request instanceof AttemptRequest,
        );
        seen.push(context.request.envelope === envelope, context.request.attempt === attempt);
      }
    }
    const { bus } = await start({}, { providers: [Orders, Context] });
    await publish(bus, 'orders');
    expect(seen).toEqual([true, true, true, true, true]);
  });

  test('shares its context with what is resolved for its request', async () => {
    const same: boolean[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class UnitOfWork {}
    @Injectable()
    class Orders {
      constructor(
        private readonly work: UnitOfWork,
        @Inject(REQUEST) private readonly request: AttemptRequest,
        private readonly moduleRef: ModuleRef,
      ) {}
      @Stage('orders')
      async handle(): Promise<void> {
        const contextId = ContextIdFactory.getByRequest(this.request);
        same.push((await this.moduleRef.resolve(UnitOfWork, contextId)) === this.work);
      }
    }
    const { bus } = await start({}, { providers: [Orders, UnitOfWork] });
    await publish(bus, 'orders');
    expect(same).toEqual([true]);
  });
});

describe('R9.4: a scoped handler is found', () => {
  const byClass = ({ Orders }: { Orders: Type }) => ({ providers: [Orders] });
  const byToken = ({ Orders }: { Orders: Type }) => ({ providers: [{ provide: 'ORDERS', useClass: Orders }] });
  const byFactory = ({ Orders }: { Orders: Type }) => ({
    providers: [{ provide: Orders, scope: Scope.REQUEST, useFactory: () => new Orders() }],
  });
  const byFactoryOfTransients = ({ Orders }: { Orders: Type }) => ({
    providers: [{ provide: Orders, scope: Scope.TRANSIENT, useFactory: () => new Orders() }],
  });
  const controller = ({ Orders }: { Orders: Type }) => {
    Controller({ scope: Scope.REQUEST })(Orders);
    return { controllers: [Orders] };
  };
  const withAlias = ({ Orders }: { Orders: Type }) => ({
    providers: [Orders, { provide: class Other extends Orders {}, useExisting: Orders }],
  });

  test.each([
    ['by its class', byClass],
    ['by a token', byToken],
    ['by a factory whose token is its class', byFactory],
    ['by such a factory of transients', byFactoryOfTransients],
    ['as a controller', controller],
    ['once, with an alias', withAlias],
  ])('%s', async (_, metadataOf) => {
    const orders = ordersOf();
    const { bus, log } = await start({}, metadataOf(orders));
    await publish(bus, 'orders');
    expect(log.ofBus('log')).toContainEqual(expect.stringMatching(/ 1 handler\(s\)$/));
    expect(orders.seen).toHaveLength(2);
    expect(orders.seen[0]?.instance).toBeInstanceOf(orders.Orders);
    expect(orders.seen[0]?.instance).not.toBe(orders.seen[1]?.instance);
  });

  test('in its own module, though another has the token, too', async () => {
    const seen: string[] = [];
    const moduleFor = (name: string): Type => {
      @Injectable({ scope: Scope.REQUEST })
      class Handler {
        constructor(@Inject('NAME') private readonly home: string) {}
        @Stage(name)
        handle(): void {
          seen.push(`${name} in ${this.home}`);
        }
      }
      const providers = [
        { provide: 'HANDLER', useClass: Handler },
        { provide: 'NAME', scope: Scope.REQUEST, useFactory: () => name },
      ];
      @Module({ providers })
      class Home {}
      return Home;
    };
    const { bus } = await start({}, { imports: [moduleFor('left'), moduleFor('right')] });
    for (const stage of ['left', 'right', 'left']) await publish(bus, stage);
    expect(seen).toEqual(['left in left', 'right in right', 'left in left']);
  });
});

test('R9.4, R4.2: each consumer of a published envelope has an instance of its own, made with its own copy', async () => {
  const seen: { instance: object; own: boolean; envelope: Envelope }[] = [];
  @Injectable({ scope: Scope.REQUEST })
  class Listener {
    constructor(@Inject(ENVELOPE) private readonly envelope: Envelope) {}
    @Stage('news', { delivery: Delivery.PubSub })
    first(envelope: Envelope): void {
      seen.push({ instance: this, own: envelope === this.envelope, envelope });
    }
    @Stage('news', { delivery: Delivery.PubSub })
    second(envelope: Envelope): void {
      seen.push({ instance: this, own: envelope === this.envelope, envelope });
    }
  }
  const { bus } = await start({}, { providers: [Listener] });
  await bus.publish(makeEnvelope('news', 1));
  await bus.idle();
  expect(seen.map(({ own }) => own)).toEqual([true, true]);
  expect(new Set(seen.map(({ instance }) => instance)).size).toBe(2);
  expect(new Set(seen.map(({ envelope }) => envelope)).size).toBe(2);
});
