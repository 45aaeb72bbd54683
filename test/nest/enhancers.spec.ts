import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { jest } from '@jest/globals';
import { EMPTY, type Observable, defer, map, of, tap } from 'rxjs';
import { type Attempt, type Envelope, makeEnvelope } from '#engine';
import { isSedaContext, Stage } from '../../src/index.js';
import { enhanced } from './support/enhanced.js';
import { publish } from './support/publish.js';

const seen: unknown[] = [];
beforeEach(() => void seen.splice(0));

@Injectable()
class Around implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    seen.push('before');
    return next.handle().pipe(tap((value) => seen.push(['after', value])));
  }
}

@Injectable()
class Closed implements CanActivate {
  canActivate(): boolean {
    seen.push('guard');
    return false;
  }
}

describe('N17: enhancers on a stage', () => {
  test('an interceptor sees before and after, and the handler runs once, with envelope and attempt', async () => {
    @Injectable()
    class Orders {
      @Stage('orders')
      @UseInterceptors(Around)
      handle(envelope: Envelope, attempt: Attempt): string {
        seen.push([envelope.content(), attempt.number]);
        return 'done';
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    await publish(bus, 'orders');
    expect(seen).toEqual(['before', [0, 1], ['after', 'done']]);
    expect(bus.stats()['orders']).toMatchObject({ delivered: 1 });
  });

  test.each([
    ['behind an interceptor', [UseInterceptors(Around)], ['before', 'run', ['after', 1], ['after', 2]]],
    ['without any', [], ['run']],
  ])('an Observable result is awaited %s', async (_, decorators, expected) => {
    @Injectable()
    class Orders {
      handle(): Observable<number> {
        return defer(() => {
          seen.push('run');
          return of(1, 2);
        });
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, 'handle') as PropertyDescriptor;
    for (const decorate of [...decorators, Stage('orders')]) decorate(Orders.prototype, 'handle', descriptor);
    const { bus } = await enhanced({ providers: [Orders] });
    await publish(bus, 'orders');
    expect(seen).toEqual(expected);
    expect(bus.stats()['orders']).toMatchObject({ delivered: 1 });
  });

  test.each([
    ['acks when it ends without a value', EMPTY, { delivered: 1, nacked: 0 }],
    ['acks with its last value', of(false, true), { delivered: 1, nacked: 0 }],
    ['nacks with its last value', of(true, false), { nacked: 1, deadLettered: 1 }],
    ['nacks with its error', defer(() => Promise.reject(new Error('boom'))), { nacked: 1, deadLettered: 1 }],
  ])('an Observable %s', async (_, result, books) => {
    @Injectable()
    class Orders {
      @Stage('orders')
      @UseInterceptors({ intercept: (__: unknown, next: CallHandler) => next.handle() })
      handle(): Observable<unknown> {
        return result;
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    await publish(bus, 'orders');
    expect(bus.stats()['orders']).toMatchObject(books);
  });

  test('what a guard refuses is dead-lettered, reason forbidden, without a retry', async () => {
    @Injectable()
    class Orders {
      @Stage('orders', { maxAttempts: 5 })
      @UseGuards(Closed)
      handle(): void {
        seen.push('handler');
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    const outcome = await bus.publishAndWait(makeEnvelope('orders'));
    expect(outcome).toMatchObject({ status: 'dead-lettered', stage: 'orders', reason: 'forbidden' });
    expect(seen).toEqual(['guard']);
    expect((await bus.deadLetters('orders').list()).items).toMatchObject([{ reason: 'forbidden', attempts: 1 }]);
  });

  test.each([
    ['true', true],
    ['a promise of it', Promise.resolve(true)],
    ['an Observable of it', of(true)],
  ])('a guard lets pass with %s', async (_, answer) => {
    @Injectable()
    class Orders {
      @Stage('orders')
      @UseGuards({ canActivate: () => answer })
      handle(): void {
        seen.push('handler');
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    await publish(bus, 'orders');
    expect(seen).toEqual(['handler']);
  });

  test('a guard that throws nacks as any error does', async () => {
    const denied = new ForbiddenException('not today');
    @Injectable()
    class Orders {
      @Stage('orders', { maxAttempts: 3 })
      @UseGuards({
        canActivate: () => {
          seen.push('guard');
          throw denied;
        },
      })
      handle(): void {}
    }
    const { bus, log } = await enhanced({ providers: [Orders] });
    const outcome = await bus.publishAndWait(makeEnvelope('orders'));
    expect(outcome).toMatchObject({ status: 'dead-lettered', reason: 'max-attempts', error: denied });
    expect(seen).toEqual(['guard', 'guard', 'guard']);
    expect(log.lines.filter(({ level }) => level === 'error').map(({ context }) => context)).toEqual(['SedaBus']);
  });
});

describe('R9.8: a filter that catches the exception decides by its result', () => {
  class Rejected extends Error {}
  const boom = new Rejected('boom');
  const run = async (result: (exception: unknown, host: ArgumentsHost) => unknown, error: Error = boom) => {
    @Catch(Rejected)
    class Filter implements ExceptionFilter {
      catch = result;
    }
    @Injectable()
    class Orders {
      @Stage('orders')
      @UseFilters(new Filter())
      handle(): never {
        throw error;
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    return bus.publishAndWait(makeEnvelope('orders'));
  };

  test.each([
    ['true acks', () => true],
    ['a promise of true acks', () => Promise.resolve(true)],
    ['an Observable of true acks', () => of(true)],
  ])('%s', async (_, result) => {
    expect(await run(result)).toMatchObject({ status: 'completed' });
  });

  test('it is called with the context of the attempt', async () => {
    await run((_, host) => seen.push(isSedaContext(host), host.getArgs().length));
    expect(seen).toEqual([true, 2]);
  });

  test('attempt.deadLetter gives its reason', async () => {
    const bury = (_: unknown, host: ArgumentsHost) => host.getArgByIndex<Attempt>(1).deadLetter('rejected');
    expect(await run(bury)).toMatchObject({ status: 'dead-lettered', reason: 'rejected' });
  });

  test.each([
    ['false nacks', () => false],
    ['an Observable of false nacks', () => of(true, false)],
  ])('%s', async (_, result) => {
    expect(await run(result)).toMatchObject({ status: 'dead-lettered', error: { code: 'SEDA_NACKED' } });
  });

  test.each([
    ['undefined', () => undefined],
    ['a promise of undefined', () => Promise.resolve()],
  ])('%s leaves the error as it is', async (_, result) => {
    expect(await run(result)).toMatchObject({ status: 'dead-lettered', error: boom });
  });

  test('an error of its own takes the place of the one it caught', async () => {
    const worse = new Error('worse');
    const outcome = await run(() => {
      throw worse;
    });
    expect(outcome).toMatchObject({ status: 'dead-lettered', error: worse });
  });

  test('one that is for other exceptions is passed by', async () => {
    const other = new Error('other');
    expect(await run(() => true, other)).toMatchObject({ status: 'dead-lettered', error: other });
  });

  test('what a guard refuses it may let pass', async () => {
    @Injectable()
    class Orders {
      @Stage('orders')
      @UseGuards(Closed)
      @UseFilters({ catch: (exception: unknown) => exception instanceof ForbiddenException })
      handle(): void {}
    }
    const { bus } = await enhanced({ providers: [Orders] });
    expect(await bus.publishAndWait(makeEnvelope('orders'))).toMatchObject({ status: 'completed' });
  });
});

describe('R9.8: the execution context', () => {
  const contexts: ExecutionContext[] = [];
  const Roles = (...roles: string[]) => SetMetadata('roles', roles);
  beforeEach(() => void contexts.splice(0));

  @Injectable()
  class RolesGuard implements CanActivate {
    constructor(private readonly reflector: Reflector) {}
    canActivate(context: ExecutionContext): boolean {
      contexts.push(context);
      seen.push(this.reflector.getAllAndMerge('roles', [context.getHandler(), context.getClass()]));
      return isSedaContext(context);
    }
  }

  @Injectable()
  @Roles('clerk')
  @UseGuards(RolesGuard)
  class Orders {
    @Stage('orders')
    @Roles('admin')
    price(): void {
      seen.push('handler');
    }
  }

  test('is of type seda, has envelope and attempt, and leads to the metadata of method and class', async () => {
    const { bus } = await enhanced({ providers: [Orders] });
    await publish(bus, 'orders');
    const [context] = contexts as [ExecutionContext];
    expect(seen).toEqual([['admin', 'clerk'], 'handler']);
    expect(context.getType<string>()).toBe('seda');
    expect(context.getArgs()).toEqual([
      expect.objectContaining({ id: expect.anything() }),
      expect.objectContaining({ number: 1 }),
    ]);
    expect(context.getClass()).toBe(Orders);
    expect(context.getHandler().name).toBe('price');
  });

  test('R9.9: a spy that takes the place of the method later is called', async () => {
    const { app, bus } = await enhanced({ providers: [Orders] });
    const spy = jest.spyOn(app.get(Orders), 'price').mockImplementation(() => void seen.push('spy'));
    await publish(bus, 'orders');
    expect(spy).toHaveBeenCalledTimes(1);
    expect(seen).toEqual([['admin', 'clerk'], 'spy']);
  });
});

test('R9.8: interceptors see what an interceptor inside maps the result to, and the outermost result counts', async () => {
  @Injectable()
  class Orders {
    @Stage('orders')
    @UseInterceptors(Around, { intercept: (_: unknown, next: CallHandler) => next.handle().pipe(map(() => false)) })
    handle(): boolean {
      return true;
    }
  }
  const { bus } = await enhanced({ providers: [Orders] });
  await publish(bus, 'orders');
  expect(seen).toEqual(['before', ['after', false]]);
  expect(bus.stats()['orders']).toMatchObject({ nacked: 1, deadLettered: 1 });
});
