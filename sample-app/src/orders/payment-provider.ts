import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Settings } from '../settings/settings.js';

export interface Payment {
  /** The same for every attempt at one payment, so that none is taken twice. */
  readonly key: string;
  readonly card: string;
  /** In cents. */
  readonly amount: number;
}

/** The bank says no; asking again is useless. */
export class CardDeclinedError extends Error {
  override readonly name = 'CardDeclinedError';
}

/** The provider did not answer as it should; the next attempt may succeed. */
export class PaymentUnavailableError extends Error {
  override readonly name = 'PaymentUnavailableError';
}

/** What the last four digits of a card bring about. Every other card pays. */
export const TEST_CARDS = { declined: '0002', unavailable: '0341', recovers: '0119' } as const;

/** Stands for somebody else's service: slow, and not always there. What it does depends on the card alone. */
@Injectable()
export class PaymentProvider {
  /** Payments that failed once and are going to succeed. */
  private readonly recovering = new Set<string>();

  constructor(private readonly settings: Settings) {}

  /**
   * Takes the money, or ends the wait when `signal` is aborted.
   * @throws CardDeclinedError, PaymentUnavailableError (as rejections)
   */
  async charge({ key, card }: Payment, signal: AbortSignal): Promise<void> {
    await delay(this.settings.paymentLatencyMs, undefined, { signal });
    if (card.endsWith(TEST_CARDS.declined)) throw new CardDeclinedError('The card was declined');
    if (card.endsWith(TEST_CARDS.unavailable)) throw new PaymentUnavailableError('The bank does not answer');
    if (card.endsWith(TEST_CARDS.recovers) && this.failsOnce(key)) {
      throw new PaymentUnavailableError('The bank did not answer in time');
    }
  }

  private failsOnce(key: string): boolean {
    if (this.recovering.delete(key)) return false;
    this.recovering.add(key);
    return true;
  }
}
