import type { DimensionName } from '../../catalog/dimensions.ts';
import type { ReportValue } from '../query.ts';
import type { GroupedFacts } from '../scan/scan-facts.ts';

/** The values of one dimension: the value of a group is `values[codeOf(group)]`. */
export interface DimensionValues {
  readonly name: DimensionName;
  readonly values: readonly ReportValue[];
  readonly codeOf: (group: number) => number;
}

/** @returns the values of the named dimensions, which must be dimensions of the axes */
export function dimensionValues({ axes, table }: GroupedFacts, names: readonly DimensionName[]): DimensionValues[] {
  return names.map((name) => {
    const axis = axes.findIndex((codes) => codes.axis.dimensions.includes(name));
    return { name, values: axes[axis]?.valuesOf(name) ?? [], codeOf: (group) => table.codeAt(group, axis) };
  });
}
