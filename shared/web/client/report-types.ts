import type {
  Comparison,
  Dimension,
  Experience,
  FieldValues,
  Metric,
  Operator,
  ReportHeader,
  ReportMeta,
  ReportResponse,
  ReportWarning,
  SortValue,
} from './schema.ts';

export type { Comparison, Dimension, Experience, Metric, Operator, ReportHeader, ReportMeta, ReportWarning, SortValue };

export type FieldName = Metric | Dimension;

/** A condition on facts or rows; numbers are sent as text, as the API requires. `IS_NULL` and `NOT_NULL` take no values. */
export interface Filter {
  readonly field: FieldName;
  readonly operator: Operator;
  readonly values?: readonly (string | number)[];
}

/** The period that a report is compared with. */
export type Compare = Comparison | { readonly startDate: string; readonly endDate: string };

/** A report request. All but the dates may be left out; at least one metric or dimension must be requested. */
export interface ReportQuery<M extends Metric, D extends Dimension, C extends Compare | undefined = undefined> {
  /** First day in the platform's time zone: `YYYY-MM-DD`, or relative, such as `today-28d` or `startOfMonth-1m`. */
  readonly startDate: string;
  /** Last day, included, in the same forms. */
  readonly endDate: string;
  readonly metrics?: readonly M[];
  readonly dimensions?: readonly D[];
  readonly filters?: readonly Filter[];
  /** Requested fields to sort by; with `compare`, metrics also by their change. */
  readonly sort?: readonly {
    readonly field: NoInfer<M | D>;
    readonly order: 'ASC' | 'DESC';
    readonly by?: SortValue;
  }[];
  /** The period to compare with: rows have `compared`, `change` and `relativeChange`, and the report their totals. */
  readonly compare?: C;
  /** Default: all that the key may see. */
  readonly advertiserIds?: readonly number[];
  /** Whether to get only headers, warnings and `meta.estimate`, without rows. */
  readonly validateOnly?: boolean;
}

/** Which rows of a report. `report` returns the first 100 by default, the other methods pages of 10,000. The maximum is 10,000, of `reportFile` 100,000. */
export interface PageOptions {
  readonly offset?: number;
  readonly size?: number;
}

/**
 * The values of the requested fields `F` of the fields `All`. If the requested fields are not known when the program is compiled, each field may be
 * missing.
 */
type Values<F extends All, All extends FieldName> = [All] extends [F]
  ? { readonly [Name in F]?: FieldValues[Name] }
  : { readonly [Name in F]: FieldValues[Name] };

/**
 * The values of the requested fields. A metric is null if it is undefined (`meta.warnings` says why) or its denominator is 0, an attribute also if the ad
 * group or campaign has no value. A dimension is null for facts without a value.
 */
export type Row<M extends Metric, D extends Dimension, C extends Compare | undefined = undefined> = Values<
  D,
  Dimension
> &
  Values<M, Metric> &
  Compared<
    C,
    { readonly compared: Values<M, Metric>; readonly change: Changes<M>; readonly relativeChange: Changes<M> }
  >;

/** Of the numeric metrics. */
type Changes<M extends Metric> = {
  [Name in keyof Values<M, Metric> as Values<M, Metric>[Name] extends number | null | undefined ? Name : never]: Values<
    M,
    Metric
  >[Name];
};

/** Members of reports with a compared period; optional where the query may have none. */
type Compared<C extends Compare | undefined, Members> = [C] extends [undefined]
  ? unknown
  : undefined extends C
    ? Partial<Members>
    : Members;

/** A page of a report, and what belongs to the whole of it. */
export type Report<
  M extends Metric,
  D extends Dimension,
  C extends Compare | undefined = undefined,
> = ReportResponse & {
  readonly data: readonly Row<M, D, C>[];
  /** The metrics over all rows, not only the page's. */
  readonly totals: Values<M, Metric>;
} & Compared<
    C,
    {
      readonly comparedTotals: Values<M, Metric>;
      readonly changeTotals: Changes<M>;
      readonly relativeChangeTotals: Changes<M>;
    }
  >;
