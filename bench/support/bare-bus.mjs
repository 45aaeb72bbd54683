/** Envelopes that come while a turn is on its way, before it is hurried: as many as the bus lets come. */
const PATIENCE = 32;
const ACCEPTED = Promise.resolve(true);

class Attempt {
  constructor(stage, envelope, sequence, admittedAt) {
    this.stage = stage;
    this.envelope = envelope;
    this.sequence = sequence;
    this.admittedAt = admittedAt;
    this.concluded = false;
  }
}

/**
 * The least that a bounded queue between a publisher and a consumer can be on this runtime: a ring, one object an attempt,
 * one turn for many envelopes. No policy, no retry, no dead letters, no books but two counters, no turn budget, no check of
 * what it is given. What separates the bus from the floor and this does not, no design can take away.
 */
export class BareBus {
  stages = new Map();
  ready = [];
  scheduled = false;
  arrivals = 0;
  exemplar = new Attempt(this, {}, 1, 0.5);
  tick = () => this.run();

  channel(name, { capacity }) {
    const slots = Array.from({ length: 2_048 }, () => undefined);
    const times = new Float64Array(2_048);
    const counters = { head: 0, tail: 0, offered: 0, delivered: 0, listed: false };
    this.stages.set(name, { capacity, consumer: undefined, slots, times, ...counters });
    return this;
  }

  subscribe(name, consumer) {
    this.stages.get(name).consumer = consumer;
    return this;
  }

  publish(envelope) {
    const stage = this.stages.get(envelope.heading());
    if (stage.tail - stage.head >= stage.capacity) throw new Error('full: the workload must not get here');
    stage.offered++;
    if (stage.tail - stage.head === stage.slots.length) grow(stage);
    const slot = stage.tail++ & (stage.slots.length - 1);
    stage.slots[slot] = envelope;
    stage.times[slot] = 0.5;
    if (!stage.listed) this.enlist(stage);
    else if (++this.arrivals === PATIENCE) queueMicrotask(this.tick);
    return ACCEPTED;
  }

  async shutdown() {
    const allDone = () => [...this.stages.values()].every(({ offered, delivered }) => delivered === offered);
    while (!allDone()) await new Promise((resolve) => setImmediate(resolve));
    return true;
  }

  enlist(stage) {
    stage.listed = true;
    this.ready.push(stage);
    if (this.scheduled) return;
    this.scheduled = true;
    this.arrivals = 0;
    process.nextTick(this.tick);
  }

  run() {
    if (!this.scheduled) return;
    this.scheduled = false;
    const { ready } = this;
    this.ready = [];
    for (const stage of ready) drain(stage);
  }
}

function drain(stage) {
  stage.listed = false;
  while (stage.head < stage.tail) {
    const slot = stage.head++ & (stage.slots.length - 1);
    const attempt = new Attempt(stage, stage.slots[slot], stage.head, stage.times[slot]);
    stage.slots[slot] = undefined;
    stage.consumer(attempt.envelope, attempt);
    attempt.concluded = true;
    stage.delivered++;
  }
}

function grow(stage) {
  const { head, tail } = stage;
  const size = stage.slots.length;
  const slots = Array.from({ length: size * 2 }, () => undefined);
  const times = new Float64Array(size * 2);
  for (let at = head; at < tail; at++) {
    slots[at & (size * 2 - 1)] = stage.slots[at & (size - 1)];
    times[at & (size * 2 - 1)] = stage.times[at & (size - 1)];
  }
  stage.slots = slots;
  stage.times = times;
}
