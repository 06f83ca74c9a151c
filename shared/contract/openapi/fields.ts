import type { DimensionDefinition, MetricDefinition } from '../../catalog/definitions.ts';
import { DIMENSION_NAMES, dimensionOf } from '../../catalog/dimensions.ts';
import { METRIC_NAMES, metric } from '../../catalog/metrics.ts';
import { dimensionsWithoutMeaning, experiencesOf } from '../../catalog/rules.ts';
import { EXPERIENCES } from '../../catalog/tables.ts';

/** What the OpenAPI document says of the metrics beside their names: what each is, and, as data, where it has a meaning. */
export function describeMetrics() {
  const rows = METRIC_NAMES.map((name) => {
    const lacking = EXPERIENCES.filter((experience) => !experiencesOf(name).includes(experience));
    const note = lacking.length === 0 ? '' : ` Null in ${lacking.join(' and ')}.`;
    return [name, `${explain(metric(name))}${note}`] as const;
  });
  const meaning = METRIC_NAMES.map((name) => [
    name,
    { experiences: experiencesOf(name), notBy: dimensionsWithoutMeaning(name) },
  ]);
  return {
    description:
      'Name of a metric. Every metric may be requested with every dimension in every experience; where it has no meaning it is null in every row, ' +
      'and `meta.warnings` says what to drop. `x-endcap-meaning` lists, for each metric, the experiences it has a meaning in and the dimensions ' +
      `that take it away, grouped or filtered by.\n\n${list(rows)}`,
    'x-enum-descriptions': Object.fromEntries(rows),
    'x-endcap-meaning': Object.fromEntries(meaning),
  };
}

/** What the OpenAPI document says of the dimensions beside their names. */
export function describeDimensions() {
  const rows = DIMENSION_NAMES.map((name) => [name, explain(dimensionOf(name))] as const);
  return {
    description: `Name of a dimension. A missing value is null, in a row of its own.\n\n${list(rows)}`,
    'x-enum-descriptions': Object.fromEntries(rows),
  };
}

function explain({ title, description, type, unit }: MetricDefinition | DimensionDefinition): string {
  return `${title} (${unit === null ? type : `${type}, ${unit}`}): ${description}`;
}

const list = (rows: readonly (readonly [string, string])[]): string =>
  rows.map(([name, text]) => `- \`${name}\` — ${text}`).join('\n');
