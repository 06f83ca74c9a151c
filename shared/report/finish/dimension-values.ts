import type { DimensionName } from '../../catalog/dimensions.ts';
import type { ReportQuery, ReportValue } from '../query/query.ts';
import type { GroupedFacts } from '../scan/scan-facts.ts';

/** The values of one dimension, amounts in micros: the value of a group is `values[codeOf(group)]`. */
export interface DimensionValues {
  readonly name: DimensionName;
  readonly values: readonly ReportValue[];
  readonly codeOf: (group: number) => number;
}

/**
 * @param valuesOf returns the values of one of the report's dimensions
 * @returns a function that returns the experience of a group in a report of all experiences; undefined where groups are not by experience
 */
export function experienceReader(
  { experience, dimensions }: ReportQuery,
  valuesOf: (name: DimensionName) => DimensionValues | undefined,
): ((group: number) => ReportValue) | undefined {
  const found =
    experience === 'all' && dimensions.includes('experience_name') ? valuesOf('experience_name') : undefined;
  return found && ((group) => found.values[found.codeOf(group)] ?? null);
}

/** @returns the values of the named dimensions. @throws RangeError if the facts are not grouped by one of them */
export function dimensionValues(
  { axes, table }: Pick<GroupedFacts, 'axes' | 'table'>,
  names: readonly DimensionName[],
): DimensionValues[] {
  return names.map((name) => {
    const index = axes.findIndex(({ axis }) => axis.dimensions.includes(name));
    const axisCodes = axes[index];
    if (axisCodes === undefined) throw new RangeError(`the facts are not grouped by ${name}`);
    return { name, values: axisCodes.valuesOf(name), codeOf: (group) => table.codeAt(group, index) };
  });
}
