import { Injectable } from '@nestjs/common';
import { DEAD_LETTER_HEADERS, DeadLetter, type Envelope } from '@resolvingarchitecture/nestjs-seda-bus';
import { OrderBook } from './order-book.js';
import { CHARGE, PRICE, SHIP, VALIDATE } from './order.stages.js';

/** Where an order ends that goes no further: the customer can see why, and it is never shipped. */
@Injectable()
export class OrderFailures {
  constructor(private readonly book: OrderBook) {}

  @DeadLetter(VALIDATE)
  @DeadLetter(PRICE)
  @DeadLetter(CHARGE)
  @DeadLetter(SHIP)
  fail(envelope: Envelope): void {
    const { reason, error, source, attempts } = DEAD_LETTER_HEADERS;
    this.book.record(envelope.id, 'failed', {
      reason: String(envelope.header(reason)),
      ...(envelope.headerExists(error) && { error: String(envelope.header(error)) }),
      ...(envelope.header(source) === CHARGE && { attempts: Number(envelope.header(attempts)) }),
    });
  }
}
