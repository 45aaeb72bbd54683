import type { RawCity } from '../../../sample-app/src/imports/city-source.js';

export const rawCity = (other: Partial<RawCity> = {}): RawCity => ({
  cityId: 1,
  name: 'Berlin',
  country: 'DE',
  population: 1_000,
  loc: { type: 'Point', coordinates: [13.4, 52.5] },
  ...other,
});
