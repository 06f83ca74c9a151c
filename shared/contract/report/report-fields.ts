import * as z from 'zod/mini';
import type { FieldType } from '../../catalog/definitions.ts';
import { DIMENSION_NAMES, type DimensionName, dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import { isMetric, METRIC_NAMES, type MetricName, metricOf } from '../../catalog/metrics.ts';

export type FieldName = MetricName | DimensionName;

/** What a date in a request must be, as messages put it. */
export const EXISTING_DATE = 'an existing date in the format YYYY-MM-DD';

export function isFieldName(value: unknown): value is FieldName {
  return typeof value === 'string' && (isMetric(value) || isDimension(value));
}

/** @returns the type of the field's values */
export function fieldType(name: FieldName): FieldType {
  return isMetric(name) ? metricOf(name).type : dimensionOf(name).type;
}

/** @returns where all names are, and the first ten */
function listed(names: readonly string[]): string {
  return ` of GET /metadata/fields: ${names.slice(0, 10).join(', ')}, …`;
}

/** @returns what the name is instead, at the end of a message */
function otherwise(name: unknown, is: (name: string) => boolean, kind: string): string {
  return typeof name === 'string' && is(name) ? `; ${name} is a ${kind}` : '';
}

export const MetricField = z
  .enum(METRIC_NAMES, {
    error: ({ input }) => `one of the metrics${listed(METRIC_NAMES)}${otherwise(input, isDimension, 'dimension')}`,
  })
  .check(z.meta({ id: 'Metric', description: 'Name of a metric.' }));

export const DimensionField = z
  .enum(DIMENSION_NAMES, {
    error: ({ input }) => `one of the dimensions${listed(DIMENSION_NAMES)}${otherwise(input, isMetric, 'metric')}`,
  })
  .check(z.meta({ id: 'Dimension', description: 'Name of a dimension.' }));

const FIELDS: readonly FieldName[] = [...METRIC_NAMES, ...DIMENSION_NAMES];
export const ReportField = z
  .enum(FIELDS, `the name of a metric or of a dimension${listed(FIELDS)}`)
  .check(z.meta({ id: 'ReportField', description: 'Name of a metric or a dimension.' }));
