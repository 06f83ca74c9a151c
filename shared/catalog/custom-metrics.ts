import { CUSTOM_FIELDS, customColumn } from './custom-fields.ts';
import { count, money, ratio } from './define-metrics.ts';
import type { MetricDefinition, RatioTerm } from './definitions.ts';
import type { Measure } from './tables.ts';

/** @returns the column of a term: of a custom measure, or of the catalogue */
function termOf(name: string): RatioTerm {
  const field = CUSTOM_FIELDS.measures[name];
  return field === undefined ? (name as Measure) : customColumn(name, field); // checked with the declarations
}

const measures = Object.entries(CUSTOM_FIELDS.measures).map(([name, field]): [string, MetricDefinition] => {
  const { unit, title = name, description = `Custom field: sum of ${field.column ?? name}.` } = field;
  const sum = (unit === 'count' ? count : money)(customColumn(name, field), title, description);
  return [name, { ...sum, unit }];
});

const ratios = Object.entries(CUSTOM_FIELDS.ratios).map(([name, field]): [string, MetricDefinition] => {
  const { of, to, factor = 1, unit = 'ratio', title = name } = field;
  const description = field.description ?? `Custom field: ${factor === 1 ? '' : `${factor} × `}${of} / ${to}.`;
  return [name, ratio(termOf(of), termOf(to), unit, title, description, factor)];
});

/** The metrics of the operator's declarations. */
export const CUSTOM_METRICS: Readonly<Record<never, MetricDefinition>> = Object.fromEntries([...measures, ...ratios]);
