/** Holds attempts of a stage back before their handler is called. */
export interface StageGate {
  /** How many attempts wait here now. One that its stage's `timeoutMs` or a shutdown ends does not wait any more. */
  readonly waiting: number;
  /** Lets all that wait go on, in the order they came, and those that come later. Twice is once. */
  open(): void;
}

export class Gate implements StageGate {
  private readonly held = new Set<() => void>();
  private opened = false;

  get isOpen(): boolean {
    return this.opened;
  }

  get waiting(): number {
    return this.held.size;
  }

  open(): void {
    this.opened = true;
    for (const go of this.held) go();
    this.held.clear();
  }

  /** Resolves when the gate opens; never, when the signal is aborted before. */
  passed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.held.add(resolve);
      signal.addEventListener('abort', () => this.held.delete(resolve), { once: true });
    });
  }
}
