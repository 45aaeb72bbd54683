import { makeEnvelope } from '#engine';
import { expectBalanced } from '../support/balance.js';
import { manualBus, numbers } from '../support/manual-bus.js';

/** The services still to visit, next first. */
function slipOf(envelope: ReturnType<typeof makeEnvelope>): unknown {
  const slip = envelope.dynamicRoutingSlip.clone();
  return numbers(slip.numberRemainingRoutes()).map(() => slip.nextRoute()?.service);
}

describe('R5.4 routes that a handler pushes', () => {
  it('R5.4 count if the attempt acks, last in first out', async () => {
    const { bus } = manualBus();
    let way = '';
    for (const name of ['b', 'c', 'd']) bus.subscribe(name, () => void (way += name));
    bus.subscribe('a', (envelope) => {
      envelope.addRoute('c');
      envelope.addRoute('b');
    });
    expect(await bus.publishAndWait(makeEnvelope('a', 1, { slip: ['d'] }))).toEqual({
      status: 'completed',
      stage: 'd',
    });
    expect(way).toBe('bcd');
  });

  it.each([[[]], [['d']], [['d', 'e']]])(
    'R5.4 are cut back on every nack: the slip is %p at each attempt',
    async (slip) => {
      const { bus } = manualBus();
      const before: unknown[] = [];
      bus.channel('a', { maxAttempts: 4 });
      bus.subscribe('a', (envelope, attempt) => {
        before.push(slipOf(envelope));
        envelope.addRoute('b');
        envelope.addRoute('c');
        if (attempt.number === 1) return false;
        if (attempt.number === 2) throw new Error('broken');
        return attempt.number === 3 ? attempt.retryIn(0) : attempt.deadLetter('enough');
      });
      const envelope = makeEnvelope('a', 1, { slip });
      await bus.publishAndWait(envelope);
      expect(before).toEqual([slip, slip, slip, slip]);
      expect(slipOf(envelope)).toEqual(slip);
      expect(envelope.getRoute()?.service).toBe('a');
      expectBalanced(bus);
    },
  );

  it('R5.4 routes that a handler took off are there again after a nack', async () => {
    const { bus } = manualBus();
    const way: string[] = [];
    bus.channel('a', { maxAttempts: 2 }).subscribe('a', (envelope, attempt) => {
      if (attempt.redelivered) return true;
      envelope.dynamicRoutingSlip.nextRoute();
      envelope.dynamicRoutingSlip.nextRoute();
      return false;
    });
    for (const name of ['b', 'c']) bus.subscribe(name, () => void way.push(name));
    await bus.publishAndWait(makeEnvelope('a', 1, { slip: ['b', 'c'] }));
    expect(way).toEqual(['b', 'c']);
  });

  it('R5.4 R6 each stage of an itinerary counts its own attempts', async () => {
    const { bus } = manualBus();
    const attempts: string[] = [];
    for (const name of ['a', 'b']) {
      bus.channel(name, { maxAttempts: 2 }).subscribe(name, (_, attempt) => {
        attempts.push(name + attempt.number);
        return attempt.redelivered;
      });
    }
    await bus.publishAndWait(makeEnvelope('a', 1, { slip: ['b', 'a'] }));
    expect(attempts).toEqual(['a1', 'a2', 'b1', 'b2', 'a1', 'a2']);
    expectBalanced(bus);
  });
});

describe('R5 a slip of another implementation', () => {
  /** The right shape and nothing more: no checkpoint, no clone. */
  class OtherEnvelope {
    readonly id = 'other';
    headers: Record<string, unknown> = {};
    route: { type: string; service: string } | undefined;
    readonly dynamicRoutingSlip: OtherSlip;

    constructor(...services: string[]) {
      const routes = services.map((service) => ({ type: 'simple', service }));
      this.route = routes.shift();
      this.dynamicRoutingSlip = new OtherSlip(routes);
    }

    getRoute(): { type: string; service: string } | undefined {
      return this.route;
    }

    ratchet(): void {
      this.route = this.dynamicRoutingSlip.nextRoute();
    }
  }

  class OtherSlip {
    constructor(readonly routes: { type: string; service: string }[]) {}

    push(service: string): void {
      this.routes.unshift({ type: 'simple', service });
    }

    peekAtNextRoute(): { type: string; service: string } | undefined {
      return this.routes[0];
    }

    nextRoute(): { type: string; service: string } | undefined {
      return this.routes.shift();
    }

    numberRemainingRoutes(): number {
      return this.routes.length;
    }
  }

  it('R5.1 R5.4 is followed, and cut back on a nack', async () => {
    const { bus } = manualBus();
    const way: string[] = [];
    bus.channel('a', { maxAttempts: 2 }).subscribe('a', (given, attempt) => {
      const { dynamicRoutingSlip } = given as unknown as OtherEnvelope;
      way.push(`a with ${dynamicRoutingSlip.numberRemainingRoutes()} to go`);
      dynamicRoutingSlip.push('c');
      return attempt.redelivered;
    });
    for (const name of ['b', 'c']) bus.subscribe(name, () => void way.push(name));
    expect(await bus.publishAndWait(new OtherEnvelope('a', 'b'))).toEqual({ status: 'completed', stage: 'b' });
    expect(way).toEqual(['a with 1 to go', 'a with 1 to go', 'c', 'b']);
    expectBalanced(bus);
  });

  it('R4.2 R7 is copied for pub/sub, dead-lettered and redriven like any other', async () => {
    const { bus } = manualBus({ deadLetterChannel: 'dead' });
    let broken = true;
    bus.channel('a', { delivery: 'pubsub' });
    for (const n of [1, 2]) {
      bus.subscribe('a', (envelope) => {
        expect(envelope.headers['seen']).toBeUndefined();
        envelope.headers['seen'] = n;
        (envelope as unknown as OtherEnvelope).dynamicRoutingSlip.push('nowhere');
        return !broken;
      });
    }
    bus.subscribe('b', () => true);
    const envelope = new OtherEnvelope('a', 'b');
    expect(await bus.publishAndWait(envelope)).toMatchObject({ reason: 'max-attempts' });
    expect((await bus.deadLetters('a').list()).items).toMatchObject([{ id: 'other', source: 'a' }]);
    broken = false;
    expect(await bus.deadLetters('a').redrive(['other'])).toBe(1);
    await bus.idle();
    expect(envelope.headers).toEqual({});
    expect(bus.stats()).toMatchObject({ a: { delivered: 1 }, b: { delivered: 1 } });
    expectBalanced(bus);
  });
});
