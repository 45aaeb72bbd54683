import { BadRequestException, Injectable, type PipeTransform } from '@nestjs/common';
import type { OrderItem, OrderRequest } from './order.js';

const MOST_ITEMS = 100;
const MOST_OF_ONE = 1_000;

/** Lets requests of the right shape through. Whether the goods exist is for the stage `orders.validate` to say. */
@Injectable()
export class OrderRequestPipe implements PipeTransform<unknown, OrderRequest> {
  transform(body: unknown): OrderRequest {
    const { card, items } = record(body, 'the body');
    return { card: cardNumber(card), items: itemList(items) };
  }
}

function cardNumber(value: unknown): string {
  const digits = typeof value === 'string' ? value.replaceAll(' ', '') : '';
  if (!/^\d{12,19}$/.test(digits)) throw expected('card', 'a text of 12 to 19 digits');
  return digits;
}

function itemList(value: unknown): OrderItem[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > MOST_ITEMS) {
    throw expected('items', `a list of 1 to ${MOST_ITEMS} items`);
  }
  return value.map((each, index) => item(each, `items[${index}]`));
}

function item(value: unknown, name: string): OrderItem {
  const { sku, quantity } = record(value, name);
  if (typeof sku !== 'string' || sku === '') throw expected(`${name}.sku`, 'a text');
  if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1 || quantity > MOST_OF_ONE) {
    throw expected(`${name}.quantity`, `a whole number from 1 to ${MOST_OF_ONE}`);
  }
  return { sku, quantity };
}

function record(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw expected(name, 'an object');
  return value as Record<string, unknown>;
}

const expected = (name: string, what: string): BadRequestException =>
  new BadRequestException(`Expected ${name} to be ${what}`);
