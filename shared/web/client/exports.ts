export { EndcapError, type ErrorCode } from './endcap-error.ts';
export type { Fetch, Retry, RetryOptions } from './fetch-with-retries.ts';
export type { Listing, Page } from './listing.ts';
export type { Compare, FieldName, Filter, PageOptions, Report, ReportQuery, Row } from './report-types.ts';
export type * from './schema.ts';
