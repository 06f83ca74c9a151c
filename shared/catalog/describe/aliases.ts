import { DIMENSION_NAMES, type DimensionName, dimensionOf, isDimension } from '../dimensions.ts';
import { METRIC_NAMES, type MetricName, metricOf } from '../metrics.ts';

/** @returns other words for the field, in lower case, with spaces */
export function aliasesOf(field: MetricName | DimensionName): readonly string[] {
  return (isDimension(field) ? dimensionOf(field) : metricOf(field)).aliases ?? [];
}

/** @returns the fields that have the word, in lower case, as an alias */
export function fieldsFor(word: string): readonly string[] {
  return [...METRIC_NAMES, ...DIMENSION_NAMES].filter((field) => aliasesOf(field).includes(word));
}
