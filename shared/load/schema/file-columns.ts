import { AD_GROUP_STATUSES, BUDGET_TYPES, CAMPAIGN_STATUSES } from '../../catalog/closed-values.ts';
import { type CustomColumn, customListingColumns } from '../../catalog/custom-fields.ts';
import { EXPERIENCES, FACT_TABLES } from '../../catalog/tables.ts';
import { keysOf } from '../../lib/keys-of.ts';
import {
  BOOLEAN,
  type Cell,
  type CellOf,
  choice,
  DATE,
  ID,
  ID_TEXT,
  itemList,
  KEY_TEXT,
  LABEL_ID,
  LONG_TEXT,
  list,
  MICRO_MONEY,
  MONEY,
  NAME,
  TEXT,
  UPC,
  type ValueType,
} from './value-types.ts';

/** A column of a load file. A value that is neither required nor has a default is absent from the row if the file has none. */
export interface ColumnSpec {
  readonly name: string;
  readonly type: ValueType;
  /** `unless deleted`: a row of a patch that removes its id needs no other columns. */
  readonly required?: true | 'unless deleted' | 'in all rows or none';
  readonly default?: Cell;
  /** The listing that must contain the id (each id of a list), as it is after the load. */
  readonly refers?: string;
  /** The stored column of a custom field. */
  readonly stored?: CustomColumn;
  readonly about: string;
}

/** @returns the name of the column's cells in rows */
export function cellName({ name, stored }: ColumnSpec): string {
  return stored ?? name;
}

const AUDIENCE_TYPE = choice('CPG', 'AGENCY');
const BUDGET_TYPE = choice(...BUDGET_TYPES);
const EXPERIENCE = choice(...EXPERIENCES);
const ID_LIST = list(ID);
const ACCOUNTS = itemList(ID, 1);

const ACTIVE = { name: 'active', type: BOOLEAN, default: true, about: 'Whether it is in use.' } as const;
const BUDGET = {
  name: 'budget',
  type: MICRO_MONEY,
  about: 'Budget per budgetType; the two are given together.',
} as const;
const BUDGET_PER = { name: 'budgetType', type: BUDGET_TYPE, about: 'The period of the budget.' } as const;
const SHORT_ID = { name: 'shortId', type: LABEL_ID, about: 'Short id shown to people.' } as const;

