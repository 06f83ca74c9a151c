import type { MetricName } from '../../catalog/metrics.ts';
import type { Deadline } from '../../lib/deadline.ts';
import { shapeRows } from '../../lib/shape-rows.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportRow, ReportValue } from '../query/query.ts';
import { toUnits } from './derive-metrics.ts';
import type { DimensionValues } from './dimension-values.ts';
import { sortAndPage } from './sort-and-page.ts';
import type { SortKey } from './sort-keys.ts';

/** A column of the rows, besides dimensions. */
interface ValueColumn {
  readonly name: string;
  readonly read: (group: number) => ReportValue;
}

interface SortableGroups {
  /** In any order. */
  readonly groups: Uint32Array;
  readonly keys: readonly SortKey[];
}

/** The rows of a computed report, in its order. They are made on request, each with its values in the order of the headers. */
export class ReportRows {
  readonly #sortable: SortableGroups;
  readonly #names: readonly string[];
  /** By column, a function that returns the value of a group. */
  readonly #readers: readonly ((group: number) => ReportValue)[];

  constructor(sortable: SortableGroups, dimensions: readonly DimensionValues[], columns: readonly ValueColumn[]) {
    this.#sortable = sortable;
    this.#names = [...dimensions, ...columns].map(({ name }) => name);
    this.#readers = [
      ...dimensions.map(({ name, values, codeOf }) => {
        const shown = values.map((value) => toUnits(name, value));
        return (group: number) => shown[codeOf(group)] ?? null;
      }),
      ...columns.map(({ read }) => read),
    ];
  }

  /**
   * @returns the rows [offset, offset + size), keyed by field name
   * @throws ApiError DEADLINE_EXCEEDED
   */
  page(offset: number, size: number, deadline: Deadline): ReportRow[] {
    const { groups, keys } = this.#sortable;
    const shape = shapeRows<ReportValue>(this.#names);
    return Array.from(sortAndPage(groups, keys, offset, size, deadline), (group) => {
      deadline.checkStep();
      return shape((column) => this.#readers[column]?.(group) ?? null);
    });
  }
}

/** @returns those of the groups that pass the metric filters. @throws ApiError DEADLINE_EXCEEDED */
export function selectGroups(
  groups: Uint32Array,
  { groupConditions }: Plan,
  derive: (name: MetricName, by: 'value') => (group: number) => ReportValue,
  deadline: Deadline,
): Uint32Array {
  let kept = groups;
  for (const { metric, passes } of groupConditions) {
    deadline.check();
    const metricValueOf = derive(metric, 'value');
    kept = kept.filter((group) => passes(metricValueOf(group)));
  }
  return kept;
}
