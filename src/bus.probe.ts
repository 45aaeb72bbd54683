import type { Consumer, SedaBus } from '#engine';

/** What looks at a bus and its handlers from outside; the kit of `./testing` puts one into the settings of each bus. */
export interface BusProbe {
  /** The application has this bus; it has not started. */
  attach(bus: SedaBus): void;
  /** What is subscribed to the stage in the place of a handler. */
  wrap(stage: string, handler: Consumer): Consumer;
}
