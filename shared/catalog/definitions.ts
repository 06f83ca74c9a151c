import type { Weekday } from '../lib/calendar.ts';
import type { BaseColumn, Measure, TableWithShoppers } from './tables.ts';

/** The types of a report column's values. In JSON, `integer` and `decimal` are numbers, `text` and `date` (`YYYY-MM-DD`) strings. */
export const FIELD_TYPES = ['text', 'integer', 'decimal', 'date'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/**
 * The units of values. Reports show `currency` as the platform's ISO 4217 code. `fraction` is not a percentage: 1 is 100 %. `ratio`: a quotient without an
 * upper limit, such as pacing; not the same as the kind `ratio`.
 */
export const UNITS = ['count', 'currency', 'fraction', 'seconds', 'hours', 'users', 'ratio'] as const;
export type Unit = (typeof UNITS)[number];

interface FieldDescription {
  readonly title: string;
  readonly description: string;
  readonly type: FieldType;
  readonly unit: Unit | null;
  /** Other words for the field, in lower case, including those of other platforms. */
  readonly aliases?: readonly string[];
}

/** A sum over rows. Its value is the stored sum / scale / `divisor` (1 by default). */
export interface SumMetric extends FieldDescription {
  readonly kind: 'sum';
  readonly measure: Measure;
  readonly divisor?: number;
}

/** One side of a ratio: the sum of a measure, or the number of distinct shoppers in the rows of a fact table. */
export type RatioTerm = Measure | { readonly shoppersOf: TableWithShoppers };

/** `factor` × numerator / denominator: summed or counted first, divided once. Null when the denominator is 0. */
export interface RatioMetric extends FieldDescription {
  readonly kind: 'ratio';
  readonly numerator: RatioTerm;
  readonly denominator: RatioTerm;
  readonly factor: number;
}

/** The planned cost of ad groups and campaigns, what of it was not spent, or their cost / planned cost. */
interface PlanMetric extends FieldDescription {
  readonly kind: 'planned' | 'remaining' | 'pacing';
}

/** The number of distinct shoppers in the rows of one fact table. */
interface DistinctMetric extends FieldDescription {
  readonly kind: 'distinct';
  readonly table: TableWithShoppers;
}

/** A column of the ad group or campaign, where all facts of the row belong to the same one. */
export interface AttributeMetric extends FieldDescription {
  readonly kind: 'attribute';
  readonly entity: 'ad_group' | 'campaign';
  readonly column: 'budget' | 'budgetType' | 'startDate' | 'endDate' | 'status';
}

/** Own impressions / impressions of all advertisers in the same slice of the market. */
interface ShareMetric extends FieldDescription {
  readonly kind: 'share';
}

export type MetricDefinition = SumMetric | RatioMetric | PlanMetric | DistinctMetric | AttributeMetric | ShareMetric;

/** The tables that reports read beside facts: those that facts are joined with, and `freshness`. Reports use their current rows, not those at the time of the fact. */
export type DimensionTable =
  | 'accounts'
  | 'advertisers'
  | 'placements'
  | 'campaigns'
  | 'ad_groups'
  | 'creatives'
  | 'insertion_orders'
  | 'products'
  | 'freshness';

export interface DimensionDefinition extends FieldDescription {
  /** The column of the fact row that determines the value: rows of one advertiser with equal base values have equal values of the dimension. */
  readonly base: BaseColumn;
  /** The column of a dimension table that holds the value (for `accounts`, a value computed from its names); absent for the base value, or what `ofDay` makes of it. */
  readonly join?: { readonly table: DimensionTable; readonly column: string };
  /** The value is computed from the base value, which is a day. */
  readonly ofDay?: (day: number, weekStartsOn: Weekday) => string | number;
  /** The value is text; one of digits has at least this many, padded with zeros on the left, unless the platform loads other ids. */
  readonly digits?: number;
}
