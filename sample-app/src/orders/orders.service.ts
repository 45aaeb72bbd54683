import { Injectable, Logger, NotFoundException, type OnApplicationShutdown } from '@nestjs/common';
import { InjectStage, makeEnvelope, type StageRef } from '@resolvingarchitecture/nestjs-seda-bus';
import { TryLaterError } from '../http/try-later.error.js';
import { OrderBook, type OrderRecord } from './order-book.js';
import { CHARGE, PRICE, SHIP, VALIDATE } from './order.stages.js';
import type { Order, OrderRequest } from './order.js';

@Injectable()
export class OrdersService implements OnApplicationShutdown {
  private readonly logger = new Logger(OrdersService.name);

  constructor(
    @InjectStage(VALIDATE) private readonly intake: StageRef<Order>,
    private readonly book: OrderBook,
  ) {}

  /**
   * Sends an order on its way; its id is that of the envelope. Resolves when it is accepted: with a store, on disk.
   * @throws TryLaterError when the first stage has no room (as a rejection)
   */
  async place(request: OrderRequest): Promise<OrderRecord> {
    const envelope = makeEnvelope(VALIDATE, { ...request }, { sender: 'http', slip: [PRICE, CHARGE, SHIP] });
    // The first stage may have seen it before its publisher hears that it is on disk.
    const order = this.book.open(envelope.id);
    if (await this.intake.publish(envelope)) return order;
    this.book.close(envelope.id);
    throw new TryLaterError('No room for another order now');
  }

  /** @throws NotFoundException */
  find(id: string): OrderRecord {
    const order = this.book.find(id);
    if (order === undefined) throw new NotFoundException(`There is no order '${id}'`);
    return order;
  }

  /** The bus has drained by now: nothing is open, unless the time was over. */
  onApplicationShutdown(): void {
    const { shipped, failed, open } = this.book.counts();
    this.logger.log(`Orders: ${shipped} shipped, ${failed} failed, ${open} open`);
  }
}