/** The columns of each listing file; the first is its id, which is unique except in budgets and freshness. Files are validated, stored and documented by this table. */
const LISTING_COLUMNS = {
  accounts: [
    { name: 'id', type: ID, required: true, about: 'Account id.' },
    { name: 'name', type: NAME, required: true, about: 'Name of the account.' },
    ACTIVE,
  ],
  advertisers: [
    { name: 'id', type: ID, required: true, about: 'Advertiser id.' },
    { name: 'name', type: NAME, required: true, about: 'Name of the advertiser.' },
    { name: 'accountId', type: ID, required: true, refers: 'accounts', about: 'The primary account.' },
    {
      name: 'accountIds',
      type: itemList(ID),
      refers: 'accounts',
      about: 'All accounts that own the advertiser, accountId among them; absent: accountId alone.',
    },
    { name: 'description', type: LONG_TEXT, about: 'Free text.' },
    { name: 'advertiserType', type: TEXT, about: 'Kind of advertiser, for the report dimension advertiser_type.' },
    { name: 'brandNames', type: itemList(TEXT), about: 'Brands, for the report dimension brand_names.' },
    ACTIVE,
  ],
  contacts: [
    { name: 'id', type: ID, required: true, about: 'Contact id.' },
    { name: 'firstName', type: NAME, required: true, about: 'First name.' },
    { name: 'lastName', type: NAME, required: true, about: 'Last name.' },
    { name: 'email', type: TEXT, required: true, about: 'E-mail address.' },
    { name: 'contactType', type: AUDIENCE_TYPE, required: true, about: 'Kind of contact.' },
    { name: 'accountIds', type: ACCOUNTS, required: true, refers: 'accounts', about: 'The accounts that list it.' },
    ACTIVE,
  ],
  addresses: [
    { name: 'id', type: ID, required: true, about: 'Address id.' },
    { name: 'companyName', type: NAME, required: true, about: 'Company.' },
    { name: 'addressLine1', type: TEXT, required: true, about: 'First line.' },
    { name: 'addressLine2', type: TEXT, about: 'Second line.' },
    { name: 'city', type: TEXT, required: true, about: 'City.' },
    { name: 'state', type: TEXT, about: 'State or region.' },
    { name: 'postalCode', type: TEXT, about: 'Postal code, as text.' },
    { name: 'country', type: TEXT, required: true, about: 'Country.' },
    { name: 'addressType', type: AUDIENCE_TYPE, required: true, about: 'CPG users are shown CPG addresses only.' },
    { name: 'accountIds', type: ACCOUNTS, required: true, refers: 'accounts', about: 'The accounts that list it.' },
    ACTIVE,
  ],
  placements: [
    { name: 'id', type: ID, required: true, about: 'Placement id.' },
    { name: 'name', type: NAME, required: true, about: 'Name, the value of the report dimension placement.' },
    { name: 'description', type: LONG_TEXT, about: 'Free text.' },
    {
      name: 'experiences',
      type: itemList(EXPERIENCE, 1),
      required: true,
      about: 'Experiences whose ads are shown in the placement.',
    },
    ACTIVE,
    { name: 'priceFloor', type: MONEY, about: 'Minimum bid for a thousand impressions or for a click.' },
  ],
  products: [
    { name: 'id', type: ID, required: true, about: 'Product id.' },
    { name: 'advertiserId', type: ID, required: true, refers: 'advertisers', about: 'The advertiser of the product.' },
    {
      name: 'upc',
      type: UPC,
      required: true,
      about: 'UPC, left-padded with zeros to 13 digits; unique per advertiser; entity_id of the facts refers to it.',
    },
    { name: 'name', type: NAME, required: true, about: 'Name, the value of entity_name.' },
    { name: 'brand', type: TEXT, about: 'Brand.' },
    { name: 'category', type: TEXT, about: 'Category.' },
    { name: 'subcategory', type: TEXT, about: 'Subcategory.' },
    { name: 'price', type: MONEY, about: 'Shelf price.' },
    { name: 'minSuggestedBid', type: MONEY, about: 'Lowest suggested bid.' },
    { name: 'maxSuggestedBid', type: MONEY, about: 'Highest suggested bid.' },
    { name: 'imageUrl', type: TEXT, about: 'URL of its picture.' },
    { name: 'available', type: BOOLEAN, default: true, about: 'Whether it can currently be advertised.' },
    { name: 'department', type: TEXT, about: 'Report dimension department.' },
    { name: 'departmentId', type: LABEL_ID, about: 'Report dimension department_id.' },
    { name: 'commodity', type: TEXT, about: 'Report dimension commodity.' },
    { name: 'commodityId', type: LABEL_ID, about: 'Report dimension commodity_id.' },
    { name: 'subCommodity', type: TEXT, about: 'Report dimension sub_commodity.' },
    { name: 'subCommodityId', type: LABEL_ID, about: 'Report dimension sub_commodity_id.' },
    { name: 'entityGroup', type: TEXT, about: 'Report dimension entity_group.' },
    { name: 'entityGroupId', type: LABEL_ID, about: 'Report dimension entity_group_id.' },
  ],
  campaigns: [
    { name: 'id', type: ID, required: true, about: 'Campaign id.' },
    SHORT_ID,
    { name: 'name', type: NAME, required: true, about: 'Name of the campaign.' },
    { name: 'advertiserId', type: ID, required: true, refers: 'advertisers', about: 'The advertiser of the campaign.' },
    { name: 'status', type: choice(...CAMPAIGN_STATUSES), required: true, about: 'Status.' },
    { name: 'startDate', type: DATE, required: true, about: 'First day of the flight.' },
    { name: 'endDate', type: DATE, about: 'Last day of the flight; absent: open-ended.' },
    BUDGET,
    BUDGET_PER,
  ],
  ad_groups: [
    { name: 'id', type: ID, required: true, about: 'Ad group id.' },
    SHORT_ID,
    { name: 'name', type: NAME, required: true, about: 'Name of the ad group.' },
    { name: 'campaignId', type: ID, required: true, refers: 'campaigns', about: 'Its campaign.' },
    { name: 'status', type: choice(...AD_GROUP_STATUSES), required: true, about: 'Status.' },
    { name: 'startDate', type: DATE, about: 'First day of the flight; absent: the campaign’s.' },
    { name: 'endDate', type: DATE, about: 'Last day of the flight; absent: the campaign’s.' },
    BUDGET,
    BUDGET_PER,
    { name: 'segmentIds', type: itemList(LABEL_ID), about: 'Audience segments, for the report dimension segment_ids.' },
    { name: 'experience', type: EXPERIENCE, about: 'The experience in which it plans cost; absent: in each.' },
    {
      name: 'productIds',
      type: ID_LIST,
      refers: 'products',
      about: 'Products it may show, of its advertiser; absent or empty: all products of the advertiser.',
    },
  ],
  budgets: [
    { name: 'validFrom', type: DATE, required: true, about: 'The first day on which the budget is in force.' },
    {
      name: 'campaignId',
      type: ID,
      refers: 'campaigns',
      about: 'The campaign that has the budget; absent where adGroupId is given.',
    },
    { name: 'adGroupId', type: ID, refers: 'ad_groups', about: 'The ad group that has the budget.' },
    {
      ...BUDGET,
      required: true,
      about: 'Budget per budgetType, until the next validFrom; 0: a plan of 0, whose cost counts.',
    },
    { ...BUDGET_PER, required: true },
  ],
  creatives: [
    { name: 'key', type: ID_TEXT, required: true, about: 'Creative key, which creative_key of the facts refers to.' },
    { name: 'name', type: NAME, required: true, about: 'Name of the creative.' },
    { name: 'advertiserId', type: ID, required: true, refers: 'advertisers', about: 'The advertiser of the creative.' },
  ],
  insertion_orders: [
    {
      name: 'campaignId',
      type: ID,
      required: true,
      refers: 'campaigns',
      about: 'The campaign; at most one row per campaign.',
    },
    { name: 'billings', type: TEXT, about: 'Report dimension billings.' },
    { name: 'purchaseOrderNumber', type: TEXT, about: 'Report dimension purchase_order_number.' },
    { name: 'ioName', type: NAME, about: 'Report dimension io_name.' },
    { name: 'ioNumber', type: TEXT, about: 'Report dimension io_number.' },
    { name: 'ioTotalAmount', type: MICRO_MONEY, about: 'Report dimension io_total_amount.' },
    { name: 'ioRemainingAmount', type: MICRO_MONEY, about: 'Report dimension io_remaining_amount, as loaded.' },
    { name: 'ioLineItemName', type: NAME, about: 'Report dimension io_line_item_name.' },
    { name: 'ioLineItemNumber', type: TEXT, about: 'Report dimension io_line_item_number.' },
    { name: 'ioLineItemAmount', type: MICRO_MONEY, about: 'Report dimension io_line_item_amount.' },
  ],
  users: [
    { name: 'userId', type: KEY_TEXT, required: true, about: 'Id of the user that API keys are made for.' },
    { name: 'name', type: NAME, required: true, about: 'Name of the user.' },
    { name: 'userType', type: choice('AGENCY', 'CPG'), required: true, about: 'Decides which addresses are shown.' },
    {
      name: 'accountIds',
      type: { ...ID_LIST, hasAll: true },
      required: true,
      refers: 'accounts',
      about: 'The accounts the user sees; `*`: all, also later ones, which requires the type AGENCY.',
    },
  ],
  freshness: [
    { name: 'experience', type: EXPERIENCE, required: true, about: 'The experience.' },
    {
      name: 'advertiserId',
      type: ID,
      refers: 'advertisers',
      about:
        'The advertiser; absent: every advertiser without a row of its own in the experience. At most one row per experience and advertiser.',
    },
    {
      name: 'table',
      type: choice('delivery', 'conversions', 'activity'),
      about:
        'The fact table whose days up to completeThrough are known, also where nobody has rows of it any more; for all advertisers. Absent: the data as a whole.',
    },
    { name: 'completeThrough', type: DATE, required: true, about: 'The last day whose data is complete.' },
  ],
} as const satisfies Readonly<Record<string, readonly ColumnSpec[]>>;

