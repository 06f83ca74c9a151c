import type * as z from 'zod/mini';
import type * as comparedValues from '../../catalog/compared-values.ts';
import type { FieldType } from '../../catalog/definitions.ts';
import type { DIMENSIONS, DimensionName } from '../../catalog/dimensions.ts';
import type { METRICS, MetricName } from '../../catalog/metrics.ts';
import type * as operators from '../../catalog/operators.ts';
import type * as tables from '../../catalog/tables.ts';
import type * as contract from '../../contract/problem.ts';
import type * as reports from '../../contract/report/report-response.ts';
import type * as accounts from '../../contract/resources/account.ts';
import type * as adGroups from '../../contract/resources/ad-group.ts';
import type * as addresses from '../../contract/resources/address.ts';
import type * as advertisers from '../../contract/resources/advertiser.ts';
import type * as campaigns from '../../contract/resources/campaign.ts';
import type * as changes from '../../contract/resources/change.ts';
import type * as contacts from '../../contract/resources/contact.ts';
import type * as fields from '../../contract/resources/field.ts';
import type * as tokens from '../../contract/resources/jwt.ts';
import type * as listing from '../../contract/resources/listing.ts';
import type * as placements from '../../contract/resources/placement.ts';
import type * as products from '../../contract/resources/product.ts';
import type * as comparedPeriod from '../../lib/compared-period.ts';

// The types of the API, inferred from the schemas of the contract. Types only: the client contains no schema.

/** The schema of an account requires no member, but the service always sends all. */
export type Account = {
  [Name in keyof z.infer<typeof accounts.Account>]-?: NonNullable<z.infer<typeof accounts.Account>[Name]>;
};
export type Advertiser = z.infer<typeof advertisers.Advertiser>;
export type Contact = z.infer<typeof contacts.Contact>;
export type Address = z.infer<typeof addresses.Address>;
export type Placement = z.infer<typeof placements.Placement>;
export type Campaign = z.infer<typeof campaigns.Campaign>;
export type AdGroup = z.infer<typeof adGroups.AdGroup>;
export type Product = z.infer<typeof products.Product>;
export type FieldCatalogue = z.infer<typeof fields.FieldResponse>;
export type Changes = z.infer<typeof changes.listChanges.response>;
export type TokenResponse = z.infer<typeof tokens.TokenResponse>;
export type TokenClaims = z.infer<typeof tokens.TokenClaims>;
export type Problem = z.infer<typeof contract.Problem>;
export type FieldProblem = Problem['errors'][number];

export type Metric = MetricName;
export type Dimension = DimensionName;
/** The advertising format that a report covers; `all` for all together. */
export type Experience = tables.ReportExperience;
export type Operator = operators.Operator;
export type Comparison = comparedPeriod.Comparison;
export type SortValue = comparedValues.SortValue;
export type PageMeta = z.infer<typeof listing.PageMeta>;
/** A report without its figures, whose types depend on the request. */
export type ReportResponse = Pick<z.infer<typeof reports.ReportResultResponse>, 'headers' | 'totalCount' | 'meta'>;
export type ReportHeader = ReportResponse['headers'][number];
export type ReportMeta = ReportResponse['meta'];
export type ReportWarning = ReportMeta['warnings'][number];

type JsonValue<Type extends FieldType> = (Type extends 'integer' | 'decimal' ? number : string) | null;
type Fields = typeof METRICS & typeof DIMENSIONS;
export type FieldValues = { readonly [Name in keyof Fields]: JsonValue<Fields[Name]['type']> };
