import { Injectable } from '@nestjs/common';
import type { OrderItem } from './order.js';

const CENTS: ReadonlyMap<string, number> = new Map([
  ['tea', 490],
  ['coffee', 890],
  ['cup', 1_250],
  ['kettle', 3_990],
]);

/** What the shop sells, and for how much. */
@Injectable()
export class PriceList {
  has(sku: string): boolean {
    return CENTS.has(sku);
  }

  /** In cents. @throws Error for goods that are not sold here */
  total(items: readonly OrderItem[]): number {
    return items.reduce((sum, { sku, quantity }) => sum + this.price(sku) * quantity, 0);
  }

  private price(sku: string): number {
    const cents = CENTS.get(sku);
    if (cents === undefined) throw new Error(`'${sku}' has no price`);
    return cents;
  }
}
