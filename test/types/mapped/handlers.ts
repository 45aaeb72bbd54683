import { applyDecorators } from '@nestjs/common';
import {
  type Attempt,
  DeadLetter,
  type Envelope,
  type EnvelopeFor,
  type EnvelopeShape,
  Headers,
  InjectStage,
  Payload,
  type PayloadOf,
  Stage,
  type StageRef,
} from '@resolvingarchitecture/nestjs-seda-bus';
import { computed } from '../things.js';

const Composed = (name: string): MethodDecorator => applyDecorators(Stage(name), DeadLetter('orders.price'));

/** What a handler of a stage may take. */
export class Accepted {
  constructor(@InjectStage('orders.ship') readonly ship: StageRef<'orders.ship'>) {}

  @InjectStage(computed)
  readonly other!: StageRef;

  @Stage('orders.price', { capacity: 1 })
  async own(order: EnvelopeFor<'orders.price'>, attempt: Attempt): Promise<string | undefined> {
    return order.content()?.sku.repeat(attempt.number);
  }

  @Stage('orders.price')
  plain(order: Envelope): unknown {
    return order.content();
  }

  @Stage('orders.price')
  shape(order: EnvelopeShape): string {
    return order.id;
  }

  @Stage('orders.price')
  nothing(): void {}

  @Stage('orders.price')
  @Stage('orders.ship')
  both(envelope: EnvelopeFor<'orders.price' | 'orders.ship'>): unknown {
    return envelope.content();
  }

  @Stage('orders.price')
  payload(@Payload() order: PayloadOf<'orders.price'>, @Headers('tenant') tenant: string): string {
    return tenant + order.sku;
  }

  @Stage('orders.price')
  anything(order: any, attempt?: unknown): unknown[] {
    return [order, attempt];
  }

  @Stage()
  @Stage({ capacity: 1 })
  @Stage(computed)
  @DeadLetter(computed)
  @Composed('orders.price')
  unchecked(envelope: EnvelopeFor<'orders.ship'>): unknown {
    return envelope.content();
  }

  @DeadLetter('orders.ship', { keep: true })
  parked(shipment: EnvelopeFor<'orders.ship'>): string | undefined {
    return shipment.content()?.address;
  }
}

/** What it may not. */
export class Refused {
  // @ts-expect-error: envelopes of another stage
  @Stage('orders.price')
  other(shipment: EnvelopeFor<'orders.ship'>): unknown {
    return shipment.content();
  }

  // @ts-expect-error: envelopes of another stage
  @Stage('orders.price', { capacity: 1 })
  optional(shipment?: EnvelopeFor<'orders.ship'>, attempt?: Attempt): unknown[] {
    return [shipment, attempt];
  }

  // @ts-expect-error: whatever 'audit' carries, nobody says it is a shipment
  @Stage('audit')
  unsaid(shipment: EnvelopeFor<'orders.ship'>): unknown {
    return shipment.content();
  }

  // @ts-expect-error: dead letters of another stage
  @DeadLetter('orders.price')
  parked(shipment: EnvelopeFor<'orders.ship'>): unknown {
    return shipment.content();
  }

  // @ts-expect-error: no such stage
  @Stage('orders.prise')
  misspelt(): void {}

  // @ts-expect-error: no such stage
  @DeadLetter('orders.prise')
  misspeltSource(): void {}

  // @ts-expect-error: no such stage
  @InjectStage('orders.prise')
  readonly misspeltRef!: StageRef;
}
