import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { inputsOf } from '../../catalog/rules.ts';
import {
  type BaseColumn,
  type DayColumn,
  type Experience,
  type FactTable,
  keyIn,
  type Measure,
  tableOf,
  UNIDENTIFIED,
  withParts,
} from '../../catalog/tables.ts';

/** The name of a sum: of a measure in all facts of the report, or only in some. */
export type SumName = Measure | `${Measure} ${string}`;

/**
 * Which rows are counted: those of days that have or lack a measure, or keys of the report. `near`: in all groups of their date and ad group, whatever other keys
 * and filters say.
 */
export type RowCount = 'measured' | 'unmeasured' | 'keyless' | 'keyed near' | 'keyless near';

/** A sum of a measure over facts of some experiences of the report. */
export interface ScannedSum {
  readonly name: SumName;
  readonly measure: Measure;
  readonly experiences: readonly Experience[];
  /** Only days that have these columns are summed. */
  readonly needs?: readonly DayColumn[];
  /** Instead of values, rows are counted, by whether their days have `needs`. */
  readonly counts?: RowCount;
}

/** What the sums of a plan depend on. */
interface SumPlan {
  readonly experiences: readonly Experience[];
  readonly partialMetrics: ReadonlyMap<MetricName, readonly Experience[]>;
  readonly axes: readonly { readonly base: BaseColumn }[];
  readonly rowConditions: readonly { readonly base: BaseColumn }[];
  readonly unmeasured: ReadonlySet<DayColumn>;
}
type NamingPlan = Omit<SumPlan, 'experiences'>;
type KeyPlan = Pick<SumPlan, 'axes' | 'rowConditions' | 'unmeasured'>;

/** @returns the name of the sum of the measure that the metric is computed from */
export function sumNameOf(plan: NamingPlan, metric: MetricName, measure: Measure): SumName {
  const covered = plan.partialMetrics.get(metric);
  const needs = needsOf(plan, metric, measure);
  const all: SumName = covered === undefined ? measure : `${measure} in ${covered.join()}`;
  return needs.length === 0 ? all : `${all} on days with ${needs.join()}`;
}

/** @returns what days must have for a ratio to divide over them: the other measure, and of two tables, the keys of the report that one of them lacks on some day */
function needsOf(plan: NamingPlan, metric: MetricName, measure: Measure): readonly DayColumn[] {
  const other = inputsOf(metricOf(metric)).measures.find((name) => !withParts(name).includes(measure));
  if (other === undefined) return [];
  const tables = [tableOf(measure), tableOf(other)].sort();
  const keys = tables[0] === tables[1] ? [] : tables.flatMap((table) => lackedKeys(plan, table));
  return plan.unmeasured.has(other) ? [other, ...keys] : keys;
}

/** @returns those keys by which the report groups or filters that the table lacks on some day */
export function lackedKeys({ axes, rowConditions, unmeasured }: KeyPlan, table: FactTable): readonly DayColumn[] {
  const keys = new Set([...axes, ...rowConditions].map(({ base }) => keyIn(table, base)));
  return [...keys].filter((key) => unmeasured.has(key)).sort();
}

/** @returns which rows of the measure's table to count for the metric, each with the columns that decide it */
export function countsOf(
  plan: KeyPlan,
  metric: MetricName,
  measure: Measure,
): ReadonlyMap<RowCount, readonly DayColumn[]> {
  const { measures } = inputsOf(metricOf(metric));
  const counts = new Map<RowCount, readonly DayColumn[]>();
  if (measures.length < 2) {
    if (plan.unmeasured.has(measure)) counts.set('measured', [measure]).set('unmeasured', [measure]);
    const keys = lackedKeys(plan, tableOf(measure));
    if (keys.length > 0) counts.set('keyless', keys).set('keyed near', keys).set('keyless near', keys);
  } else if (new Set(measures.map(tableOf)).size > 1) {
    const keys = lackedKeys({ ...plan, rowConditions: [] }, tableOf(measure));
    if (keys.length > 0) counts.set('keyless', keys);
  }
  return counts;
}

/** @returns the name of the number of rows; undefined where they are not counted */
export function countNameOf(
  plan: NamingPlan,
  metric: MetricName,
  measure: Measure,
  count: RowCount,
): SumName | undefined {
  const needs = countsOf(plan, metric, measure).get(count);
  return needs && `${sumNameOf(plan, metric, measure)} ${count} ${needs.join()}`;
}

/** @returns the sums that the metrics need, ascending by name, and the tables whose shoppers they count */
export function planSums(
  metrics: readonly MetricName[],
  plan: SumPlan,
  partlyIdentified: ReadonlySet<Measure>,
): { readonly sums: readonly ScannedSum[]; readonly shoppersOf: ReadonlyMap<FactTable, Measure | undefined> } {
  const sums = new Map<SumName, ScannedSum>();
  const shoppersOf = new Map<FactTable, Measure | undefined>();
  for (const metric of metrics) {
    const inputs = inputsOf(metricOf(metric));
    const lacked = inputs.measures.find((measure) => plan.unmeasured.has(measure)); // of a ratio to shoppers
    for (const table of inputs.shoppersOf) shoppersOf.set(table, lacked ?? shoppersOf.get(table));
    const unidentified = inputs.shoppersOf.flatMap((table): Measure[] => {
      const { part, whole } = UNIDENTIFIED[table];
      return partlyIdentified.has(whole) ? [part, whole] : [part];
    });
    for (const measure of [...inputs.measures.flatMap(withParts), ...unidentified]) {
      const name = sumNameOf(plan, metric, measure);
      const needs = needsOf(plan, metric, measure);
      const sum = { measure, experiences: plan.partialMetrics.get(metric) ?? plan.experiences };
      sums.set(name, { name, ...sum, ...(needs.length > 0 && { needs }) });
      for (const [counts, columns] of countsOf(plan, metric, measure)) {
        const countName = countNameOf(plan, metric, measure, counts);
        if (countName !== undefined) sums.set(countName, { name: countName, ...sum, counts, needs: columns });
      }
    }
  }
  return { sums: [...sums.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), shoppersOf };
}
