import type { BaseColumn, FactTable, Measure } from './tables.ts';

/** The JSON type of a report column. Dates are `YYYY-MM-DD`. */
export type FieldType = 'text' | 'integer' | 'decimal' | 'date';

/** `currency` is answered as the platform's ISO 4217 code; `fraction` is 0…1, never ×100. */
export type Unit = 'count' | 'currency' | 'fraction' | 'seconds' | 'hours' | 'users' | 'ratio';

interface Described {
  readonly title: string;
  readonly description: string;
  readonly type: FieldType;
  readonly unit: Unit | null;
}

/** Adds up over any rows; answered as stored sum / scale / `divisor` (1 unless given). */
export interface SumMetric extends Described {
  readonly kind: 'sum';
  readonly measure: Measure;
  readonly divisor?: number;
}

/** factor × Σ numerator / Σ denominator: summed first, divided once. Null when the denominator is 0. */
export interface RatioMetric extends Described {
  readonly kind: 'ratio';
  readonly numerator: Measure;
  readonly denominator: Measure;
  readonly factor?: number;
}

/** Cost / planned cost, over the entities that have a plan. */
export interface PacingMetric extends Described {
  readonly kind: 'pacing';
}

/** Distinct users over the rows of one fact table. */
export interface DistinctMetric extends Described {
  readonly kind: 'distinct';
  readonly table: FactTable;
}

/** A column of the one ad group or campaign that all of the row's facts belong to. */
export interface AttributeMetric extends Described {
  readonly kind: 'attribute';
  readonly entity: 'ad_group' | 'campaign';
  readonly column: 'budget' | 'budgetType' | 'startDate' | 'endDate' | 'status';
}

/** Own impressions / all advertisers' impressions of the same slice of the market. */
export interface ShareMetric extends Described {
  readonly kind: 'share';
}

export type MetricDefinition = SumMetric | RatioMetric | PacingMetric | DistinctMetric | AttributeMetric | ShareMetric;

/** The tables that facts are joined with, as of now. */
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

export interface DimensionDefinition {
  readonly title: string;
  readonly description: string;
  readonly type: FieldType;
  readonly unit: Unit | null;
  /** The column of the fact row that decides the value: rows alike there are alike in this dimension. */
  readonly base: BaseColumn;
  /** Where the value stands: a column of a joined table; absent where the base column is itself the value. */
  readonly join?: { readonly table: DimensionTable; readonly column: string };
  /** The value is text of so many digits; with fewer, zeros are missing on the left. */
  readonly digits?: number;
}
