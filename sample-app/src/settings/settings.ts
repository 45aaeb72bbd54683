/** What can be set from outside: the type of it, and the token to inject it by. */
export abstract class Settings {
  /** The port to listen on; 0 takes a free one. */
  abstract readonly port: number;
  /** How many orders may wait at each stage. Beyond that, `POST /orders` answers 503. */
  abstract readonly orderCapacity: number;
  /** How long the payment provider takes for an answer. */
  abstract readonly paymentLatencyMs: number;
  /** How long an attempt at a payment may take. */
  abstract readonly paymentTimeoutMs: number;
  /** The pause before a failed payment is tried again; it doubles from attempt to attempt. */
  abstract readonly paymentRetryMs: number;
  /** The folder in which orders outlive the process; empty for none: then they are in memory. */
  abstract readonly storePath: string;
  /** How many orders the book keeps. */
  abstract readonly orderBookSize: number;
  /** How long a shutdown waits for the work that was accepted. */
  abstract readonly shutdownTimeoutMs: number;
}

/** @throws Error naming the variable that is no whole number */
export function settingsFrom(read: (name: string) => string | undefined): Settings {
  const number = (name: string, otherwise: number): number => wholeNumber(name, read(name) ?? String(otherwise));
  return {
    port: number('PORT', 3000),
    orderCapacity: number('ORDER_CAPACITY', 100),
    paymentLatencyMs: number('PAYMENT_LATENCY_MS', 100),
    paymentTimeoutMs: number('PAYMENT_TIMEOUT_MS', 5_000),
    paymentRetryMs: number('PAYMENT_RETRY_MS', 200),
    storePath: read('STORE_PATH') ?? 'data',
    orderBookSize: number('ORDER_BOOK_SIZE', 10_000),
    shutdownTimeoutMs: number('SHUTDOWN_TIMEOUT_MS', 10_000),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`Expected ${name} to be a whole number, got '${text}'`);
  return Number(text);
}
