import {
  SedaBusModule,
  type SedaBusModuleOptions,
  type SedaHealthThresholds,
  type StageFeature,
  type StageOptions,
  getStageToken,
} from '@resolvingarchitecture/nestjs-seda-bus';
import { computed } from '../things.js';

const MISSPELT = 'orders.prise';
declare const generated: Readonly<Record<string, StageOptions>>;

/** Options by name, for stages of the map and for those of the run time. */
export function options(): void {
  SedaBusModule.forRoot({ stages: { 'orders.price': { capacity: 1 }, [`tenants.${computed}`]: {} } });
  SedaBusModule.forRoot({ stages: { [computed]: { capacity: 1 } } });
  SedaBusModule.forRootAsync({ useFactory: () => ({ stages: generated }) });
  // @ts-expect-error: no such stage
  SedaBusModule.forRoot({ stages: { 'orders.price': {}, 'orders.prise': {} } });
  // @ts-expect-error: no such stage
  const computedKey: SedaBusModuleOptions = { stages: { 'orders.price': {}, [MISSPELT]: {} } };
  // @ts-expect-error: no such stage
  const thresholds: SedaHealthThresholds = { stages: { 'orders.prise': {} } };
  void [computedKey, thresholds];
}

/** Stages that a module declares. */
export function features(declared: readonly StageFeature[]): void {
  SedaBusModule.forFeature(declared);
  SedaBusModule.forFeature([{ name: 'orders.price', capacity: 1 }, { name: 'orders.ship' }], { bus: 'audit' });
  SedaBusModule.forFeature([{ name: 'orders.price' }, { name: computed }]);
  // @ts-expect-error: no such stage
  SedaBusModule.forFeature([{ name: 'orders.price' }, { name: 'orders.prise' }]);
}

export function tokens(): symbol[] {
  // @ts-expect-error: no such stage
  return [getStageToken('orders.price'), getStageToken(computed), getStageToken('orders.prise')];
}
