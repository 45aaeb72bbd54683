import type { Order, Shipment } from '../things.js';

declare module '@resolvingarchitecture/nestjs-seda-bus' {
  interface Stages {
    'orders.price': Order;
    'orders.ship': Shipment;
    /** Carries nothing. */
    ping: undefined;
    /** Carries whatever it gets. */
    audit: unknown;
    [tenant: `tenants.${string}`]: Order;
  }
}
