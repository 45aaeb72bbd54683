export interface Order {
  readonly sku: string;
}

export interface Shipment {
  readonly address: string;
}

export declare const order: Order;
export declare const shipment: Shipment;

/** A name that is made at run time. */
export declare const computed: string;