export type ListingFile = keyof typeof LISTING_COLUMNS;

/** The listing files in the order they are read: what a file refers to comes before it. */
export const LISTING_FILES: readonly ListingFile[] = keysOf(LISTING_COLUMNS);

type Given = { readonly required: true } | { readonly default: Cell };
type RowOf<C extends ColumnSpec> = {
  readonly [K in C as K extends Given ? K['name'] : never]: CellOf<K['type']>;
} & {
  readonly [K in C as K extends Given ? never : K['name']]?: CellOf<K['type']>;
};

/** A valid row of a listing file: defaults filled in, absent values absent. */
export type ListingRow<L extends ListingFile> = RowOf<(typeof LISTING_COLUMNS)[L][number]>;

/** The file of days to be emptied. It is no listing: it is not stored. */
export const DELETIONS_FILE = 'deletions';

export const DELETION_COLUMNS = [
  { name: 'experience', type: EXPERIENCE, required: true, about: 'The experience.' },
  { name: 'table', type: choice(...FACT_TABLES), required: true, about: 'The fact table.' },
  {
    name: 'advertiserId',
    type: ID,
    about:
      'The advertiser, listed or with facts; absent: every advertiser that has rows on the day. Always absent for market.',
  },
  {
    name: 'day',
    type: DATE,
    required: true,
    about: 'The day to be emptied. At most one row per experience, table, advertiser (or absent advertiser) and day.',
  },
] as const satisfies readonly ColumnSpec[];

