/** How many orders of steps each property tries. */
export const RUNS = Math.max(20, Math.round(Number(process.env['SEDA_PROPERTY_RUNS'] ?? 100_000) / 100));
