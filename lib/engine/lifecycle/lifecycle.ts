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
  /** Whether publishers may come in. This and what follows says what the phase means; asked for each envelope. */
  intakeOpen = true;
  /** Whether attempts may start. */
  consuming = false;
  /** Whether the intake is closed for good. */
  ending = false;

  constructor(private readonly changed: (to: BusState, from: BusState) => void) {}

  get state(): BusState {
    return this.phase.state;
  }

  get ended(): boolean {
    return this.phase.state === 'closed';
  }

  start(): void {
    if (this.phase.state === 'starting') this.enter({ state: this.phase.pauseAtStart ? 'paused' : 'open' });
  }

  pause(): void {
    if (this.phase.state === 'starting') this.enter({ state: 'starting', pauseAtStart: true });
    else if (this.phase.state === 'open') this.enter({ state: 'paused' });
  }

  resume(): void {
    if (this.phase.state === 'starting') this.enter({ state: 'starting', pauseAtStart: false });
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
    const to = next.state;
    this.phase = next;
    this.intakeOpen = to === 'open' || (to === 'starting' && !next.pauseAtStart);
    this.consuming = to !== 'starting' && to !== 'closed';
    this.ending = to === 'draining' || to === 'closed';
    if (to !== from) this.changed(to, from);
  }
}
