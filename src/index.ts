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
  type Checked,
  type Clock,
  type Consumer,
  type ConsumerFor,
  DEAD_LETTER_HEADERS,
  type DeadLetterFacts,
  type DeadLetterPage,
  type DeadLetters,
  Delivery,
  type DropReason,
  Envelope,
  type EnvelopeFor,
  type EnvelopeInit,
  type EnvelopeOf,
  type EnvelopeShape,
  HopTimeoutError,
  InvalidEnvelopeError,
  InvalidOptionError,
  MissingPeerError,
  NackedError,
  NoConsumerError,
  NonErrorThrownError,
  NotStartedError,
  type Outcome,
  type PayloadCodec,
  PayloadError,
  type PayloadOf,
  type PublishOptions,
  SedaBus,
  type SedaBusOptions,
  SedaError,
  type SedaEventName,
  type SedaEvents,
  type SedaListener,
  type ServiceLevelName,
  StageConflictError,
  StageInUseError,
  type StageName,
  type StageOptions,
  type StageRef,
  type StageState,
  type StageStats,
  type Stages,
  StoreCorruptedError,
  type StoreDescription,
  StoreError,
  StoreFullError,
  StoreLockedError,
  StoreVersionError,
  type Sync,
  UnknownStageError,
  type Unprocessed,
  type UnprocessedEnvelope,
  type UnprocessedPage,
  UnroutableError,
  type Verdict,
  envelopePayload,
  makeEnvelope,
  targetService,
} from '#engine';
export { DeadLetter, type DeadLetterOptions } from './decorators/dead-letter.decorator.js';
export { Ctx, EnvelopeParam, Headers, Payload, type PayloadOptions } from './decorators/parameters.decorator.js';
export { InjectSedaBus } from './decorators/inject-seda-bus.decorator.js';
export { InjectStage } from './decorators/inject-stage.decorator.js';
export { type HandlerOptions, Stage } from './decorators/stage.decorator.js';
export type { EnhancerOptions } from './enhancers/enhancers.options.js';
export { type SedaContextType, isSedaContext } from './enhancers/seda-context.js';
export { SedaModuleError, type SedaModuleErrorCode } from './errors.js';
export type { SedaHealthThresholds, StageThresholds } from './health/health.thresholds.js';
export { type SedaBusHealth, SedaBusHealthIndicator, type StageHealth } from './health/seda-bus.health.js';
export { AttemptRequest } from './scope/attempt-request.js';
export { ATTEMPT, ENVELOPE } from './scope/scope.providers.js';
export { SedaBusModule } from './seda-bus.module.js';
export type {
  DrainOn,
  FeatureOptions,
  SedaBusAsyncResult,
  SedaBusModuleAsyncOptions,
  SedaBusModuleOptions,
  SedaBusOptionsFactory,
  SharedDeadLetterOptions,
  StageFeature,
} from './seda-bus.options.js';
export { getSedaBusToken, getStageToken } from './seda-bus.tokens.js';
export { type OnBus, StageRegistry } from './stage.registry.js';
