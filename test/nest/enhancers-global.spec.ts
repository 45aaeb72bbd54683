import {
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  type Provider,
  Scope,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { type Envelope, SedaBus, makeEnvelope } from '#engine';
import { ENVELOPE, Payload, type SedaBusModuleOptions, SedaBusModule, Stage, isSedaContext } from '../../src/index.js';
import { closeAfterwards } from './support/boot.js';
import { enhanced } from './support/enhanced.js';
import { publish } from './support/publish.js';

const seen: unknown[] = [];
beforeEach(() => void seen.splice(0));

class Wrong extends Error {}

@Injectable()
class Plain {
  @Stage('plain')
  handle(envelope: Envelope): boolean {
    seen.push(envelope.content());
    if (envelope.content() === 'wrong') throw new Wrong();
    return true;
  }
  @Stage('decorated')
  decorated(@Payload() payload: unknown): void {
    seen.push(payload);
  }
}

/** One of each kind, which say what they do. */
function enhancersOf(scope: Scope) {
  const note = (what: string, context: ExecutionContext) => seen.push(isSedaContext(context) ? what : `HTTP ${what}`);
  @Injectable({ scope })
  class Guard implements CanActivate {
    canActivate = (context: ExecutionContext) => !!note('guard', context);
  }
  @Injectable({ scope })
  class Interceptor implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler) {
      note('interceptor', context);
      return next.handle();
    }
  }
  @Injectable({ scope })
  class Pipe implements PipeTransform {
    transform = (value: unknown) => `<${String(value)}>`;
  }
  @Injectable({ scope })
  @Catch(Wrong)
  class Filter implements ExceptionFilter {
    catch = () => seen.push('filter') > 0;
  }
  const of = (
    provide: string,
    useClass: typeof Guard | typeof Interceptor | typeof Pipe | typeof Filter,
  ): Provider => ({
    provide,
    useClass,
  });
  return [of(APP_GUARD, Guard), of(APP_INTERCEPTOR, Interceptor), of(APP_PIPE, Pipe), of(APP_FILTER, Filter)];
}

const scopes = [
  ['singletons', Scope.DEFAULT],
  ['request-scoped', Scope.REQUEST],
  ['transient', Scope.TRANSIENT],
] as const;

describe.each(scopes)('N17: enhancers of the whole application, %s', (_, scope) => {
  const run = async (enhancers: NonNullable<SedaBusModuleOptions['enhancers']>, handlers = [Plain]) => {
    const { bus } = await enhanced({ providers: [...handlers, ...enhancersOf(scope)] }, { enhancers });
    for (const stage of ['plain', 'decorated']) await publish(bus, stage);
    return bus.publishAndWait(makeEnvelope('plain', 'wrong'));
  };

  test.each([[false], [true], [{ global: false }], [{}]])('do not apply with enhancers: %j', async (enhancers) => {
    const outcome = await run(enhancers);
    const second = enhancers === false ? expect.objectContaining({ headers: expect.anything() }) : 0;
    expect(seen).toEqual([0, second, 'wrong']);
    expect(outcome).toMatchObject({ status: 'dead-lettered' });
  });

  test('apply to every handler with enhancers: { global: true }', async () => {
    const outcome = await run({ global: true });
    const around = ['guard', 'interceptor'];
    expect(seen).toEqual([...around, 0, ...around, '<0>', ...around, 'wrong', 'filter']);
    expect(outcome).toMatchObject({ status: 'completed' });
  });

  test('apply to request-scoped handlers, too', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped extends Plain {}
    await run({ global: true }, [Scoped]);
    expect(seen.filter((each) => each === 'guard')).toHaveLength(3);
    expect(seen).toContain('<0>');
  });
});

describe('N17: with HTTP beside', () => {
  @Injectable()
  class HttpOnly implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler) {
      seen.push(`interceptor: ${context.switchToHttp().getRequest<{ url: string }>().url}`);
      return next.handle();
    }
  }
  @Controller()
  class Page {
    @Get('page')
    show(): string {
      return 'page';
    }
    @Stage('pages')
    index(@Payload() payload: unknown): void {
      seen.push(payload);
    }
  }

  test('a global HTTP interceptor applies to routes and not to stages', async () => {
    const imports = [SedaBusModule.forRoot({ enhancers: true })];
    const module = await Test.createTestingModule({ imports, controllers: [Page] }).compile();
    const app = closeAfterwards(module.createNestApplication({ logger: false }));
    app.useGlobalInterceptors(new HttpOnly());
    await app.init();
    await request(app.getHttpServer()).get('/page').expect(200, 'page');
    await publish(app.get(SedaBus), 'pages');
    expect(seen).toEqual(['interceptor: /page', 0]);
  });

  test('what app.useGlobalGuards registers before init() applies with { global: true }', async () => {
    const imports = [SedaBusModule.forRoot({ enhancers: { global: true } })];
    const module = await Test.createTestingModule({ imports, controllers: [Page] }).compile();
    const app = closeAfterwards(module.createNestApplication({ logger: false }));
    app.useGlobalGuards({ canActivate: (context: ExecutionContext) => !isSedaContext(context) });
    await app.init();
    await request(app.getHttpServer()).get('/page').expect(200);
    const outcome = await app.get(SedaBus).publishAndWait(makeEnvelope('pages'));
    expect(outcome).toMatchObject({ status: 'dead-lettered', reason: 'forbidden' });
  });
});

test('R9.4, N17: a scoped enhancer of the whole application is made with the envelope of the attempt', async () => {
  @Injectable({ scope: Scope.REQUEST })
  class Tenants implements CanActivate {
    constructor(@Inject(ENVELOPE) private readonly envelope: Envelope) {}
    canActivate(): boolean {
      return this.envelope.content() === 1;
    }
  }
  const providers = [Plain, { provide: APP_GUARD, useClass: Tenants }];
  const { bus } = await enhanced({ providers }, { enhancers: { global: true } });
  await publish(bus, 'plain', 2);
  expect(seen).toEqual([1]);
  expect(bus.stats()['plain']).toMatchObject({ delivered: 1, deadLettered: 1 });
});
