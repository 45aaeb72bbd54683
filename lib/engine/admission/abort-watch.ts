/**
 * One listener a signal, however many wait with it: a signal that a thousand publishers share is not a leak, and node
 * does not warn of one. The listener is gone with the last who waits.
 */
export class AbortWatch {
  private readonly watched = new Map<AbortSignal, Watch>();

  /** Calls `aborted` when the signal is; the same function once. */
  add(signal: AbortSignal, aborted: () => void): void {
    let watch = this.watched.get(signal);
    if (watch === undefined) {
      watch = new Watch();
      this.watched.set(signal, watch);
      signal.addEventListener('abort', watch.onAbort);
    }
    watch.waiting.add(aborted);
  }

  /** An unknown one is ignored. */
  remove(signal: AbortSignal, aborted: () => void): void {
    const watch = this.watched.get(signal);
    if (watch === undefined || !watch.waiting.delete(aborted) || watch.waiting.size > 0) return;
    this.watched.delete(signal);
    signal.removeEventListener('abort', watch.onAbort);
  }
}

class Watch {
  readonly waiting = new Set<() => void>();

  readonly onAbort = (): void => {
    for (const aborted of this.waiting) aborted();
  };
}
