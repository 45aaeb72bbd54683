import { Injectable } from '@nestjs/common';
import { Settings } from '../settings/settings.js';

export type OrderState = 'accepted' | 'validated' | 'priced' | 'charged' | 'shipped' | 'failed';

/** What is known of an order; `total` in cents. */
export interface OrderRecord {
  readonly id: string;
  readonly state: OrderState;
  readonly total?: number;
  /** How often the payment was tried. */
  readonly attempts?: number;
  /** Why it failed, and the last error that led to it. */
  readonly reason?: string;
  readonly error?: string;
  readonly history: readonly { readonly state: OrderState; readonly at: string }[];
}

export type OrderFacts = Pick<OrderRecord, 'total' | 'attempts' | 'reason' | 'error'>;

export interface OrderCounts {
  readonly open: number;
  readonly shipped: number;
  readonly failed: number;
}

/** The orders by id, in memory. Above its size it forgets the oldest that are finished. */
@Injectable()
export class OrderBook {
  private readonly orders = new Map<string, OrderRecord>();
  private readonly finished = { shipped: 0, failed: 0 };
  private opened = 0;

  constructor(private readonly settings: Settings) {}

  open(id: string): OrderRecord {
    this.opened++;
    const order = this.write({ id, state: 'accepted', history: [] }, 'accepted');
    this.forgetOldest();
    return order;
  }

  /** Writes down where an order is now. One that an earlier process has accepted is new to the book. */
  record(id: string, state: OrderState, facts: OrderFacts = {}): void {
    if (!this.orders.has(id)) this.opened++;
    const order = this.orders.get(id) ?? { id, state, history: [] };
    this.write({ ...order, ...facts }, state);
    if (isFinished(state)) this.finished[state]++;
  }

  /** It was not accepted. */
  close(id: string): void {
    if (this.orders.delete(id)) this.opened--;
  }

  find(id: string): OrderRecord | undefined {
    return this.orders.get(id);
  }

  /** Over all orders there ever were. */
  counts(): OrderCounts {
    const { shipped, failed } = this.finished;
    return { open: this.opened - shipped - failed, shipped, failed };
  }

  private write(order: OrderRecord, state: OrderState): OrderRecord {
    const { history, ...facts } = order;
    const step = { state, at: new Date().toISOString() };
    const written = { ...facts, state, history: [...history, step] };
    this.orders.set(order.id, written);
    return written;
  }

  private forgetOldest(): void {
    if (this.orders.size <= this.settings.orderBookSize) return;
    for (const { id, state } of this.orders.values()) if (isFinished(state)) return void this.orders.delete(id);
  }
}

function isFinished(state: OrderState): state is 'shipped' | 'failed' {
  return state === 'shipped' || state === 'failed';
}
