import { Injectable } from '@nestjs/common';
import { type Attempt, Backpressure, type Envelope, Stage } from '@resolvingarchitecture/nestjs-seda-bus';
import { OrderBook } from './order-book.js';
import { CHARGE, PRICE, SHIP, VALIDATE } from './order.stages.js';
import { orderIn } from './order.js';
import { CardDeclinedError, PaymentProvider } from './payment-provider.js';
import { PriceList } from './price-list.js';

/** An order that was accepted waits for room rather than fail, whatever the payment provider does. */
const HOP_TIMEOUT_MS = 60_000;

/**
 * The way of an order. Its first stage refuses when it is full, which is where the shop says "later" to a customer; the
 * others let the stage before them wait. A stage may see an order twice, so each does the same the second time.
 */
@Injectable()
export class OrderPipeline {
  constructor(
    private readonly book: OrderBook,
    private readonly prices: PriceList,
    private readonly payments: PaymentProvider,
  ) {}

  @Stage(VALIDATE, { backpressure: Backpressure.Reject, hopTimeoutMs: HOP_TIMEOUT_MS })
  validate(envelope: Envelope, attempt: Attempt): void {
    const unknown = orderIn(envelope).items.find(({ sku }) => !this.prices.has(sku));
    if (unknown) attempt.deadLetter(`unknown-sku: ${unknown.sku}`);
    else this.book.record(envelope.id, 'validated');
  }

  @Stage(PRICE, { hopTimeoutMs: HOP_TIMEOUT_MS })
  price(envelope: Envelope): void {
    const order = orderIn(envelope);
    order.total = this.prices.total(order.items);
    this.book.record(envelope.id, 'priced', { total: order.total });
  }

  /** How often, how long and after which pause payments are tried again is set in `bus.options.ts`. */
  @Stage(CHARGE, { concurrency: 16, maxAttempts: 4, hopTimeoutMs: HOP_TIMEOUT_MS })
  async charge(envelope: Envelope, attempt: Attempt): Promise<void> {
    const { card, total = 0 } = orderIn(envelope);
    try {
      await this.payments.charge({ key: envelope.id, card, amount: total }, attempt.signal);
    } catch (error) {
      if (!(error instanceof CardDeclinedError)) throw error;
      attempt.deadLetter('card-declined');
      return;
    }
    this.book.record(envelope.id, 'charged', { attempts: attempt.number });
  }

  @Stage(SHIP)
  ship(envelope: Envelope): void {
    this.book.record(envelope.id, 'shipped');
  }
}
