import { type CanActivate, type ExecutionContext, Injectable, UseGuards, ValidationPipe } from '@nestjs/common';
import { IsInt, IsPositive } from 'class-validator';
import {
  type Attempt,
  Ctx,
  type Envelope,
  Headers,
  Payload,
  SedaBusModule,
  Stage,
  makeEnvelope,
} from '../../../src/index.js';
import { boot } from '../support/boot.js';

const priced: unknown[] = [];

// #region guard
@Injectable()
class TenantGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const [envelope] = context.getArgs<[Envelope, Attempt]>();
    return envelope.header('tenant') !== undefined; // false: dead-lettered at once, reason `forbidden`
  }
}
// #endregion

// #region handler
class Order {
  @IsInt()
  @IsPositive()
  quantity!: number;
}

@Injectable()
@UseGuards(TenantGuard)
class Orders {
  @Stage('orders.price', { maxAttempts: 2 })
  price(@Payload(ValidationPipe) order: Order, @Headers('tenant') tenant: string, @Ctx() attempt: Attempt): void {
    priced.push([tenant, order.quantity, attempt.number]);
  }
}
// #endregion

test('R9.8: guards and pipes decide what reaches the handler', async () => {
  // #region module
  const imports = [SedaBusModule.forRoot({ enhancers: true })];
  // #endregion
  const { bus } = await boot({ imports, providers: [Orders] });
  const headers = { tenant: 'acme' };
  const good = await bus.publishAndWait(makeEnvelope('orders.price', { quantity: 2 }, { headers }));
  const invalid = await bus.publishAndWait(makeEnvelope('orders.price', { quantity: 0 }, { headers }));
  const foreign = await bus.publishAndWait(makeEnvelope('orders.price', { quantity: 2 }));
  expect(good).toMatchObject({ status: 'completed' });
  expect(invalid).toMatchObject({ status: 'dead-lettered', reason: 'max-attempts' });
  expect(foreign).toMatchObject({ status: 'dead-lettered', reason: 'forbidden' });
  expect(priced).toEqual([['acme', 2, 1]]);
});
