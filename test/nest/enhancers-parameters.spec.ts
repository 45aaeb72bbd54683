import {
  type ArgumentMetadata,
  type BadRequestException,
  Body,
  Headers as HttpHeaders,
  Injectable,
  ParseIntPipe,
  type PipeTransform,
  Query,
  StandardSchemaValidationPipe,
  UsePipes,
  ValidationPipe,
  createParamDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import { IsInt, Min } from 'class-validator';
import { type Attempt, type Envelope, makeEnvelope } from '#engine';
import { Ctx, EnvelopeParam, Headers, Payload, Stage } from '../../src/index.js';
import { enhanced } from './support/enhanced.js';

const seen: unknown[][] = [];
beforeEach(() => void seen.splice(0));

class Order {
  @IsInt()
  @Min(1)
  quantity!: number;
}

const order = (payload: unknown) => makeEnvelope('orders', payload, { headers: { 'x-tenant': '7', region: 'eu' } });

describe('parameter decorators', () => {
  test('give the payload or a property of it, the headers or one of them, the attempt and the envelope', async () => {
    @Injectable()
    class Orders {
      @Stage('orders')
      handle(
        @Payload() payload: unknown,
        @Payload('quantity') quantity: number,
        @Headers() headers: object,
        @Headers('region') region: string,
        @Headers('toString') none: unknown,
        @Ctx() attempt: Attempt,
        @EnvelopeParam() envelope: Envelope,
      ): void {
        seen.push([payload, quantity, headers, region, none, attempt.number, attempt.stage, envelope]);
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    const envelope = order({ quantity: 3 });
    await bus.publishAndWait(envelope);
    expect(seen).toEqual([[{ quantity: 3 }, 3, envelope.headers, 'eu', undefined, 1, 'orders', envelope]]);
    expect(seen[0]?.[2]).toMatchObject({ 'x-tenant': '7', region: 'eu' });
  });

  test('leave the other parameters what they are: envelope and attempt, which pipes pass by', async () => {
    @Injectable()
    class Orders {
      @Stage('orders')
      @UsePipes(ParseIntPipe)
      handle(envelope: Envelope, attempt: Attempt, @Headers('x-tenant') tenant: number): void {
        seen.push([envelope.content(), attempt.number, tenant]);
      }
      @Stage('more')
      @UsePipes(ParseIntPipe)
      more(@Payload() count: number, attempt: Attempt): void {
        seen.push([count, attempt.number]);
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    await bus.publishAndWait(order('a'));
    await bus.publishAndWait(makeEnvelope('more', '12'));
    expect(seen).toEqual([
      ['a', 1, 7],
      [12, 1],
    ]);
  });

  test('give undefined for a property of a payload that has none', async () => {
    @Injectable()
    class Orders {
      @Stage('orders')
      handle(@Payload('quantity') quantity: unknown): void {
        seen.push([quantity]);
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    for (const payload of [undefined, null, 'text']) await bus.publishAndWait(order(payload));
    expect(seen).toEqual([[undefined], [undefined], [undefined]]);
  });

  test('of Nest and of the application work, too; those of HTTP requests give undefined', async () => {
    const Region = createParamDecorator((_, context: ExecutionContext) => {
      return context.getArgByIndex<Envelope>(0).headers['region'];
    });
    @Injectable()
    class Orders {
      @Stage('orders')
      handle(
        @Body('quantity') quantity: number,
        @HttpHeaders('region') region: string,
        @Region() own: string,
        @Query('page') page: unknown,
      ): void {
        seen.push([quantity, region, own, page]);
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    await bus.publishAndWait(order({ quantity: 1 }));
    expect(seen).toEqual([[1, 'eu', 'eu', undefined]]);
  });

  test('are inherited with the method', async () => {
    class Base {
      @Stage('orders')
      handle(@Payload('quantity') quantity: number): void {
        seen.push([quantity]);
      }
    }
    @Injectable()
    class Orders extends Base {}
    const { bus } = await enhanced({ providers: [Orders] });
    await bus.publishAndWait(order({ quantity: 5 }));
    expect(seen).toEqual([[5]]);
  });
});

describe('pipes', () => {
  test('are given what they need to know of the parameter, and each is applied to what the one before made', async () => {
    const known: ArgumentMetadata[] = [];
    @Injectable()
    class Plus implements PipeTransform {
      transform(value: number, metadata: ArgumentMetadata): number {
        known.push(metadata);
        return value + 1;
      }
    }
    @Injectable()
    class Orders {
      @Stage('orders')
      @UsePipes(ParseIntPipe)
      handle(@Payload('quantity', Plus, new Plus()) quantity: number, @Headers('x-tenant', Plus) tenant: number): void {
        seen.push([quantity, tenant]);
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    await bus.publishAndWait(order({ quantity: '5' }));
    expect(seen).toEqual([[7, 8]]);
    const ofPayload = expect.objectContaining({ type: 'body', metatype: Number, data: 'quantity' });
    const ofHeader = expect.objectContaining({ type: 'custom', metatype: Number, data: 'x-tenant' });
    expect(known).toHaveLength(3);
    expect(known).toEqual(expect.arrayContaining([ofPayload, ofHeader]));
  });

  test('a pipe that throws nacks, the handler is not called, and the envelope keeps its payload', async () => {
    @Injectable()
    class Orders {
      @Stage('orders', { maxAttempts: 2 })
      handle(@Payload('quantity', ParseIntPipe) quantity: number): void {
        seen.push([quantity]);
      }
    }
    const { bus } = await enhanced({ providers: [Orders] });
    const envelope = order({ quantity: 'many' });
    const outcome = await bus.publishAndWait(envelope);
    expect(outcome).toMatchObject({ status: 'dead-lettered', reason: 'max-attempts', error: { status: 400 } });
    expect(bus.stats()['orders']).toMatchObject({ nacked: 2 });
    expect(seen).toEqual([]);
    expect(envelope.content()).toEqual({ quantity: 'many' });
  });
});

describe('a ValidationPipe', () => {
  const payloads = [{ quantity: 2 }, { quantity: 0 }];
  const handled = async (provider: new () => object) => {
    const { bus } = await enhanced({ providers: [provider] });
    const outcomes = [];
    for (const payload of payloads) outcomes.push(await bus.publishAndWait(order(payload)));
    return outcomes;
  };

  test.each([
    ['on the parameter', [], [new ValidationPipe({ transform: true })]],
    ['on the method', [UsePipes(new ValidationPipe({ transform: true }))], []],
    ['on the method, as a class', [UsePipes(ValidationPipe)], []],
  ])('validates the payload against the type of the parameter: %s', async (_, decorators, pipes) => {
    @Injectable()
    class Orders {
      @Stage('orders')
      handle(@Payload(...pipes) payload: Order): void {
        seen.push([payload.quantity]);
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, 'handle') as PropertyDescriptor;
    for (const decorate of decorators) decorate(Orders.prototype, 'handle', descriptor);
    const outcomes = await handled(Orders);
    expect(seen).toEqual([[2]]);
    expect(outcomes).toMatchObject([{ status: 'completed' }, { status: 'dead-lettered', error: { status: 400 } }]);
    expect((outcomes[1] as unknown as { error: BadRequestException }).error.getResponse()).toMatchObject({
      message: ['quantity must not be less than 1'],
    });
  });

  test('with transform hands over an instance of the class', async () => {
    @Injectable()
    class Orders {
      @Stage('orders')
      handle(@Payload(new ValidationPipe({ transform: true })) payload: Order): void {
        seen.push([payload instanceof Order]);
      }
    }
    await handled(Orders);
    expect(seen).toEqual([[true]]);
  });
});

test('a StandardSchemaValidationPipe validates and transforms the payload by its schema', async () => {
  const schema = {
    '~standard': {
      version: 1 as const,
      vendor: 'by hand',
      validate: (value: unknown) =>
        typeof value === 'string' && value !== '' ? { value: value.trim() } : { issues: [{ message: 'no text' }] },
    },
  };
  @Injectable()
  class Orders {
    @Stage('orders')
    @UsePipes(StandardSchemaValidationPipe)
    handle(@Payload({ schema }) text: string): void {
      seen.push([text]);
    }
  }
  const { bus } = await enhanced({ providers: [Orders] });
  const outcomes = [await bus.publishAndWait(order(' one ')), await bus.publishAndWait(order(2))];
  expect(seen).toEqual([['one']]);
  expect(outcomes).toMatchObject([{ status: 'completed' }, { error: { response: { message: ['no text'] } } }]);
});
