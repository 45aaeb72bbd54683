import { jest } from '@jest/globals';
import { Controller, Get, Injectable, type Provider } from '@nestjs/common';
import request from 'supertest';
import { SedaBusModule, Stage } from '../../src/index.js';
import { boot, closeAfterwards, compile } from './support/boot.js';
import { publish } from './support/publish.js';

@Injectable()
class Orders {
  handled = 0;

  @Stage('orders')
  handle(): void {
    this.handled++;
  }
}

@Injectable()
class Dependency {
  readonly name = 'dependency';
}

@Injectable()
class Dependent {
  readonly seen: string[] = [];

  constructor(private readonly dependency: Dependency) {}

  @Stage('dependent')
  handle(): void {
    this.seen.push(this.dependency.name);
  }
}

const forRoot = () => SedaBusModule.forRoot();

test.each<[string, Provider]>([
  ['useClass', { provide: 'ORDERS', useClass: Orders }],
  ['useFactory', { provide: 'ORDERS', useFactory: () => new Orders() }],
  ['an asynchronous useFactory', { provide: 'ORDERS', useFactory: async () => new Orders() }],
  ['useValue', { provide: 'ORDERS', useValue: new Orders() }],
])('N14, R9.1: a provider registered by %s is found', async (_, provider) => {
  const { app, bus } = await boot({ imports: [forRoot()], providers: [provider] });
  await publish(bus, 'orders');
  expect(app.get<Orders>('ORDERS').handled).toBe(1);
});

test('N14: an application without handlers boots with no stage but the shared dead-letter channel', async () => {
  const { bus } = await boot({ imports: [forRoot()] });
  expect(Object.keys(bus.stats())).toEqual(['dead-letters']);
});

test('N24: a controller handles, and its route still works', async () => {
  @Controller()
  class Web {
    calls = 0;

    @Get('/calls')
    @Stage('web')
    handle(): string {
      return `${++this.calls}`;
    }
  }
  const { app, bus } = await compile({ imports: [forRoot()], controllers: [Web] });
  const http = closeAfterwards(app.createNestApplication());
  await http.init();
  await publish(bus, 'web');
  await request(http.getHttpServer()).get('/calls').expect(200, '2');
});

test('N25: of a class only the decorated method handles', async () => {
  const called: string[] = [];
  @Injectable()
  class Mixed {
    @Stage('mixed')
    decorated(): void {
      called.push('decorated');
    }

    plain(): void {
      called.push('plain');
    }

    private _hidden(): void {
      called.push('hidden');
    }
  }
  const { bus } = await boot({ imports: [forRoot()], providers: [Mixed] });
  await publish(bus, 'mixed', 6);
  expect(called).toEqual(Array.from({ length: 6 }, () => 'decorated'));
});

test('N13: a getter is never touched, and providers that are nothing, or have no prototype, survive', async () => {
  let touched = 0;
  @Injectable()
  class WithGetter extends Orders {
    get boom(): never {
      touched++;
      throw new Error('touched');
    }
  }
  const bare = Object.create(null) as object;
  const nothing = [null, undefined, 0, '', bare].map((useValue, index) => ({ provide: `nothing ${index}`, useValue }));
  const { app, bus } = await boot({ imports: [forRoot()], providers: [WithGetter, ...nothing] });
  await publish(bus, 'orders');
  expect({ touched, handled: app.get(WithGetter).handled }).toEqual({ touched: 0, handled: 1 });
});

describe('N16, R9.9: a handler is called on its provider, as it is then', () => {
  test('with what the provider was injected', async () => {
    const { app, bus } = await boot({ imports: [forRoot()], providers: [Dependency, Dependent] });
    await publish(bus, 'dependent');
    expect(app.get(Dependent).seen).toEqual(['dependency']);
  });

  test('so that a spy set after the boot is called', async () => {
    const { app, bus } = await boot({ imports: [forRoot()], providers: [Dependency, Dependent] });
    const spy = jest.spyOn(app.get(Dependent), 'handle').mockReturnValue(undefined);
    await publish(bus, 'dependent');
    expect(spy).toHaveBeenCalledTimes(1);
    expect(spy.mock.contexts).toEqual([app.get(Dependent)]);
    expect(app.get(Dependent).seen).toEqual([]);
  });
});

