/** @typedef {{ name: string, value: number, min?: number, max?: number, unit?: string, target?: string, met?: boolean | null, note?: string }} Row */

/** A figure without a target. */
export const figure = (name, { median, min, max }, unit, note) => ({ name, value: median, min, max, unit, note });

/** A figure that must be at least `target`. */
export const atLeast = (name, target, { median, min, max }, unit = '×') => ({
  name,
  value: median,
  min,
  max,
  unit,
  target: `≥ ${target}`,
  met: median >= target,
});

/** A figure that must be at most `target`. */
export const atMost = (name, target, { median, min, max }, unit) => ({
  name,
  value: median,
  min,
  max,
  unit,
  target: `≤ ${target}`,
  met: median <= target,
});

/** A yes that must be one. */
export const holds = (name, met, note) => ({ name, value: met ? 1 : 0, target: 'yes', met, note });

/** Something that could not be measured here, by name. */
export const skipped = (name, why) => ({ name, value: Number.NaN, target: '', met: null, note: `skipped: ${why}` });

/** @param {string} workload @param {Row[]} rows */
export function print(workload, rows) {
  console.log(`\n${workload}`);
  const cells = rows.map((row) => [row.name, shown(row), row.target ?? '', verdict(row), row.note ?? '']);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((cell) => cell[column].length)));
  for (const cell of cells)
    console.log(
      '  ' +
        cell
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
    );
}

function shown({ value, min, max, unit = '', target }) {
  if (Number.isNaN(value)) return '–';
  if (target === 'yes') return value === 1 ? 'yes' : 'no';
  const range = min === undefined || min === max ? '' : ` (${compact(min)}–${compact(max)})`;
  return `${compact(value)}${unit === '×' ? '×' : ''}${range}${unit === '×' ? '' : ` ${unit}`}`;
}

function compact(value) {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return Number(value.toPrecision(3)).toString();
}

function verdict({ met, target }) {
  if (met === null) return 'SKIPPED';
  if (target === undefined || target === '') return '';
  return met ? 'met' : 'MISSED';
}
