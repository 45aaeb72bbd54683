import { SedaBus, type StageName, type StageRef } from '@resolvingarchitecture/nestjs-seda-bus';
import { type Same, holds } from '../claims.js';
import { type Order, type Shipment, computed, order, shipment } from '../things.js';

declare const bus: SedaBus;

/** The names are those of the map. */
export function names(): void {
  holds<Same<StageName, 'orders.price' | 'orders.ship' | 'ping' | 'audit' | `tenants.${string}`>>();
  bus.channel('orders.price', { capacity: 1 }).setDeadLetterChannel('orders.price', 'audit');
  bus.pause('orders.price');
  bus.pause();
  bus.pause(`tenants.${computed}`);
}

/** A name that is made at run time is taken as it is. */
export function runTimeNames(): void {
  bus.channel(computed).setDeadLetterChannel(computed, computed);
  bus.subscribe(computed, () => true);
  bus.pause(`orders.${computed}`);
  for (const name of Object.keys(bus.stats())) bus.resume(name);
  for (const name of ['orders.price', 'orders.ship'] as const) void bus.idle(name);
}

/** What is written for all names of the map, works. */
export function ofAnyName<Name extends StageName>(name: Name): Promise<void> {
  bus.channel(name).hold(name);
  return bus.idle(name);
}

/** A name that is written out has to be one of the map's. */
export function unknownNames(): void {
  // @ts-expect-error: no such stage
  bus.channel('orders.prise');
  // @ts-expect-error: no such stage
  bus.subscribe('orders.prise', () => true);
  // @ts-expect-error: no such stage
  bus.unsubscribe('orders.prise', () => true);
  // @ts-expect-error: no such source
  bus.setDeadLetterChannel('orders.prise', 'audit');
  // @ts-expect-error: no such channel
  bus.setDeadLetterChannel(computed, 'parked');
  // @ts-expect-error: no such stage
  void bus.removeStage('orders.prise');
  // @ts-expect-error: no such stage
  bus.deadLetters('orders.prise');
}

export function unknownNamesOfControls(): void {
  // @ts-expect-error: no such stage
  bus.pause('orders.prise');
  // @ts-expect-error: no such stage
  bus.resume('orders.prise');
  // @ts-expect-error: no such stage
  bus.hold('orders.prise');
  // @ts-expect-error: no such stage
  bus.release('orders.prise');
  // @ts-expect-error: no such stage
  void bus.idle('orders.prise');
  // @ts-expect-error: one of the two is no stage
  void bus.idle(Math.random() > 0.5 ? 'orders.price' : 'orders.prise');
}

/** The name gives a ref its payload. */
export function refs(): void {
  const price = bus.stage('orders.price');
  holds<Same<typeof price, StageRef<'orders.price'> | undefined>>();
  holds<Same<StageRef<'orders.price'>, StageRef<Order>>>();
  holds<Same<StageRef<`tenants.${string}`>, StageRef<Order>>>();
  void price?.publish(order);
  // @ts-expect-error: a payload of another stage
  void price?.publish(shipment);
  // @ts-expect-error: a payload of another stage
  price?.offer(shipment);
  // @ts-expect-error: a payload of another stage
  void price?.publishAndWait(shipment);
}

/** A ref with a payload, not a name, is as it was. */
export function refsByPayload(orders: StageRef<Order>, unsaying: StageRef, texts: StageRef<string>): void {
  void orders.publish(order);
  void unsaying.publish(shipment);
  void texts.publish('text');
  holds<Same<Parameters<StageRef<any>['publish']>[0], any>>();
  const said = bus.stage<Shipment>(computed);
  holds<Same<typeof said, StageRef<Shipment> | undefined>>();
  const unsaid = bus.stage(computed);
  holds<Same<typeof unsaid, StageRef | undefined>>();
}

export function unknownRefs(): void {
  // @ts-expect-error: no such stage
  bus.stage('orders.prise');
  // @ts-expect-error: no such stage, whatever its ref is to be
  const misspelt: StageRef<Order> | undefined = bus.stage('orders.prise');
  // @ts-expect-error: a ref of another stage
  const other: StageRef<'orders.price'> | undefined = bus.stage('orders.ship');
  void [misspelt, other];
}
