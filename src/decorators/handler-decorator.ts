import type { ConsumerFor, Envelope, EnvelopeFor, Stages } from '#engine';

/** The method, if its first parameter is an envelope and cannot be one of the stage `Name`; a payload is left to pipes. */
type TakesAnother<Method, Name extends string> = Method extends (first: infer First, ...rest: never) => unknown
  ? [Extract<First, Envelope>] extends [never]
    ? never
    : [EnvelopeFor<Name>] extends [First]
      ? never
      : Method
  : never;

/** What it answers for such a method is none of its kind, so the compiler refuses it there, and for no other. */
type RefusesOtherEnvelopes<Name extends string> = <Method>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<TakesAnother<Method, Name>>,
) => TypedPropertyDescriptor<ConsumerFor<Name>>;

/** A method decorator; for a name in `Stages` one that refuses methods which take the envelopes of other stages only. */
export type HandlerDecorator<Name extends string> = [Name] extends [keyof Stages]
  ? RefusesOtherEnvelopes<Name> & MethodDecorator
  : MethodDecorator;
