/** A promise with its handles outside: handlers wait at it until the test opens it. */
export class Gate {
  open!: () => void;
  readonly opened: Promise<void>;

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve));
  }
}
