import { type BusState, Lifecycle } from '../../../lib/engine/lifecycle/lifecycle.js';

type Step = 'start' | 'pause' | 'resume' | 'drain' | 'close';

function after(...steps: Step[]): { lifecycle: Lifecycle; changes: string[] } {
  const changes: string[] = [];
  const lifecycle = new Lifecycle((to, from) => changes.push(`${from} → ${to}`));
  for (const step of steps) lifecycle[step]();
  return { lifecycle, changes };
}

const WAYS: Record<BusState, Step[]> = {
  starting: [],
  open: ['start'],
  paused: ['start', 'pause'],
  draining: ['start', 'drain'],
  closed: ['close'],
};

/** Where each step leads from each state; every other change is ignored. */
const LEADS: Record<BusState, Partial<Record<Step, BusState>>> = {
  starting: { start: 'open', drain: 'draining', close: 'closed' },
  open: { pause: 'paused', drain: 'draining', close: 'closed' },
  paused: { resume: 'open', drain: 'draining', close: 'closed' },
  draining: { close: 'closed' },
  closed: {},
};

const STEPS: Step[] = ['start', 'pause', 'resume', 'drain', 'close'];
const table = (Object.keys(WAYS) as BusState[]).flatMap((from) => STEPS.map((step) => [from, step] as const));

describe('Lifecycle', () => {
  it.each(table)('R8.9 from %s by %s', (from, step) => {
    const { lifecycle, changes } = after(...WAYS[from]);
    expect(lifecycle.state).toBe(from);
    changes.length = 0;
    lifecycle[step]();
    const to = LEADS[from][step];
    expect(lifecycle.state).toBe(to ?? from);
    expect(changes).toEqual(to === undefined ? [] : [`${from} → ${to}`]);
  });

  it.each<[BusState, boolean, boolean, boolean]>([
    ['starting', true, false, false],
    ['open', true, true, false],
    ['paused', false, true, false],
    ['draining', false, true, false],
    ['closed', false, false, true],
  ])('R8.9 in %s: intake %p, consuming %p, ended %p', (state, intakeOpen, consuming, ended) => {
    expect(after(...WAYS[state]).lifecycle).toMatchObject({ intakeOpen, consuming, ended });
  });

  it('R8.9 a pause before the start closes the intake and is remembered, until a resume', () => {
    expect(after('pause').lifecycle).toMatchObject({ state: 'starting', intakeOpen: false });
    expect(after('pause', 'start').lifecycle.state).toBe('paused');
    expect(after('pause', 'resume').lifecycle).toMatchObject({ state: 'starting', intakeOpen: true });
    expect(after('pause', 'resume', 'start').changes).toEqual(['starting → open']);
  });
});
