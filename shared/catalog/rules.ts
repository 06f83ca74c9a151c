import type { MetricDefinition, RatioTerm } from './definitions.ts';
import { DIMENSION_NAMES, type DimensionName, dimensionOf } from './dimensions.ts';
import { METRIC_NAMES, type MetricName, metricOf } from './metrics.ts';
import {
  type BaseColumn,
  type DayColumn,
  EXPERIENCES,
  type Experience,
  type Measure,
  measureOf,
  type RowSource,
  type TableWithShoppers,
  tableHas,
} from './tables.ts';
import type { WarningCode } from './warnings.ts';

/** The measures without a meaning in an experience: metrics of them are null there, with a warning. */
const WITHOUT_MEANING: Partial<Readonly<Record<Experience, readonly DayColumn[]>>> = {
  toa: ['opportunities', 'scheduled_seconds', 'market_impressions'],
  pla: [
    'video_starts',
    'video_pauses',
    'video_completes',
    'video_total_duration',
    'video_first_quartile_views',
    'video_second_quartile_views',
    'video_third_quartile_views',
  ],
};

/** @returns whether the measure has a meaning in the experience */
export function hasMeaning(measure: DayColumn, experience: Experience): boolean {
  return WITHOUT_MEANING[experience]?.includes(measure) !== true;
}

/** @returns the experiences in which the metric has a meaning */
export function experiencesOf(name: MetricName): readonly Experience[] {
  const { measures } = inputsOf(metricOf(name));
  return EXPERIENCES.filter((experience) => measures.every((measure) => hasMeaning(measure, experience)));
}

/** What every row has, although no file may have it as a column. */
const OF_EVERY_ROW: readonly BaseColumn[] = ['advertiser', 'experience', 'date'];

/**
 * @param withData the columns of fact tables that have had values, as `<experience>/<column>`, or `<experience>/<table>/users` where a table had shoppers
 * @returns the metrics and dimensions that have a meaning in the experience, but no data
 */
export function fieldsWithoutData(withData: ReadonlySet<string>, experience: Experience): readonly string[] {
  const hasData = (column: string) => withData.has(`${experience}/${column}`);
  const metrics = METRIC_NAMES.filter((name) => {
    const { measures, shoppersOf } = inputsOf(metricOf(name));
    const columns = [...measures, ...shoppersOf.map((table) => `${table}/users`)];
    return experiencesOf(name).includes(experience) && !columns.every(hasData);
  });
  const dimensions = DIMENSION_NAMES.filter((name) => {
    const { base } = dimensionOf(name);
    return columnHasValues(base, experience) && !OF_EVERY_ROW.includes(base) && !hasData(base);
  });
  return [...metrics, ...dimensions];
}

/** @returns what a metric is computed from: measures to sum, and fact tables whose shoppers to count */
export function inputsOf(definition: MetricDefinition): {
  readonly measures: readonly Measure[];
  readonly shoppersOf: readonly TableWithShoppers[];
} {
  const terms = termsOf(definition);
  return {
    measures: terms.filter((term) => typeof term === 'string'),
    shoppersOf: terms.flatMap((term) => (typeof term === 'string' ? [] : [term.shoppersOf])),
  };
}

function termsOf(definition: MetricDefinition): readonly RatioTerm[] {
  switch (definition.kind) {
    case 'sum':
      return [definition.measure];
    case 'ratio':
      return [definition.numerator, definition.denominator];
    case 'distinct':
      return [{ shoppersOf: definition.table }];
    case 'remaining':
    case 'pacing':
      return ['cost'];
    case 'share':
      return ['market_impressions'];
    case 'planned':
    case 'attribute':
      return [];
  }
}

/** @returns whether facts of the experience may have values in the column; elsewhere the dimensions of the column are null */
export function columnHasValues(column: BaseColumn, experience: Experience): boolean {
  return experience === 'pla' || !['keyword', 'match_type', 'search_term'].includes(column);
}

/** @returns the tables that make rows for the metric: none for attributes, and never market, which is only a denominator */
export function rowSourcesOf(definition: MetricDefinition): readonly RowSource[] {
  if (definition.kind === 'share') return ['delivery'];
  const { measures, shoppersOf } = inputsOf(definition);
  const tables = new Set<RowSource>([...measures.map((measure) => measureOf(measure).table), ...shoppersOf]);
  if (['planned', 'remaining', 'pacing'].includes(definition.kind)) tables.add('plan');
  return [...tables];
}

/** @returns whether the metric has a meaning in reports that group or filter by the dimension */
function metricHasDimension(name: MetricName, dimension: DimensionName): boolean {
  const definition = metricOf(name);
  const { base } = dimensionOf(dimension);
  return rowSourcesOf(definition).every((table) => tableHas(table, base));
}

/** @returns the dimensions with which the metric is undefined, in the contract's order */
export function dimensionsWithoutMeaning(name: MetricName): readonly DimensionName[] {
  return DIMENSION_NAMES.filter((dimension) => !metricHasDimension(name, dimension));
}

/** Why a metric is undefined in a report, and so is null in every row. */
export interface UndefinedMetric {
  readonly code: Extract<WarningCode, 'NOT_IN_EXPERIENCE' | 'NOT_AT_THIS_GRAIN'>;
  /** Those of the report, and those in which the metric is defined. */
  readonly experiences: readonly Experience[];
  readonly definedIn: readonly Experience[];
  /** The dimensions (of groups or filters) to drop for the metric to have a meaning; empty where no change of dimensions helps. */
  readonly drop: readonly DimensionName[];
}

/**
 * @param experiences those of the report
 * @param dimensions all dimensions that the report groups or filters by
 * @returns why the metric is undefined in such a report; undefined if it is defined there
 */
export function explainUndefined(
  name: MetricName,
  experiences: readonly Experience[],
  dimensions: readonly DimensionName[],
): UndefinedMetric | undefined {
  const definedIn = experiencesOf(name);
  if (!experiences.some((experience) => definedIn.includes(experience)))
    return { code: 'NOT_IN_EXPERIENCE', experiences, definedIn, drop: [] };
  const drop = [...new Set(dimensions)].filter((dimension) => !metricHasDimension(name, dimension));
  return drop.length === 0 ? undefined : { code: 'NOT_AT_THIS_GRAIN', experiences, definedIn, drop };
}
