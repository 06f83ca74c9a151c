import type { DimensionName } from '../catalog/dimensions.ts';
import type { MetricName } from '../catalog/metrics.ts';
import type { Operator } from '../catalog/operators.ts';
import type { Experience } from '../catalog/tables.ts';
import type { WarningCode } from '../catalog/warnings.ts';

/** A condition on one field; `values` are as sent and already checked to suit the field's type and the operator. */
export interface Filter {
  readonly field: DimensionName | MetricName;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** A valid report request: names are of the catalogue, dates exist and are in order, sort fields are requested. */
export interface ReportQuery {
  readonly experience: Experience;
  /** `YYYY-MM-DD`, both ends included. */
  readonly startDate: string;
  readonly endDate: string;
  readonly metrics: readonly MetricName[];
  readonly dimensions: readonly DimensionName[];
  readonly filters: readonly Filter[];
  readonly sort: readonly { readonly field: DimensionName | MetricName; readonly order: 'ASC' | 'DESC' }[];
  readonly pagination: { readonly offset: number; readonly size: number };
}

/** Whose data the report may see: everything else does not exist for it. */
export interface ReportScope {
  /** The caller's accounts: names of other accounts are never shown. */
  readonly accountIds: ReadonlySet<number>;
  /** The advertisers the report covers, ascending; the caller may see each of them. */
  readonly advertiserIds: readonly number[];
}

export interface ReportSettings {
  /** IANA name; stated in every answer. */
  readonly timezone: string;
  /** ISO 4217 */
  readonly currency: string;
  readonly attribution: { readonly windowDays: number; readonly basis: string };
}

export interface ReportHeader {
  readonly name: string;
  readonly title: string;
  readonly role: 'dimension' | 'metric';
  readonly type: 'text' | 'integer' | 'decimal' | 'date';
  /** Currency code for money, else the catalogue's unit; null where there is none. */
  readonly unit: string | null;
  readonly description: string;
  /** Relative standard error of values above 8,192; only on the distinct metrics. */
  readonly standardError?: number;
}

/** What to know about a metric of the report. */
export interface ReportWarning {
  readonly code: WarningCode;
  readonly field: MetricName;
  readonly detail: string;
  /** Dimensions to drop to give the field a meaning. */
  readonly drop: readonly string[];
}

export type ReportValue = string | number | null;

export type ReportRow = Readonly<Record<string, ReportValue>>;

/** A report but for its rows. */
export interface ReportEnvelope {
  readonly headers: readonly ReportHeader[];
  readonly totalCount: number;
  /** The metrics over exactly the rows counted by totalCount. */
  readonly totals: Readonly<Record<string, ReportValue>>;
  readonly meta: {
    readonly timezone: string;
    readonly currency: string;
    readonly dataCompleteThrough: string | null;
    readonly attribution: { readonly windowDays: number; readonly basis: string };
    readonly warnings: readonly ReportWarning[];
  };
}

export interface ReportResult extends ReportEnvelope {
  /** The rows of the asked page. */
  readonly data: readonly ReportRow[];
}
