/** Who wants to hear of an abort. */
export interface Abortable {
  aborted(): void;
}

/**
 * One listener a signal, however many wait with it: a signal that a thousand publishers share is not a leak, and node
 * does not warn of one. The listener is gone with the last who waits.
 */
export class AbortWatch {
  private readonly watched = new Map<AbortSignal, Watch>();

  /** Tells `waiter` when the signal is aborted; the same one once. */
  add(signal: AbortSignal, waiter: Abortable): void {
    let watch = this.watched.get(signal);
    if (watch === undefined) {
      watch = new Watch();
      this.watched.set(signal, watch);
      signal.addEventListener('abort', watch.onAbort);
    }
    watch.waiting.add(waiter);
  }

  /** An unknown one is ignored. */
  remove(signal: AbortSignal, waiter: Abortable): void {
    const watch = this.watched.get(signal);
    if (watch === undefined || !watch.waiting.delete(waiter) || watch.waiting.size > 0) return;
    this.watched.delete(signal);
    signal.removeEventListener('abort', watch.onAbort);
  }
}

class Watch {
  readonly waiting = new Set<Abortable>();

  readonly onAbort = (): void => {
    for (const waiter of this.waiting) waiter.aborted();
  };
}
