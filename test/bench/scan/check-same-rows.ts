import { metricOf } from '../../../shared/catalog/metrics.ts';
import type { ReportQuery, ReportValue } from '../../../shared/report/query/query.ts';

const MICROS = 1_000_000;
/** The SQL divides sums and then converts micros to currency units, which rounds twice; the engine rounds once. */
const ROUNDING = 4 * Number.EPSILON;

/**
 * @param rows of the SQL: dimensions, then metrics, in the order of the query
 * @param moneyScale the units of money in those rows per currency unit: micros by default
 * @throws Error at the first difference between the rows of a report and those of the SQL, or if there are no rows
 */
export function checkSameRows(
  query: Pick<ReportQuery, 'dimensions' | 'metrics'>,
  data: readonly Readonly<Record<string, ReportValue>>[],
  rows: readonly (readonly unknown[])[],
  moneyScale = MICROS,
): void {
  if (data.length === 0 || data.length !== rows.length) {
    throw new Error(`Endcap returned ${data.length} rows, and DuckDB ${rows.length}`);
  }
  const scales = [
    ...query.dimensions.map((name) => ({ name, scale: 1 })),
    ...query.metrics.map((name) => ({ name, scale: metricOf(name).unit === 'currency' ? moneyScale : 1 })),
  ];
  for (const [index, row] of data.entries()) {
    for (const [column, { name, scale }] of scales.entries()) {
      const [value, other] = [row[name] ?? null, rows[index]?.[column] ?? null];
      if (isSame(value, other, scale)) continue;
      const shown = typeof value === 'number' && other !== null ? Number(other) / scale : other;
      throw new Error(`row ${index}, ${name}: Endcap ${value}, DuckDB ${shown}`);
    }
  }
}

function isSame(value: ReportValue, other: unknown, scale: number): boolean {
  if (value === null || other === null) return value === other;
  if (typeof value !== 'number') return value === String(other); // a date of DuckDB becomes YYYY-MM-DD
  const expected = Number(other) / scale;
  return Math.abs(value - expected) <= ROUNDING * Math.abs(expected);
}