/** A valid row of the deletions file. */
export type DeletionRow = RowOf<(typeof DELETION_COLUMNS)[number]>;

/** @returns the columns of a listing file, first its id. */
export function listingColumns(listing: ListingFile): readonly ColumnSpec[] {
  const custom = customListingColumns(listing).map(({ name, stored }): ColumnSpec => {
    return { name, stored, type: TEXT, about: 'Custom field.' };
  });
  return [...LISTING_COLUMNS[listing], ...custom];
}

/** The columns that only patches have, `cascade` only that of the advertisers. */
export const DELETED_COLUMN = {
  name: 'deleted',
  type: BOOLEAN,
  default: false,
  about: 'true removes the row with this id, which needs no other columns. Reports show its facts under the id.',
} as const satisfies ColumnSpec;

export const CASCADE_COLUMN = {
  name: 'cascade',
  type: BOOLEAN,
  default: false,
  about:
    'In advertisers only, with deleted: true also removes all that belongs to the advertiser, its facts too. The load reports what went.',
} as const satisfies ColumnSpec;

/** @returns the columns of a patch of the listing: first its id, then `deleted`, which decides whether the others are required */
export function patchColumns(listing: ListingFile): readonly ColumnSpec[] {
  const [id, ...others] = listingColumns(listing);
  if (id === undefined) return [];
  const relaxed = others.map((spec) =>
    spec.required === true ? { ...spec, required: 'unless deleted' as const } : spec,
  );
  return [id, DELETED_COLUMN, ...(listing === 'advertisers' ? [CASCADE_COLUMN] : []), ...relaxed];
}
