import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  ParseIntPipe,
  type PipeTransform,
  Scope,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { type Attempt, DEAD_LETTER_HEADERS, type Envelope, makeEnvelope } from '#engine';
import { ATTEMPT, DeadLetter, ENVELOPE, Headers, Payload, Stage } from '../../src/index.js';
import { enhanced } from './support/enhanced.js';
import { publish } from './support/publish.js';

const seen: unknown[] = [];
beforeEach(() => void seen.splice(0));

/** A guard that says in which module it is. */
@Injectable()
class WhereGuard implements CanActivate {
  constructor(@Inject('NAME') private readonly name: string) {}
  canActivate(): boolean {
    seen.push(`guard of ${this.name}`);
    return true;
  }
}

const named = (name: string) => ({ provide: 'NAME', useValue: name });

/** A guarded handler, a class for each test. */
function ordersOf(guard: Type<CanActivate> | CanActivate = WhereGuard, scope = Scope.DEFAULT, stage = 'orders') {
  @Injectable({ scope })
  @UseGuards(guard)
  class Orders {
    @Stage(stage)
    handle(@Payload() payload: unknown): void {
      seen.push(payload);
    }
  }
  return Orders;
}

describe('R9.8: enhancers that are classes are those of the module of the handler', () => {
  const places: [string, (orders: Type) => ModuleMetadata][] = [
    ['by its class', (orders) => ({ providers: [orders] })],
    ['by a token', (orders) => ({ providers: [{ provide: 'ORDERS', useClass: orders }] })],
    [
      'as a controller',
      (orders) => {
        Controller()(orders);
        return { controllers: [orders] };
      },
    ],
  ];
  const scopes: [string, Scope][] = [
    ['', Scope.DEFAULT],
    [', request-scoped', Scope.REQUEST],
  ];

  test.each(
    places.flatMap(([how, metadata]) => scopes.map(([which, scope]) => [how + which, metadata, scope] as const)),
  )('with a provider %s', async (_, metadataOf, scope) => {
    const { providers = [], controllers = [] } = metadataOf(ordersOf(WhereGuard, scope));
    const { bus } = await enhanced({ providers: [...providers, named('home')], controllers });
    await publish(bus, 'orders');
    expect(seen).toEqual(['guard of home', 0]);
  });

  test('though another module has a guard, and a token, of the same name', async () => {
    const moduleFor = (name: string): Type => {
      const orders = ordersOf(WhereGuard, Scope.DEFAULT, name);
      @Module({ providers: [{ provide: 'ORDERS', useClass: orders }, named(name)] })
      class Home {}
      return Home;
    };
    const { bus } = await enhanced({ imports: [moduleFor('left'), moduleFor('right')] });
    await publish(bus, 'right');
    await publish(bus, 'left');
    expect(seen).toEqual(['guard of right', 0, 'guard of left', 0]);
  });

  test('and two classes of one name are told apart', async () => {
    const { bus } = await enhanced({
      providers: [
        ordersOf(WhereGuard, Scope.DEFAULT, 'one'),
        ordersOf(WhereGuard, Scope.DEFAULT, 'two'),
        named('home'),
      ],
    });
    await publish(bus, 'two');
    await publish(bus, 'one');
    expect(seen).toEqual(['guard of home', 0, 'guard of home', 0]);
  });
});

