export { Envelope } from '#ra-common';
export type { Attempt } from './delivery/attempt.js';
export type { DropReason } from './books.js';
export { type BusTotals, SedaBus } from './bus.js';
export { type Clock, type TimerHandle, systemClock } from './clock.js';
export type { Consumer } from './delivery/consumer.js';
export { DEAD_LETTER_HEADERS, type DeadLetterFacts } from './dead-letters/dead-letter-headers.js';
export type { DeadLetter, DeadLetterPage, DeadLetters, Which } from './dead-letters/dead-letters.js';
export {
  type EnvelopeInit,
  type EnvelopeShape,
  type RouteShape,
  type SlipShape,
  envelopePayload,
  makeEnvelope,
  targetService,
} from './envelope.js';
export {
  AttemptInterruptedError,
  AttemptTimeoutError,
  BusClosedError,
  CapabilityError,
  HopTimeoutError,
  InvalidEnvelopeError,
  InvalidOptionError,
  NackedError,
  NoConsumerError,
  NonErrorThrownError,
  NotStartedError,
  PayloadError,
  SedaError,
  StageConflictError,
  StageInUseError,
  UnknownStageError,
  UnroutableError,
} from './errors.js';
export type { SedaEventName, SedaEvents, SedaListener } from './events.js';
export type { BusState, StageState } from './lifecycle/lifecycle.js';
export {
  Backpressure,
  type BackoffOptions,
  DEAD_LETTER_DEFAULTS,
  Delivery,
  type SedaBusOptions,
  type ServiceLevelName,
  type StageOptions,
  checkStageName,
  checkStageOptions,
} from './options.js';
export type { PublishOptions } from './intake/publish-options.js';
export type { OnComplete, OnSettled, Outcome } from './intake/receipt.js';
export type {
  ByStage,
  Checked,
  ConsumerFor,
  EnvelopeFor,
  EnvelopeOf,
  PayloadOf,
  StageName,
  StageRefFor as StageRef,
  Stages,
} from './stages.js';
export type { StageStats } from './stats.js';
export type { PayloadCodec } from './store/envelope-codec.js';
export {
  MissingPeerError,
  StoreCorruptedError,
  StoreError,
  StoreFullError,
  StoreLockedError,
  StoreVersionError,
} from './store/errors.js';
export { type MemoryStore, memoryStore } from './store/memory-volume.js';
export type { StoreDescription, Sync } from './store/volume.js';
export {
  type ConformanceCase,
  type ConformanceSubject,
  type ConformingBus,
  type StageFeatures,
  stageConformance,
} from './testing/stage-conformance.js';
export { ManualClock } from './testing/manual-clock.js';
export type { Unprocessed, UnprocessedEnvelope, UnprocessedPage } from './unprocessed.js';
export type { Verdict } from './delivery/verdict.js';
