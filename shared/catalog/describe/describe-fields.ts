import { closedValuesOf } from '../closed-values.ts';
import type { DimensionDefinition, FieldType, MetricDefinition, Unit } from '../definitions.ts';
import { DIMENSION_GROUPS, type DimensionGroup, type DimensionName, dimensionOf } from '../dimensions.ts';
import { METRIC_GROUPS, type MetricGroup, type MetricName, metricOf } from '../metrics.ts';
import { type Arity, OPERATOR_NAMES, OPERATORS, type Operator } from '../operators.ts';
import { columnHasValues, experiencesOf } from '../rules.ts';
import { EXPERIENCES, type Experience } from '../tables.ts';
import { aliasesOf } from './aliases.ts';

interface DescribedField {
  readonly title: string;
  readonly type: FieldType;
  readonly unit: Unit | null;
  readonly description: string;
  /** Other words for the field, for a search; in lower case. */
  readonly aliases: readonly string[];
  /** The experiences in which the field has a meaning. */
  readonly experiences: readonly Experience[];
  /** `facts`: filters on the field select facts before they are grouped; `rows`: they select rows after it. */
  readonly filters: 'facts' | 'rows';
  /** All values except null, if they are a closed set. */
  readonly values?: readonly (string | number)[];
}

export interface DescribedMetric extends DescribedField {
  readonly name: MetricName;
  readonly group: MetricGroup;
  readonly kind: MetricDefinition['kind'];
}

export interface DescribedDimension extends DescribedField {
  readonly name: DimensionName;
  readonly group: DimensionGroup;
}

interface DescribedOperator {
  readonly name: Operator;
  readonly title: string;
  readonly values: Arity;
  readonly types: readonly FieldType[];
  readonly description: string;
}

/** @returns all metrics, in the order of display */
export function describedMetrics(): DescribedMetric[] {
  return inGroups<MetricName, MetricGroup>(METRIC_GROUPS).map(([name, group]) => {
    const { kind, ...definition } = metricOf(name);
    const filters = kind === 'attribute' ? 'facts' : 'rows';
    return { name, ...describe(name, definition), group, kind, experiences: experiencesOf(name), filters };
  });
}

/** @returns all dimensions, in the order of display */
export function describedDimensions(): DescribedDimension[] {
  return inGroups<DimensionName, DimensionGroup>(DIMENSION_GROUPS).map(([name, group]) => {
    const experiences = EXPERIENCES.filter((experience) => columnHasValues(dimensionOf(name).base, experience));
    return { name, ...describe(name, dimensionOf(name)), group, experiences, filters: 'facts' };
  });
}

/** @returns all filter operators */
export function describedOperators(): DescribedOperator[] {
  return OPERATOR_NAMES.map((name) => {
    const { title, arity, suits, meaning } = OPERATORS[name];
    return {
      name,
      title,
      values: arity,
      types: suits,
      description: `${meaning.slice(0, 1).toUpperCase()}${meaning.slice(1)}.`,
    };
  });
}

/** @returns the names of the fields with their groups, in the order of display */
function inGroups<Name extends string, Group extends string>(
  groups: Readonly<Record<Group, Readonly<Partial<Record<Name, unknown>>>>>,
): (readonly [Name, Group])[] {
  return (Object.keys(groups) as Group[]).flatMap((group) =>
    (Object.keys(groups[group]) as Name[]).map((name) => [name, group] as const),
  ); // the names of the literals
}

function describe(
  name: MetricName | DimensionName,
  { title, type, unit, description }: Pick<DimensionDefinition, 'title' | 'type' | 'unit' | 'description'>,
) {
  const values = closedValuesOf(name);
  return { title, type, unit, description, aliases: aliasesOf(name), ...(values === undefined ? {} : { values }) };
}
