import type { components } from './schema.ts';

export { EndcapError, type ErrorCode, type FieldProblem } from './endcap-error.ts';
export type { Fetch, RetryOptions } from './fetch-with-retries.ts';
export type { Listing, Page } from './listing.ts';
export type {
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
} from './report-types.ts';

type Schemas = components['schemas'];

/** The OpenAPI schema of an account requires no member, but the service always sends all. */
export type Account = Required<Schemas['Account']>;
export type Advertiser = Schemas['Advertiser'];
export type Contact = Schemas['AdvertiserContact'];
export type Address = Schemas['AdvertiserAddress'];
export type Placement = Schemas['Placement'];
export type Campaign = Schemas['Campaign'];
export type AdGroup = Schemas['AdGroup'];
export type FieldCatalogue = Schemas['FieldResponse'];
export type Product = Schemas['Product'];
