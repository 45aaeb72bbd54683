/**
 * `starting`: intake is open, nothing is consumed. `draining`: no intake, what was admitted is finished.
 *
 *     starting ──► open ◄──► paused
 *         │          │          │
 *         └──────────┴────┬─────┘
 *                      draining ──► closed
 */
export type BusState = 'starting' | 'open' | 'paused' | 'draining' | 'closed';

/** A stage's own state; the bus's comes first where both differ. `held`: queued envelopes stay where they are. */
export type StageState = BusState | 'held';

type Phase =
  | { readonly state: 'starting'; readonly pauseAtStart: boolean }
  | { readonly state: 'open' | 'paused' | 'draining' | 'closed' };

/** The one place where the bus's state changes. A change that the state does not allow is ignored. */
export class Lifecycle {
  private phase: Phase = { state: 'starting', pauseAtStart: false };

  constructor(private readonly changed: (to: BusState, from: BusState) => void) {}

  get state(): BusState {
    return this.phase.state;
  }

  /** Whether publishers may come in. */
  get intakeOpen(): boolean {
    return this.phase.state === 'open' || (this.phase.state === 'starting' && !this.phase.pauseAtStart);
  }

  /** Whether attempts may start. */
  get consuming(): boolean {
    return this.phase.state !== 'starting' && this.phase.state !== 'closed';
  }

  /** Whether the intake is closed for good. */
  get ending(): boolean {
    return this.phase.state === 'draining' || this.phase.state === 'closed';
  }

  get ended(): boolean {
    return this.phase.state === 'closed';
  }

  start(): void {
    if (this.phase.state === 'starting') this.enter({ state: this.phase.pauseAtStart ? 'paused' : 'open' });
  }

  pause(): void {
    if (this.phase.state === 'starting') this.phase = { state: 'starting', pauseAtStart: true };
    else if (this.phase.state === 'open') this.enter({ state: 'paused' });
  }

  resume(): void {
    if (this.phase.state === 'starting') this.phase = { state: 'starting', pauseAtStart: false };
    else if (this.phase.state === 'paused') this.enter({ state: 'open' });
  }

  drain(): void {
    if (this.phase.state !== 'closed' && this.phase.state !== 'draining') this.enter({ state: 'draining' });
  }

  close(): void {
    if (this.phase.state !== 'closed') this.enter({ state: 'closed' });
  }

  private enter(next: Phase): void {
    const from = this.phase.state;
    this.phase = next;
    this.changed(next.state, from);
  }
}
