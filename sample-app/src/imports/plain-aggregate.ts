import type { RawCity } from './city-source.js';
import { sizeClassOf } from './city.js';
import type { CitySummary, Place } from './city-tally.js';
import { geohash } from './geohash.js';

/** The same sums by a plain loop over the raw data, without stages: what the import is checked against. */
export function plainAggregate(cities: readonly RawCity[]): CitySummary {
  const countries: Record<string, { cities: number; people: number; largest: Place }> = {};
  const bySize = { unknown: 0, town: 0, city: 0, 'large city': 0, metropolis: 0 };
  const cells = new Set<string>();
  let people = 0;
  let largest: Place | null = null;
  // Largest first, and then the smallest id: the first of a country is its largest.
  const sorted = cities.toSorted((a, b) => b.population - a.population || a.cityId - b.cityId);
  for (const { name, country, population, loc } of sorted) {
    const [longitude, latitude] = loc.coordinates;
    const place = { name, country, population };
    largest ??= place;
    people += population;
    bySize[sizeClassOf(population)]++;
    cells.add(geohash(latitude, longitude, 4));
    const sum = (countries[country] ??= { cities: 0, people: 0, largest: place });
    sum.cities++;
    sum.people += population;
  }
  return { cities: cities.length, people, largest, bySize, cells: cells.size, countries };
}
