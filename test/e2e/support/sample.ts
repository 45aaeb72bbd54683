import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { SedaBusTesting, type SedaBusTestingOptions } from '@resolvingarchitecture/nestjs-seda-bus/testing';
import request from 'supertest';
import { SedaBus } from '#engine';
import { AppModule } from '../../../sample-app/src/app.module.js';
import { CitySource, type RawCity } from '../../../sample-app/src/imports/city-source.js';
import { OrderBook } from '../../../sample-app/src/orders/order-book.js';
import { Settings } from '../../../sample-app/src/settings/settings.js';
import { testSettings } from './settings.js';

/** What a test may put in the place of the sample's own. */
export interface SampleParts {
  readonly settings?: Partial<Settings>;
  /** Without it there are no cities; `'all'` is the whole data set. */
  readonly cities?: readonly RawCity[] | 'all';
  readonly testing?: SedaBusTestingOptions;
}

/** The sample application in this process, listening on a free port. */
export interface Sample {
  readonly app: INestApplication;
  readonly bus: SedaBus;
  /** Its time, its gates, and what its handlers were given. */
  readonly seda: SedaBusTesting;
  readonly book: OrderBook;
  readonly http: ReturnType<typeof request>;
}

export async function startSample({ settings, cities = [], testing }: SampleParts = {}): Promise<Sample> {
  const seda = new SedaBusTesting({ patienceMs: 20_000, ...testing });
  const builder = seda.install(Test.createTestingModule({ imports: [AppModule] }));
  builder.overrideProvider(Settings).useValue(testSettings(settings));
  if (cities !== 'all') builder.overrideProvider(CitySource).useValue(new CitySource(cities));
  const app = (await builder.compile()).createNestApplication({ logger: false });
  await app.listen(0);
  return { app, bus: app.get(SedaBus), seda, book: app.get(OrderBook), http: request(app.getHttpServer()) };
}
