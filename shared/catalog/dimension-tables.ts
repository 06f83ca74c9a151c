import { CUSTOM_FIELDS, isCustom, listingColumnOf } from './custom-fields.ts';
import type { DimensionTable } from './definitions.ts';

/** @returns the columns of the table that only custom fields are of */
function customOf(table: DimensionTable): readonly string[] {
  const found = Object.entries(CUSTOM_FIELDS.dimensions).map(([name, field]) => listingColumnOf(name, field));
  return [...new Set(found.flatMap((join) => (join?.table === table ? [join.column] : [])))];
}

const FLIGHT_AND_BUDGET = ['status', 'startDate', 'endDate', 'budget', 'budgetType', 'budgets'] as const;

/**
 * The stored columns of the dimension tables. The first column is the key that facts or other tables refer to.
 * A column that was loaded as a list holds its members sorted and joined by ", " (`advertisers.accountIds`: by ",").
 * `budgets` has the history of the budget, as `formatBudgets` writes it.
 * `archived` is 1 in rows that reports show and listings do not, else null.
 * The key of freshness is `<experience>/<advertiserId>`; `<experience>/` is for all advertisers without a row of their own, `<experience>//<table>` for a fact table.
 */
export const DIMENSION_COLUMNS = {
  accounts: ['id', 'name'],
  advertisers: ['id', 'name', 'advertiserType', 'brandNames', 'accountId', 'accountIds', ...customOf('advertisers')],
  placements: ['id', 'name', ...customOf('placements')],
  campaigns: ['id', 'shortId', 'name', ...FLIGHT_AND_BUDGET, 'archived', ...customOf('campaigns')],
  ad_groups: [
    ...(['id', 'shortId', 'name', 'campaignId', ...FLIGHT_AND_BUDGET, 'segmentIds', 'experience', 'archived'] as const),
    ...customOf('ad_groups'),
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
    ...customOf('products').filter((column) => isCustom(column) || ['category', 'subcategory'].includes(column)),
  ],
  freshness: ['key', 'experience', 'advertiserId', 'completeThrough'],
} as const satisfies Readonly<Record<DimensionTable, readonly string[]>>;

/** The columns of amounts, which are integers of micros, so that they are exact: doubles of currency units are not from 2^33 on. */
export const AMOUNT_COLUMNS: ReadonlySet<string> = new Set([
  'budget',
  'ioTotalAmount',
  'ioRemainingAmount',
  'ioLineItemAmount',
]);
export const MICROS = 1_000_000;

/** The tables that exist once for the platform; of the others, each advertiser has its own. Facts may refer to a creative of another advertiser. */
export const PLATFORM_TABLES: readonly DimensionTable[] = [
  'accounts',
  'advertisers',
  'placements',
  'creatives',
  'freshness',
];
