import type { MetricDefinition } from './definitions.ts';
import { DIMENSION_NAMES, type DimensionName, dimensionOf } from './dimensions.ts';
import { type MetricName, metric } from './metrics.ts';
import { type BaseColumn, type Experience, type FactTable, measureHome, tableHas } from './tables.ts';
import type { WarningCode } from './warnings.ts';

/** Experiences in which a metric has no meaning: it is null there, with a warning. */
const NOT_IN_EXPERIENCE: ReadonlyMap<Experience, readonly MetricName[]> = new Map<Experience, readonly MetricName[]>([
  ['toa', ['opportunities', 'win_rate', 'share_of_voice', 'time_live']],
  [
    'pla',
    [
      'video_starts',
      'video_pauses',
      'video_completes',
      'video_total_duration',
      'video_average_duration_viewed',
      'video_first_quartile_views',
      'video_first_quartile_view_rate',
      'video_second_quartile_views',
      'video_second_quartile_view_rate',
      'video_third_quartile_views',
      'video_third_quartile_view_rate',
      'video_complete_view_rate',
      'video_view_through_rate',
    ],
  ],
]);

/** Pacing compares whole days of whole ad groups: anything finer than these has no plan. */
const PACING_BASES: readonly BaseColumn[] = ['date', 'ad_group_id', 'advertiser', 'experience'];

/** @returns the experiences in which `name` has a meaning. */
export function experiencesOf(name: MetricName): readonly Experience[] {
  return (['pla', 'toa', 'carousel'] as const).filter((it) => !(NOT_IN_EXPERIENCE.get(it) ?? []).includes(name));
}

/** @returns the fact tables whose rows the metric is computed from; none for attributes. Market only as a denominator. */
export function factTablesOf(definition: MetricDefinition): readonly FactTable[] {
  switch (definition.kind) {
    case 'sum':
      return [measureHome(definition.measure).table];
    case 'ratio':
      return [...new Set([measureHome(definition.numerator).table, measureHome(definition.denominator).table])];
    case 'distinct':
      return [definition.table];
    case 'pacing':
    case 'share':
      return ['delivery'];
    case 'attribute':
      return [];
  }
}

/** @returns whether the metric can be broken down, or filtered, by the dimension. */
export function metricHasDimension(name: MetricName, dimension: DimensionName): boolean {
  const definition = metric(name);
  const { base } = dimensionOf(dimension);
  if (definition.kind === 'pacing') return PACING_BASES.includes(base);
  return factTablesOf(definition).every((table) => tableHas(table, base));
}

/** @returns the dimensions the metric cannot be broken down or filtered by, in the contract's order. */
export function dimensionsWithoutMeaning(name: MetricName): readonly DimensionName[] {
  return DIMENSION_NAMES.filter((dimension) => !metricHasDimension(name, dimension));
}

/** Why a metric is null in every row of a report, and what to leave out to get it. */
export interface UndefinedMetric {
  readonly code: Extract<WarningCode, 'NOT_IN_EXPERIENCE' | 'NOT_AT_THIS_GRAIN'>;
  readonly detail: string;
  /** The dimensions (grouped or filtered by) that take the meaning away. */
  readonly drop: readonly DimensionName[];
}

/**
 * @param dimensions all dimensions the report groups by or filters on
 * @returns why the metric has no meaning in such a report, or undefined where it has one
 */
export function explainUndefined(
  name: MetricName,
  experience: Experience,
  dimensions: readonly DimensionName[],
): UndefinedMetric | undefined {
  if (NOT_IN_EXPERIENCE.get(experience)?.includes(name)) {
    const where = experiencesOf(name).join(' and ');
    const detail = `${name} has no meaning in ${experience}: ask for it in ${where}, or drop it.`;
    return { code: 'NOT_IN_EXPERIENCE', detail, drop: [] };
  }
  const drop = [...new Set(dimensions)].filter((dimension) => !metricHasDimension(name, dimension));
  if (drop.length === 0) return undefined;
  const detail = `${name} has no meaning by ${drop.join(', ')}: drop ${drop.length === 1 ? 'that dimension' : 'those dimensions'} from dimensions and filters, or drop the metric.`;
  return { code: 'NOT_AT_THIS_GRAIN', detail, drop };
}
