/** The stages of a city, in the order it visits them. */
export const PARSE = 'cities.parse';
export const ENRICH = 'cities.enrich';
export const AGGREGATE = 'cities.aggregate';
export const CITY_STAGES = [PARSE, ENRICH, AGGREGATE] as const;

/** The header that says which import a city belongs to. */
export const IMPORT_ID = 'import-id';
