import { type Envelope, envelopePayload } from '@resolvingarchitecture/nestjs-seda-bus';

export interface OrderItem {
  readonly sku: string;
  readonly quantity: number;
}

/** What a customer asks for. */
export interface OrderRequest {
  readonly card: string;
  readonly items: readonly OrderItem[];
}

/** What travels through the stages; each adds its part. */
export interface Order extends OrderRequest {
  /** In cents, from `orders.price` on. */
  total?: number;
}

export const orderIn = (envelope: Envelope): Order => envelopePayload(envelope) as Order;
