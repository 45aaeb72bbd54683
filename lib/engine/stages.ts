import type { Envelope } from '#ra-common';
import type { Attempt } from './delivery/attempt.js';
import type { StageRef } from './stage-ref.js';

/**
 * The stages of an application, and what their envelopes carry. Empty as it is: any name is a stage, any payload will do.
 *
 * An application that adds its stages has names and payloads checked wherever the compiler can read them; at run time
 * nothing changes. The module is named by the package's own name, whichever of its entries is imported.
 *
 * ```ts
 * declare module '@resolvingarchitecture/nestjs-seda-bus' {
 *   interface Stages {
 *     'orders.price': Order;
 *     'orders.ship': Shipment;
 *     [tenant: `imports.${string}`]: Row;
 *   }
 * }
 * ```
 */
export interface Stages {}

/** The names of {@link Stages}; any text, as long as there are none. */
export type StageName = [keyof Stages] extends [never] ? string : keyof Stages & string;

/**
 * A name where a stage is named: `Name` itself, unless it is written out and no {@link StageName}. A name that is made at
 * run time, of which the compiler knows that it is a `string` or begins like this or that, is taken as it is.
 */
export type Checked<Name extends string> = [Name] extends [StageName]
  ? Name
  : {} extends Record<Name, unknown>
    ? Name
    : StageName;

/** What the envelopes of a stage carry: `unknown` unless {@link Stages} says more. */
export type PayloadOf<Name extends string> = [keyof Stages] extends [never]
  ? unknown
  : Name extends keyof Stages
    ? Stages[Name]
    : unknown;

/** An envelope whose payload has a type. Nothing is checked at run time. */
export interface EnvelopeOf<Payload> extends Envelope {
  content(): Payload | undefined;
  clone(): EnvelopeOf<Payload>;
}

/** The envelope of a stage by its name: an {@link EnvelopeOf} its payload, a plain `Envelope` where that is `unknown`. */
export type EnvelopeFor<Name extends string> = unknown extends PayloadOf<Name> ? Envelope : EnvelopeOf<PayloadOf<Name>>;

/** A `Consumer` of the stage `Name`. */
export type ConsumerFor<Name extends string> = (envelope: EnvelopeFor<Name>, attempt: Attempt) => unknown;

/** What a {@link StageRefFor} publishes: the payload of the stage that is named, or the payload itself. */
export type Carried<Of> = unknown extends Of ? Of : [Of] extends [keyof Stages] ? Stages[Of] : Of;

/** A ref of a stage, by its name in {@link Stages} or by its payload: `StageRef<'orders.price'>`, `StageRef<Order>`. */
export type StageRefFor<Of = unknown> = StageRef<Carried<Of>>;

/** A value for some of the stages, by their names. */
export type ByStage<Value> = string extends StageName
  ? Readonly<Record<string, Value>>
  : { readonly [Name in StageName]?: Value };
