import { beforeColumn, changeColumns, isNumeric, type SortValue } from '../../catalog/compared-values.ts';
import type { DimensionName } from '../../catalog/dimensions.ts';
import type { Finality, Methodology, StatedMethod } from '../../catalog/methodology.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import type { Operator } from '../../catalog/operators.ts';
import type { FactTable, ReportExperience } from '../../catalog/tables.ts';
import type { WarningCode } from '../../catalog/warnings.ts';
import type { Weekday } from '../../lib/calendar.ts';

/** A condition on one field. `values` are as the client sent them; their number fits the operator and, unless they are patterns, their format the field. */
export interface Filter {
  readonly field: DimensionName | MetricName;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** A valid report request: all names are in the catalogue, dates exist and are in order, and sort fields are requested fields. */
export interface ReportQuery {
  readonly experience: ReportExperience;
  /** `YYYY-MM-DD`; both days are included. */
  readonly startDate: string;
  readonly endDate: string;
  readonly metrics: readonly MetricName[];
  readonly dimensions: readonly DimensionName[];
  readonly filters: readonly Filter[];
  readonly sort: readonly {
    readonly field: DimensionName | MetricName;
    readonly order: 'ASC' | 'DESC';
    /** `value` by default. Others only for numeric metrics, in reports with `compare`. */
    readonly by?: SortValue | undefined;
  }[];
  readonly pagination: { readonly offset: number; readonly size: number };
  /** Whether product ids are any texts, which are compared as they are; else UPCs, which filters may have without leading zeros. */
  readonly hasTextIds?: boolean;
  /** The period to compare with. Each row has its metrics, too. */
  readonly compare?: { readonly startDate: string; readonly endDate: string } | undefined;
}

/** The data that the report may see. */
export interface ReportScope {
  /** The caller's accounts. Names of other accounts are never shown. */
  readonly accountIds: ReadonlySet<number>;
  /** The advertisers that the report covers, ascending. The caller may see each of them. */
  readonly advertiserIds: readonly number[];
  /**
   * All advertisers of the shopper, ascending, also those that a limited key must not see; `advertiserIds` are among them. Which rows of market count depends on
   * all of them.
   */
  readonly ownAdvertiserIds: readonly number[];
}

/** How purchases are attributed. The window is null where experiences of the report differ: `basis` then states that of each. */
interface Attribution {
  readonly windowDays: number | null;
  readonly basis: string;
}

export interface ReportSettings {
  /** An IANA name, part of every response. */
  readonly timezone: string;
  /** An ISO 4217 code, part of every response. */
  readonly currency: string;
  readonly attribution: Attribution;
  /** share_of_voice counts a market row only if at least this many of its advertisers are not the caller's; 0 counts all rows. */
  readonly marketMinOthers: number;
  readonly weekStartsOn: Weekday;
  /** Smaller numbers of users above 0 are null, and so is what is divided by them; by default none. */
  readonly minUsers?: number;
  /** What the operator states about how figures are made; part of every response. */
  readonly methodology?: Methodology;
  /** When figures are final; absent: not stated. */
  readonly finality?: Finality;
}

export interface ReportHeader {
  readonly name: string;
  readonly title: string;
  readonly role: 'dimension' | 'metric';
  readonly type: 'text' | 'integer' | 'decimal' | 'date';
  /** The currency code for money, else the catalogue's unit; null where there is none. */
  readonly unit: string | null;
  readonly description: string;
  /** The relative standard error of values of more than 8,192 shoppers; only of columns that have any, in rows or totals. */
  readonly standardError?: number;
}

/** Something that the reader of a metric, or the sender of a filter, should know. */
export interface ReportWarning {
  readonly code: WarningCode;
  /** For people: with titles of fields, names and ranges of days. */
  readonly message: string;
  /** The metrics, dimensions or filtered fields; first daily_date where it is about days. */
  readonly fields: readonly (MetricName | DimensionName)[];
  /** The days that it is about. */
  readonly dates: readonly { readonly from: string; readonly to: string }[];
  /** The campaigns, products and so on that it names. */
  readonly things: readonly { readonly id: string | number; readonly name: string }[];
  /** The first of the fields. */
  readonly field: MetricName | DimensionName;
  /** The message for programs: with names of fields, ids and days. */
  readonly detail: string;
  /** The dimensions to drop from the report for the metric to be defined, or to be complete. */
  readonly drop: readonly string[];
}

/** Further days of a list are only counted. */
export const MAX_LISTED_DAYS = 31;

export type ReportValue = string | number | null;

export type ReportRow = Readonly<Record<string, ReportValue>>;

/** The days with delivery of any advertiser in the report's experiences: the first and the latest, and those of the period that have none. */
interface DeliveredDays {
  readonly from: string | null;
  readonly through: string | null;
  /** The first 31. */
  readonly missingDays: readonly string[];
  readonly missingDayCount: number;
  /** Days of the period, up to `through`, on which no advertiser of the report has delivery. */
  readonly gaps: readonly { readonly from: string; readonly through: string }[];
  readonly gapDayCount: number;
  /** The other fact tables with rows of any advertiser: the latest day, and days of the period with delivery and without their rows. Of several experiences, the earliest latest day, and the days that any lacks. */
  readonly tables: readonly {
    readonly table: Exclude<FactTable, 'delivery'>;
    readonly through: string;
    readonly missingDays: readonly string[];
    readonly missingDayCount: number;
  }[];
}

/** A report without its rows. */
export interface ReportEnvelope {
  readonly headers: readonly ReportHeader[];
  readonly totalCount: number;
  /** With a metric filter: the metrics over exactly the rows counted by totalCount, but share_of_voice is null. Without: the one-row report of the same request. */
  readonly totals: Readonly<Record<string, ReportValue>>;
  readonly comparedTotals?: Readonly<Record<string, ReportValue>>;
  /** Of the numeric metrics, with a compared period. */
  readonly changeTotals?: Readonly<Record<string, ReportValue>>;
  readonly relativeChangeTotals?: Readonly<Record<string, ReportValue>>;
  readonly meta: {
    readonly timezone: string;
    readonly currency: string;
    readonly data: DeliveredDays;
    readonly compared?: { readonly startDate: string; readonly endDate: string; readonly data: DeliveredDays };
    readonly dataCompleteThrough: string | null;
    readonly dataFinalThrough: string | null;
    readonly dataVersion: string;
    readonly dataUpdatedAt: string | null;
    readonly attribution: Attribution & Partial<StatedMethod>;
    readonly warnings: readonly ReportWarning[];
  };
}

interface ValueColumn {
  readonly name: string;
  readonly metric: MetricName;
  readonly by: SortValue;
}

/** @returns what rows have of the metrics: the value and, with a compared period, that of this period and both changes of a numeric metric */
export function valueColumns({ metrics, compare }: ReportQuery): ValueColumn[] {
  return metrics.flatMap((metric): ValueColumn[] => {
    const value: ValueColumn = { name: metric, metric, by: 'value' };
    if (compare === undefined) return [value];
    const before: ValueColumn = { name: beforeColumn(metric), metric, by: 'compared' };
    if (!isNumeric(metricOf(metric).type)) return [value, before];
    const [change, relativeChange] = changeColumns(metric);
    return [
      value,
      before,
      { name: change, metric, by: 'change' },
      { name: relativeChange, metric, by: 'relativeChange' },
    ];
  });
}

export interface ReportResult extends ReportEnvelope {
  /** The rows of the requested page. */
  readonly data: readonly ReportRow[];
}