describe('R9.4, R9.8: scoped enhancers', () => {
  const made: object[] = [];
  beforeEach(() => void made.splice(0));

  @Injectable({ scope: Scope.REQUEST })
  class PerAttempt implements CanActivate, PipeTransform {
    constructor(
      @Inject(ENVELOPE) private readonly envelope: Envelope,
      @Inject(ATTEMPT) private readonly attempt: Attempt,
    ) {
      made.push(this);
    }
    canActivate(context: ExecutionContext): boolean {
      const [envelope, attempt] = context.getArgs<[Envelope, Attempt]>();
      return this.envelope === envelope && this.attempt === attempt;
    }
    transform(value: unknown): unknown {
      return `${String(value)} of ${String(this.envelope.content())}`;
    }
  }

  test.each([
    ['a singleton', Scope.DEFAULT],
    ['request-scoped', Scope.REQUEST],
    ['transient', Scope.TRANSIENT],
  ])('are made for each attempt of a handler that is %s', async (_, scope) => {
    const { bus } = await enhanced({ providers: [ordersOf(PerAttempt, scope)] });
    await publish(bus, 'orders', 2);
    expect(seen).toEqual([0, 1]);
    expect(new Set(made).size).toBe(2);
  });

  test('as pipes of parameters, too', async () => {
    @Injectable()
    class Orders {
      @Stage('orders')
      handle(@Headers('region', PerAttempt) region: string): void {
        seen.push(region);
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    await bus.publishAndWait(makeEnvelope('orders', 1, { headers: { region: 'eu' } }));
    expect(seen).toEqual(['eu of 1']);
    expect(made).toHaveLength(1);
  });

  test('a transient one is made for its handler, with its dependencies', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class PerHandler implements CanActivate {
      constructor(@Inject('NAME') private readonly name: string) {
        made.push(this);
      }
      canActivate(): boolean {
        seen.push(`guard of ${this.name}`);
        return true;
      }
    }
    const { bus } = await enhanced({ providers: [ordersOf(PerHandler), named('home')] });
    await publish(bus, 'orders', 2);
    expect(seen).toEqual(['guard of home', 0, 'guard of home', 1]);
  });

  test('one that cannot be made nacks with its error', async () => {
    const boom = new Error('no connection');
    @Injectable({ scope: Scope.REQUEST })
    class Broken implements CanActivate {
      constructor() {
        throw boom;
      }
      canActivate(): boolean {
        return true;
      }
    }
    const { bus } = await enhanced({ providers: [ordersOf(Broken)] });
    const outcome = await bus.publishAndWait(makeEnvelope('orders'));
    expect(outcome).toMatchObject({ status: 'dead-lettered', error: boom });
    expect(seen).toEqual([]);
  });
});

describe('R9.8: an enhancer that Nest would leave out fails the boot', () => {
  const failing = async (metadata: ModuleMetadata) =>
    enhanced(metadata).then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );

  test('as a class on what a factory makes; as an instance it is all right', async () => {
    const Orders = ordersOf();
    const error = await failing({ providers: [{ provide: 'X', useFactory: () => new Orders() }, named('home')] });
    expect(error).toMatchObject({ code: 'SEDA_ENHANCER_NOT_MADE' });
    expect(error?.message).toMatch(
      /^WhereGuard on the handler Orders.handle of stage 'orders' would never run: .* \(as 'X'\)\. Give it as an instance \(new WhereGuard\(\)\), or provide Orders by its class\.$/,
    );
    const Open = ordersOf({ canActivate: () => true });
    const { bus } = await enhanced({ providers: [{ provide: 'X', useFactory: () => new Open() }] });
    await publish(bus, 'orders');
    expect(seen).toEqual([0]);
  });

  test.each([
    ['request-scoped', Scope.REQUEST],
    ['transient', Scope.TRANSIENT],
  ])('%s, on what a factory makes, though another provider of the module has it, too', async (_, which) => {
    @Injectable({ scope: which })
    class PerAttempt implements CanActivate {
      canActivate = () => true;
    }
    const Orders = ordersOf(PerAttempt);
    const useFactory = () => new Orders();
    const other = ordersOf(PerAttempt, Scope.DEFAULT, 'other');
    for (const scope of [Scope.DEFAULT, Scope.REQUEST]) {
      const error = await failing({ providers: [{ provide: Orders, useFactory, scope }, other] });
      expect(error).toMatchObject({ code: 'SEDA_ENHANCER_NOT_MADE' });
    }
  });

  test('as a class on a parameter', async () => {
    @Injectable()
    class Orders {
      @Stage('orders')
      handle(@Payload(ParseIntPipe) payload: number): void {
        seen.push(payload);
      }
    }
    const error = await failing({ providers: [{ provide: 'X', useFactory: () => new Orders() }] });
    expect(error).toMatchObject({ code: 'SEDA_ENHANCER_NOT_MADE', message: expect.stringMatching(/^ParseIntPipe on/) });
  });

  test('on the parameters of a method whose name is a symbol; around it they work', async () => {
    const price = Symbol('price');
    class Orders {
      @Stage('orders')
      [price](@Payload() payload: unknown): void {
        seen.push(payload);
      }
    }
    expect(await failing({ providers: [Orders] })).toMatchObject({
      code: 'SEDA_ENHANCER_NOT_MADE',
      message: expect.stringContaining('Name the method with a text'),
    });
    class Guarded {
      @Stage('orders')
      @UseGuards({ canActivate: () => true })
      [price](envelope: Envelope): void {
        seen.push(envelope.content());
      }
    }
    const { bus } = await enhanced({ providers: [Guarded] });
    await publish(bus, 'orders');
    expect(seen).toEqual([0]);
  });
});

test.each([Scope.DEFAULT, Scope.REQUEST])(
  'R7.6, R9.8: enhancers of a @DeadLetter handler, scope %d: what the guard refuses stays parked',
  async (scope) => {
    const tenants = (context: ExecutionContext) => context.getArgByIndex<Envelope>(0).headers['tenant'] === 'mine';
    @Injectable({ scope })
    @UseGuards({ canActivate: tenants })
    class Parked {
      @DeadLetter('orders')
      inform(@Payload() payload: unknown, @Headers(DEAD_LETTER_HEADERS.source) source: string): void {
        seen.push([payload, source]);
      }
    }
    const { bus } = await enhanced({ providers: [Parked] }, { stages: { orders: {} } });
    for (const [payload, tenant] of ['mine', 'yours'].entries())
      await bus.publish(makeEnvelope('orders', payload, { headers: { tenant } }));
    await bus.idle();
    expect(seen).toEqual([[0, 'orders']]);
    expect((await bus.deadLetters('orders').list()).items.map(({ envelope }) => envelope.content())).toEqual([1]);
  },
);
