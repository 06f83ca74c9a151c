import type { DimensionTable } from './definitions.ts';

/**
 * The columns of the joined tables as they are stored for reports, first the key that facts (or the table above) refer to.
 * Text columns made of lists hold the members sorted and joined by ", ". `advertisers.accountIds` joins the ids with ",".
 * Those of PLATFORM_TABLES are one table for the platform; the others are one table an advertiser.
 * The key of freshness is `<experience>/<advertiserId>`, without the id where the row is for every advertiser that has none of its own.
 */
export const DIMENSION_COLUMNS = {
  accounts: ['id', 'name'],
  advertisers: ['id', 'name', 'advertiserType', 'brandNames', 'accountId', 'accountIds'],
  placements: ['id', 'name'],
  campaigns: ['id', 'shortId', 'name', 'status', 'startDate', 'endDate', 'budget', 'budgetType'],
  ad_groups: [
    'id',
    'shortId',
    'name',
    'campaignId',
    'status',
    'startDate',
    'endDate',
    'budget',
    'budgetType',
    'segmentIds',
  ],
  creatives: ['key', 'name'],
  insertion_orders: [
    'campaignId',
    'billings',
    'purchaseOrderNumber',
    'ioName',
    'ioNumber',
    'ioTotalAmount',
    'ioRemainingAmount',
    'ioLineItemName',
    'ioLineItemNumber',
    'ioLineItemAmount',
  ],
  products: [
    'upc',
    'name',
    'brand',
    'department',
    'departmentId',
    'commodity',
    'commodityId',
    'subCommodity',
    'subCommodityId',
    'entityGroup',
    'entityGroupId',
  ],
  freshness: ['key', 'experience', 'advertiserId', 'completeThrough'],
} as const satisfies Readonly<Record<DimensionTable, readonly string[]>>;

/** Tables of which the platform has one; of the others each advertiser has one. Facts may have a creative of another advertiser. */
export const PLATFORM_TABLES = [
  'accounts',
  'advertisers',
  'placements',
  'creatives',
  'freshness',
] as const satisfies readonly DimensionTable[];
