export { EndcapError, type ErrorCode, type FieldProblem } from './endcap-error.ts';
export type { Fetch, Retry, RetryOptions } from './fetch-with-retries.ts';
export type { Listing, Page } from './listing.ts';
export type {
  Compare,
  Comparison,
  Dimension,
  Experience,
  FieldName,
  Filter,
  Metric,
  Operator,
  PageOptions,
  Report,
  ReportHeader,
  ReportMeta,
  ReportQuery,
  ReportWarning,
  Row,
  SortValue,
} from './report-types.ts';

export type {
  Account,
  Address,
  AdGroup,
  Advertiser,
  Campaign,
  Contact,
  FieldCatalogue,
  Placement,
  Product,
} from './schema.ts';
