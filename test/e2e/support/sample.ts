import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { SedaBus } from '#engine';
import { AppModule } from '../../../sample-app/src/app.module.js';
import { CitySource, type RawCity } from '../../../sample-app/src/imports/city-source.js';
import { OrderBook } from '../../../sample-app/src/orders/order-book.js';
import { PaymentProvider } from '../../../sample-app/src/orders/payment-provider.js';
import { Settings } from '../../../sample-app/src/settings/settings.js';
import { testSettings } from './settings.js';

/** What a test may put in the place of the sample's own. */
export interface SampleParts {
  readonly settings?: Partial<Settings>;
  /** Without it there are no cities; `'all'` is the whole data set. */
  readonly cities?: readonly RawCity[] | 'all';
  readonly charge?: PaymentProvider['charge'];
}

/** The sample application in this process, listening on a free port. */
export interface Sample {
  readonly app: INestApplication;
  readonly bus: SedaBus;
  readonly book: OrderBook;
  readonly http: ReturnType<typeof request>;
}

export async function startSample({ settings, cities = [], charge }: SampleParts = {}): Promise<Sample> {
  const builder = Test.createTestingModule({ imports: [AppModule] });
  builder.overrideProvider(Settings).useValue(testSettings(settings));
  if (cities !== 'all') builder.overrideProvider(CitySource).useValue(new CitySource(cities));
  if (charge !== undefined) builder.overrideProvider(PaymentProvider).useValue({ charge });
  const app = (await builder.compile()).createNestApplication({ logger: false });
  await app.listen(0);
  return { app, bus: app.get(SedaBus), book: app.get(OrderBook), http: request(app.getHttpServer()) };
}
