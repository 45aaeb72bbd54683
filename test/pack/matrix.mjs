/**
 * The applications the package is installed into, one a line. Not every combination: every manager, with the Nests and the
 * module formats that tell something new there. Terminus is of the same major version as Nest.
 *
 * `types`: how TypeScript looks for the published types. To check them takes longest, so each way is taken once, from ESM and
 * from CommonJS, with each Nest, and where an import that nobody declared is not found (Plug'n'Play).
 *
 * `lmdb`: whether the optional peer of durable stages is installed; where it is not, its absence has to be told.
 *
 * With Plug'n'Play there is no CommonJS: on Node 20 it cannot `require()` an ES module, ours as little as Nest 12.
 */
export const MATRIX = [
  { manager: 'npm', nest: 12, format: 'module', types: ['nodenext', 'bundler'] },
  { manager: 'npm', nest: 12, format: 'commonjs', types: ['nodenext'], lmdb: true },
  { manager: 'npm', nest: 11, format: 'module', types: [] },
  { manager: 'npm', nest: 11, format: 'commonjs', types: ['nodenext', 'node10'], lmdb: true },
  { manager: 'pnpm', nest: 12, format: 'module', types: [], lmdb: true },
  { manager: 'pnpm', nest: 11, format: 'commonjs', types: [] },
  { manager: 'yarn 1', nest: 11, format: 'commonjs', types: [] },
  { manager: 'yarn 4', nest: 12, format: 'commonjs', types: [] },
  { manager: "yarn 4 Plug'n'Play", nest: 12, format: 'module', types: ['nodenext'], lmdb: true },
];

export function nameOf({ manager, nest, format }) {
  return `${manager}, Nest ${nest}, ${format === 'module' ? 'ESM' : 'CommonJS'}`;
}
