import { keysOf } from '../../lib/keys-of.ts';
import { closedValuesOf } from '../closed-values.ts';
import type { DimensionDefinition } from '../definitions.ts';
import { DIMENSION_GROUPS, type DimensionName, dimensionOf } from '../dimensions.ts';
import { METRIC_GROUPS, type MetricName, metricOf } from '../metrics.ts';
import { OPERATOR_NAMES, OPERATORS } from '../operators.ts';
import { columnHasValues, experiencesOf } from '../rules.ts';
import { EXPERIENCES } from '../tables.ts';
import { aliasesOf } from './aliases.ts';

/** @returns all metrics, in the order of display. The members are documented in contract/resources/field.ts. */
export function describedMetrics() {
  return keysOf(METRIC_GROUPS).flatMap((group) =>
    keysOf(METRIC_GROUPS[group]).map((name) => {
      const { kind, ...definition } = metricOf(name);
      const filters = kind === 'attribute' ? ('facts' as const) : ('rows' as const);
      return { name, ...describe(name, definition), group, kind, experiences: experiencesOf(name), filters };
    }),
  );
}

/** @returns all dimensions, in the order of display */
export function describedDimensions() {
  return keysOf(DIMENSION_GROUPS).flatMap((group) =>
    keysOf(DIMENSION_GROUPS[group]).map((name) => {
      const experiences = EXPERIENCES.filter((experience) => columnHasValues(dimensionOf(name).base, experience));
      return { name, ...describe(name, dimensionOf(name)), group, experiences, filters: 'facts' as const };
    }),
  );
}

export function describedOperators() {
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

function describe(
  name: MetricName | DimensionName,
  { title, type, unit, description }: Pick<DimensionDefinition, 'title' | 'type' | 'unit' | 'description'>,
) {
  const values = closedValuesOf(name);
  return { title, type, unit, description, aliases: aliasesOf(name), ...(values === undefined ? {} : { values }) };
}
