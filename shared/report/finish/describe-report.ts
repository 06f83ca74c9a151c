import type { Unit } from '../../catalog/definitions.ts';
import { dimensionOf } from '../../catalog/dimensions.ts';
import { metricOf } from '../../catalog/metrics.ts';
import { inputsOf } from '../../catalog/rules.ts';
import { MAX_EXACT, SKETCH_STANDARD_ERROR } from '../../columns/sketch.ts';
import type { ReportHeader, ReportQuery, ReportSettings } from '../query/query.ts';
import type { Accumulators } from '../scan/accumulate.ts';

/** @param totals of the report, and of the compared one: no row has more users @returns one header per column, in the order of the rows' values */
export function describeHeaders(
  query: ReportQuery,
  settings: ReportSettings,
  totals: readonly Accumulators[],
): ReportHeader[] {
  const unitOf = (unit: Unit | null) => (unit === 'currency' ? settings.currency : unit);
  const dimensions = query.dimensions.map((name): ReportHeader => {
    const { title, type, unit, description } = dimensionOf(name);
    return { name, title, role: 'dimension', type, unit: unitOf(unit), description };
  });
  const metrics = query.metrics.map((name): ReportHeader => {
    const definition = metricOf(name);
    const { title, type, unit, description } = definition;
    const header: ReportHeader = { name, title, role: 'metric', type, unit: unitOf(unit), description };
    const isEstimate = inputsOf(definition).shoppersOf.some((table) =>
      totals.some((facts) => facts.shopperCount(table, 1) > MAX_EXACT),
    );
    return isEstimate ? { ...header, standardError: SKETCH_STANDARD_ERROR } : header;
  });
  return [...dimensions, ...metrics];
}
