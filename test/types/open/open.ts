import type { DynamicModule } from '@nestjs/common';
import {
  type Checked,
  type ConsumerFor,
  DeadLetter,
  type Envelope,
  type EnvelopeFor,
  InjectStage,
  type PayloadOf,
  SedaBus,
  SedaBusModule,
  type SedaBusModuleOptions,
  Stage,
  type StageFeature,
  type StageName,
  type StageOptions,
  type StageRef,
  envelopePayload,
  getStageToken,
  makeEnvelope,
} from '@resolvingarchitecture/nestjs-seda-bus';
import { type Same, holds } from '../claims.js';
import { type Order, type Shipment, computed, order, shipment } from '../things.js';

// Without stages in `Stages`, everything is as if there were no such thing.

declare const bus: SedaBus;
declare const orders: StageRef<Order>;

/** Any name, any payload, and none. */
export function names(): void {
  holds<Same<StageName, string>>();
  holds<Same<Checked<'a'>, 'a'>>();
  holds<Same<PayloadOf<'a'>, unknown>>();
  for (const name of ['a', computed]) bus.channel(name).pause(name);
  bus
    .channel('a')
    .subscribe('b', () => true)
    .setDeadLetterChannel('a', 'c')
    .idle('a');
}

/** Envelopes are plain ones. */
export function envelopes(): void {
  holds<Same<EnvelopeFor<'a'>, Envelope>>();
  const made = makeEnvelope('a');
  holds<Same<typeof made, Envelope>>();
  makeEnvelope('a', order, { sender: 's', slip: ['b', computed] });
  const payload = envelopePayload(made);
  holds<Same<typeof payload, unknown>>();
}

/** What is written for any name works for any name. */
export function ofAnyName<Name extends string>(name: Name, stages: readonly Name[]): Envelope {
  bus.channel(name).subscribe(name, (envelope: Envelope) => envelope.content());
  return makeEnvelope(name, order, { slip: stages });
}

/** Consumers get a plain envelope. */
export function consumers(): void {
  holds<Same<Parameters<ConsumerFor<'a'>>[0], Envelope>>();
  bus.subscribe('a', (envelope) => holds<Same<typeof envelope, Envelope>>());
  bus.unsubscribe('a', (envelope: Envelope) => envelope.content());
}

/** A ref has the payload that it is said to have. */
export function refs(): void {
  const unsaid = bus.stage('a');
  holds<Same<typeof unsaid, StageRef | undefined>>();
  const said = bus.stage<Order>('a');
  holds<Same<typeof said, StageRef<Order> | undefined>>();
  const text = bus.stage<string>(computed);
  holds<Same<typeof text, StageRef<string> | undefined>>();
  const annotated: StageRef<Order> | undefined = bus.stage('a');
  void annotated?.publish(order);
  void orders.publish(makeEnvelope('a'));
  // @ts-expect-error: it publishes orders
  void orders.publish(shipment);
}

/** So does the ref that generic code asks for. */
export function refOf<Payload>(name: string): StageRef<Payload> | undefined {
  return bus.stage<Payload>(name);
}

/** A literal as type argument is a payload, as long as no stage is called so. */
export function literals(ref: StageRef<'orders.price'>): void {
  void ref.publish('orders.price');
  // @ts-expect-error: it publishes that text
  void ref.publish('another');
}

/** The decorators take any method. */
export class Handlers {
  constructor(@InjectStage('a') readonly a: StageRef<Shipment>) {}

  @Stage('a')
  first(this: Handlers, envelope: Envelope): void {
    void this.a.publish(envelope);
  }

  @Stage('b', { capacity: 1 })
  @DeadLetter(computed, { keep: true })
  second(text: string, count: number): string {
    return text.repeat(count);
  }
}

/** And are what they were. */
export function decorators(): void {
  const stage = Stage('a');
  holds<Same<typeof stage, MethodDecorator>>();
  const deadLetter = DeadLetter('a');
  holds<Same<typeof deadLetter, MethodDecorator>>();
}

/** The module takes stages of any name. */
export function modules(features: readonly StageFeature[]): DynamicModule[] {
  holds<Same<SedaBusModuleOptions['stages'], Readonly<Record<string, StageOptions>> | undefined>>();
  holds<Same<StageFeature['name'], string>>();
  const tokens: symbol[] = [getStageToken('a'), getStageToken(computed)];
  void tokens;
  return [SedaBusModule.forFeature(features), SedaBusModule.forFeature([{ name: 'a', capacity: 1 }])];
}
