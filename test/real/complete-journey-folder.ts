import { localTime, readData } from './read-data.ts';
import { writeLoadFile } from './write-folder.ts';

export const PRODUCT_COLUMNS = [
  'product_id',
  'department',
  'brand',
  'product_category',
  'product_type',
  'package_size',
] as const;
export const TRANSACTION_COLUMNS = [
  'household_id',
  'product_id',
  'quantity',
  'sales_value',
  'transaction_timestamp',
] as const;
export const PRODUCTS = 'complete-journey/products.csv.gz';
export const TRANSACTIONS = 'complete-journey/transactions_sample_100k.csv.gz';
export const COMPLETE_JOURNEY_IDS = { accountId: 1, advertiserId: 20, adGroupId: 4001 } as const;

/**
 * Writes a grocer's products as those of one advertiser, and a year of purchases as conversions of one ad group. Every purchased product counts as the
 * advertised one, every purchase was made in a store after a click, and the household is the user.
 */
export function writeCompleteJourney(folder: string): void {
  const { accountId, advertiserId, adGroupId } = COMPLETE_JOURNEY_IDS;
  const write = (name: string, listing: Parameters<typeof writeLoadFile>[2]) => writeLoadFile(folder, name, listing);
  write('accounts.ndjson', [{ id: accountId, name: 'Grocer' }]);
  write('users.ndjson', [{ userId: 'analyst', name: 'Analyst', userType: 'CPG', accountIds: [accountId] }]);
  write('advertisers.ndjson', [{ id: advertiserId, name: 'Everything on the shelf', accountId }]);
  write('campaigns.ndjson', [{ id: 300, name: 'The year', advertiserId, status: 'ENDED', startDate: '2017-01-01' }]);
  write('ad_groups.ndjson', [{ id: adGroupId, name: 'All purchases', campaignId: 300, status: 'ENDED' }]);
  write(
    'products.csv.gz',
    readData(PRODUCTS, PRODUCT_COLUMNS).map((row) => ({
      id: Number(row.product_id),
      advertiserId,
      upc: row.product_id,
      name: [row.product_type || row.product_category || 'Product', row.package_size].join(' ').trim(),
      brand: row.brand,
      department: row.department,
      commodity: row.product_category,
      subCommodity: row.product_type,
    })),
  );
  write(
    'facts/pla/conversions.ndjson.gz',
    readData(TRANSACTIONS, TRANSACTION_COLUMNS).map((row) => ({
      ...localTime(row.transaction_timestamp),
      ad_group_id: adGroupId,
      entity_id: row.product_id,
      purchased_entity_id: row.product_id,
      conversion_source: 'IN_STORE',
      halo_transactions: 1,
      halo_units: Number(row.quantity),
      halo_revenue: row.sales_value,
      halo_exposed_transactions: 1,
      halo_exposed_units: Number(row.quantity),
      halo_exposed_revenue: row.sales_value,
      users: [row.household_id],
    })),
  );
}
