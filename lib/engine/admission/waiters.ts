import type { EnvelopeShape } from '../envelope.js';
import type { Receipt } from '../intake/receipt.js';
import type { Lease } from '../queue/lease.js';
import type { Admission, Admitting, PublisherPatience } from './admission.js';
import { type Answer, Waiter } from './waiting-line.js';

/** A publisher that waits for room. */
export class WaitingPublisher extends Waiter {
  /** Resolves the publish. */
  resolve: (accepted: boolean | Promise<boolean>) => void = () => undefined;

  constructor(
    private readonly admission: Admission,
    readonly envelope: EnvelopeShape,
    readonly receipt: Receipt | undefined,
    readonly patience: PublisherPatience,
  ) {
    super();
  }

  override called(answer: Answer): void {
    this.resolve(this.admission.settlePublisher(this, answer));
  }
}

/** An envelope on a hop that waits for room at its next stage. */
export class WaitingHop extends Waiter {
  constructor(
    private readonly admission: Admission,
    private readonly lease: Lease,
    /** The stage that it leaves. */
    private readonly from: Admitting,
    private readonly arrived: (answer: Answer | Error) => void,
  ) {
    super();
  }

  override comesFrom(stage: unknown): boolean {
    return stage === this.from;
  }

  override called(answer: Answer): void {
    this.arrived(answer === 'admitted' ? this.admission.acceptHop(this.lease, this.from) : answer);
  }
}
