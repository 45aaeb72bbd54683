export {
  type Attempt,
  AttemptInterruptedError,
  AttemptTimeoutError,
  type BackoffOptions,
  Backpressure,
  BusClosedError,
  type BusState,
  type BusTotals,
  CapabilityError,
  type Clock,
  type Consumer,
  DEAD_LETTER_HEADERS,
  type DeadLetterFacts,
  type DeadLetterPage,
  type DeadLetters,
  Delivery,
  type DropReason,
  Envelope,
  type EnvelopeInit,
  type EnvelopeShape,
  HopTimeoutError,
  InvalidEnvelopeError,
  InvalidOptionError,
  NackedError,
  NoConsumerError,
  NonErrorThrownError,
  NotStartedError,
  type Outcome,
  type PublishOptions,
  SedaBus,
  type SedaBusOptions,
  SedaError,
  type SedaEventName,
  type SedaEvents,
  type SedaListener,
  StageConflictError,
  StageInUseError,
  type StageOptions,
  type StageRef,
  type StageState,
  type StageStats,
  UnknownStageError,
  UnroutableError,
  type Verdict,
  envelopePayload,
  makeEnvelope,
  targetService,
} from '#engine';
export { DeadLetter, type DeadLetterOptions } from './decorators/dead-letter.decorator.js';
export { InjectSedaBus } from './decorators/inject-seda-bus.decorator.js';
export { InjectStage } from './decorators/inject-stage.decorator.js';
export { type HandlerOptions, Stage } from './decorators/stage.decorator.js';
export { SedaModuleError, type SedaModuleErrorCode } from './errors.js';
export type { SedaHealthThresholds, StageThresholds } from './health/health.thresholds.js';
export { type SedaBusHealth, SedaBusHealthIndicator, type StageHealth } from './health/seda-bus.health.js';
export { SedaBusModule } from './seda-bus.module.js';
export type {
  DrainOn,
  SedaBusAsyncResult,
  SedaBusModuleAsyncOptions,
  SedaBusModuleOptions,
  SedaBusOptionsFactory,
  SharedDeadLetterOptions,
  StageFeature,
} from './seda-bus.options.js';
export { getSedaBusToken, getStageToken } from './seda-bus.tokens.js';
export { type OnBus, StageRegistry } from './stage.registry.js';
