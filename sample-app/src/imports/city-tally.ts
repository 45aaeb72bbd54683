import type { EnrichedCity, SizeClass } from './city.js';

export interface Place {
  readonly name: string;
  readonly country: string;
  readonly population: number;
}

export interface CountrySummary {
  readonly cities: number;
  readonly people: number;
  readonly largest: Place;
}

/** What an import comes to. */
export interface CitySummary {
  readonly cities: number;
  readonly people: number;
  /** `null` when there was no city at all. */
  readonly largest: Place | null;
  readonly bySize: Readonly<Record<SizeClass, number>>;
  /** How many geohash cells have at least one city. */
  readonly cells: number;
  /** By country code. */
  readonly countries: Readonly<Record<string, CountrySummary>>;
}

interface Sum {
  cities: number;
  people: number;
  largest: EnrichedCity;
}

/** Adds up cities one by one, in any order: of two that are equally large, the smaller id counts as the larger city. */
export class CityTally {
  private readonly countries = new Map<string, Sum>();
  private readonly cells = new Set<string>();
  private readonly bySize = { unknown: 0, town: 0, city: 0, 'large city': 0, metropolis: 0 };

  add(city: EnrichedCity): void {
    this.bySize[city.sizeClass]++;
    this.cells.add(city.cell);
    const sum = this.countries.get(city.country);
    if (sum === undefined) this.countries.set(city.country, { cities: 1, people: city.population, largest: city });
    else {
      sum.cities++;
      sum.people += city.population;
      sum.largest = larger(sum.largest, city);
    }
  }

  summary(): CitySummary {
    const sums = [...this.countries.values()];
    const largest = sums.map((sum) => sum.largest).reduce(larger, sums[0]?.largest as EnrichedCity);
    return {
      cities: sums.reduce((all, { cities }) => all + cities, 0),
      people: sums.reduce((all, { people }) => all + people, 0),
      largest: largest === undefined ? null : placeOf(largest),
      bySize: { ...this.bySize },
      cells: this.cells.size,
      countries: Object.fromEntries(
        [...this.countries].map(([code, sum]) => [code, { ...sum, largest: placeOf(sum.largest) }]),
      ),
    };
  }
}

function larger(one: EnrichedCity, other: EnrichedCity): EnrichedCity {
  if (one.population !== other.population) return one.population > other.population ? one : other;
  return one.id <= other.id ? one : other;
}

const placeOf = ({ name, country, population }: EnrichedCity): Place => ({ name, country, population });
