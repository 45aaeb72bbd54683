import { type SedaBus, makeEnvelope } from '#engine';

/** Publishes so many envelopes to the stage and waits until it is done with them. */
export async function publish(bus: SedaBus, stage: string, times = 1): Promise<void> {
  for (let i = 0; i < times; i++) await bus.publish(makeEnvelope(stage, i));
  await bus.idle(stage);
}
