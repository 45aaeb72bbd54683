export {
  type ConformanceCase,
  type ConformanceSubject,
  type ConformingBus,
  ManualClock,
  type MemoryStore,
  type StageFeatures,
  memoryStore,
  stageConformance,
} from '#engine';
export type { DeliveryOutcome, RecordedDelivery } from './delivery.js';
export { SedaTestingError, type SedaTestingErrorCode } from './errors.js';
export type { SedaBusTestingOptions } from './options.js';
export { SedaBusTesting, type TestingBuilder } from './seda-bus-testing.js';
export type { StageGate } from './stage-gate.js';
export type { TestedBus } from './watched-bus.js';