test('a stage without a name is called by its class and method', async () => {
  @Injectable()
  class Nameless {
    handled = 0;

    @Stage({ capacity: 7 })
    handle(): void {
      this.handled++;
    }
  }
  const { app, bus } = await boot({ imports: [forRoot()], providers: [Nameless] });
  await publish(bus, 'Nameless.handle');
  expect(app.get(Nameless).handled).toBe(1);
  expect(bus.stats()['Nameless.handle']).toMatchObject({ capacity: 7 });
});

test('a method that is named by a symbol handles', async () => {
  const handle = Symbol('handle');
  @Injectable()
  class Symbolic {
    handled = 0;

    @Stage('symbolic')
    [handle](): void {
      this.handled++;
    }
  }
  const { app, bus } = await boot({ imports: [forRoot()], providers: [Symbolic] });
  await publish(bus, 'symbolic');
  expect(app.get(Symbolic).handled).toBe(1);
});

test('one method may handle two stages', async () => {
  @Injectable()
  class Both {
    handled = 0;

    @Stage('one')
    @Stage('other')
    handle(): void {
      this.handled++;
    }
  }
  const { app, bus } = await boot({ imports: [forRoot()], providers: [Both] });
  await publish(bus, 'one');
  await publish(bus, 'other');
  expect(app.get(Both).handled).toBe(2);
});

describe('inheritance', () => {
  test('an inherited method handles', async () => {
    @Injectable()
    class Special extends Orders {}
    const { app, bus } = await boot({ imports: [forRoot()], providers: [Special] });
    await publish(bus, 'orders');
    expect(app.get(Special).handled).toBe(1);
  });

  test('an overridden method handles if it is decorated itself, and only then', async () => {
    @Injectable()
    class Silent extends Orders {
      override handle(): void {
        this.handled += 100;
      }
    }
    const { bus } = await boot({ imports: [forRoot()], providers: [Silent] });
    expect(Object.keys(bus.stats())).toEqual(['dead-letters']);
  });

  test('two classes that inherit one handler are two consumers', async () => {
    @Injectable()
    class North extends Orders {}
    @Injectable()
    class South extends Orders {}
    const { app, bus } = await boot({ imports: [forRoot()], providers: [North, South] });
    await publish(bus, 'orders', 4);
    expect([app.get(North).handled, app.get(South).handled]).toEqual([2, 2]);
  });
});

test('a decorator above that replaces the method does not lose the handler', async () => {
  const wrapped: MethodDecorator = (_target, _key, descriptor) => {
    const original = descriptor.value as unknown as () => void;
    descriptor.value = function (this: Wrapped) {
      this.order.push('wrapper');
      original.call(this);
    } as never;
  };
  @Injectable()
  class Wrapped {
    readonly order: string[] = [];

    @wrapped
    @Stage('wrapped')
    handle(): void {
      this.order.push('method');
    }
  }
  const { app, bus } = await boot({ imports: [forRoot()], providers: [Wrapped] });
  await publish(bus, 'wrapped');
  expect(app.get(Wrapped).order).toEqual(['wrapper', 'method']);
});

test.each([
  ['a static method', () => Stage('a')(Orders, 'handle', { value: () => undefined })],
  ['an accessor', () => Stage('a')(Orders.prototype, 'handle', { get: () => undefined })],
  ['a property', () => (Stage('a') as PropertyDecorator)(Orders.prototype, 'handle')],
])('decorating %s fails where it is written', (_, decorate) => {
  expect(decorate).toThrow(expect.objectContaining({ code: 'SEDA_HANDLER_NOT_A_METHOD' }));
});
