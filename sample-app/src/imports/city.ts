import type { RawCity } from './city-source.js';
import { geohash } from './geohash.js';

export interface City {
  readonly id: number;
  readonly name: string;
  readonly country: string;
  readonly population: number;
  readonly latitude: number;
  readonly longitude: number;
}

export type SizeClass = 'unknown' | 'town' | 'city' | 'large city' | 'metropolis';

export interface EnrichedCity extends City {
  readonly sizeClass: SizeClass;
  /** A field of about 39 × 20 km, as a geohash of four characters. */
  readonly cell: string;
}

const CELL_LENGTH = 4;

/** @throws Error naming the field that is no good */
export function parseCity(raw: RawCity): City {
  const [longitude, latitude] = raw.loc.coordinates;
  check('country', /^[A-Z]{2}$/.test(raw.country), raw.country);
  check('population', Number.isInteger(raw.population) && raw.population >= 0, raw.population);
  check('latitude', Math.abs(latitude) <= 90, latitude);
  check('longitude', Math.abs(longitude) <= 180, longitude);
  return { id: raw.cityId, name: raw.name, country: raw.country, population: raw.population, latitude, longitude };
}

export function enrichCity(city: City): EnrichedCity {
  const { id, name, country, population, latitude, longitude } = city;
  const cell = geohash(latitude, longitude, CELL_LENGTH);
  return { id, name, country, population, latitude, longitude, sizeClass: sizeClassOf(population), cell };
}

/** Many places have no population in the data: 0 means that nobody knows. */
export function sizeClassOf(population: number): SizeClass {
  if (population === 0) return 'unknown';
  if (population < 20_000) return 'town';
  if (population < 200_000) return 'city';
  if (population < 1_000_000) return 'large city';
  return 'metropolis';
}

function check(field: string, holds: boolean, value: unknown): void {
  if (!holds) throw new Error(`Expected the ${field} of a city, got '${String(value)}'`);
}
