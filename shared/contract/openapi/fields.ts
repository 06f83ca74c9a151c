import { isNumeric } from '../../catalog/compared-values.ts';
import type { DimensionDefinition, MetricDefinition } from '../../catalog/definitions.ts';
import { DIMENSION_NAMES, dimensionOf } from '../../catalog/dimensions.ts';
import { METRIC_NAMES, metricOf } from '../../catalog/metrics.ts';
import { dimensionsWithoutMeaning, experiencesOf } from '../../catalog/rules.ts';
import { EXPERIENCES } from '../../catalog/tables.ts';

/** @returns descriptions of the metrics for the OpenAPI document and, as data, the experiences in which each is defined and the dimensions by which it is not */
export function describeMetrics() {
  const rows = METRIC_NAMES.map((name) => {
    const lacking = EXPERIENCES.filter((experience) => !experiencesOf(name).includes(experience));
    const note = lacking.length === 0 ? '' : ` Null in ${lacking.join(' and ')}.`;
    return [name, `${explain(metricOf(name))}${note}`] as const;
  });
  const meaning = METRIC_NAMES.map((name) => [
    name,
    { experiences: experiencesOf(name), notBy: dimensionsWithoutMeaning(name) },
  ]);
  return {
    description:
      'Name of a metric. Every metric can be requested with every dimension in every experience. A metric that is undefined in a report is null in ' +
      'all rows, and `meta.warnings` says why. `x-endcap-meaning` lists, for each metric, the experiences in which it has a ' +
      `meaning, and the dimensions by which it has none, whether the report groups or filters by them.\n\n${list(rows)}`,
    'x-enum-descriptions': rows.map(([, text]) => text),
    'x-endcap-meaning': Object.fromEntries(meaning),
  };
}

/** @returns descriptions of the dimensions for the OpenAPI document */
export function describeDimensions() {
  const rows = DIMENSION_NAMES.map((name) => [name, explain(dimensionOf(name))] as const);
  return {
    description: `Name of a dimension. Facts without a value are in a row of their own, with null.\n\n${list(rows)}`,
    'x-enum-descriptions': rows.map(([, text]) => text),
  };
}

/** JSON types by the type of a field; dates are strings. */
const JSON_TYPES = { text: 'string', date: 'string', integer: 'integer', decimal: 'number' } as const;
const FORMATS = { text: undefined, date: 'date', integer: 'int64', decimal: 'double' } as const;

/** The relative changes of metrics, which are fractions also where the metric is an integer. */
export const RELATIVE_CHANGES = {
  type: 'object',
  description: 'Of each numeric metric by name: its change / |its compared value|; null where that is null or 0.',
  properties: Object.fromEntries(
    METRIC_NAMES.filter((name) => isNumeric(metricOf(name).type)).map((name) => [
      name,
      { type: ['number', 'null'], format: 'double' },
    ]),
  ),
};

/** @returns the schema of a row: every field that can be requested, with the type of its values. A row has the fields of its request. */
export function describeRow(values: object, relativeChange: object) {
  const fields = [
    ...DIMENSION_NAMES.map((name) => [name, dimensionOf(name)] as const),
    ...METRIC_NAMES.map((name) => [name, metricOf(name)] as const),
  ];
  const properties = fields.map(([name, field]) => {
    const format = FORMATS[field.type];
    return [name, { type: [JSON_TYPES[field.type], 'null'], ...(format && { format }), description: explain(field) }];
  });
  return {
    type: 'object',
    description: 'Values by the names of the requested fields.',
    properties: {
      ...Object.fromEntries(properties),
      compared: {
        description: 'In the rows of a report with `compare`: the metrics in the compared period.',
        ...values,
      },
      change: { description: 'In the same rows: each numeric metric − its compared value.', ...values },
      relativeChange,
    },
  };
}

function explain({ title, description, type, unit }: MetricDefinition | DimensionDefinition): string {
  const scale = unit === 'fraction' ? 'fraction: 1 is 100 %' : unit;
  return `${title} (${scale === null ? type : `${type}, ${scale}`}): ${description}`;
}

const list = (rows: readonly (readonly [string, string])[]): string =>
  rows.map(([name, text]) => `- \`${name}\` — ${text}`).join('\n');
