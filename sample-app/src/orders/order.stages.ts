/** The stages of an order, in the order it visits them. */
export const VALIDATE = 'orders.validate';
export const PRICE = 'orders.price';
export const CHARGE = 'orders.charge';
export const SHIP = 'orders.ship';
