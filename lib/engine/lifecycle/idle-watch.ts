/** Promises that resolve when a condition holds; each is shared by all that wait for the same thing. */
export class IdleWatch {
  private readonly watched = new Map<
    unknown,
    { readonly holds: () => boolean; readonly promise: Promise<void>; readonly resolve: () => void }
  >();
  private checkComes = false;

  /** Resolves at once when it holds now. `key` says what is the same thing. */
  until(key: unknown, holds: () => boolean): Promise<void> {
    if (holds()) return DONE;
    const known = this.watched.get(key);
    if (known !== undefined) return known.promise;
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>((resolved) => (resolve = resolved));
    this.watched.set(key, { holds, promise, resolve });
    return promise;
  }

  /** Something has changed. The conditions are looked at when the present step is over, not in its middle. */
  changed(): void {
    if (this.watched.size === 0 || this.checkComes) return;
    this.checkComes = true;
    queueMicrotask(() => {
      this.checkComes = false;
      for (const [key, { holds, resolve }] of this.watched) {
        if (!holds()) continue;
        this.watched.delete(key);
        resolve();
      }
    });
  }
}

const DONE = Promise.resolve();
