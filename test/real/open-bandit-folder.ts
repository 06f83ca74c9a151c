import { localTime, readData } from './read-data.ts';
import { writeLoadFile } from './write-folder.ts';

export const OPEN_BANDIT_COLUMNS = [
  'behavior_policy',
  'timestamp',
  'item_id',
  'position',
  'click',
  'user_feature_0',
  'user_feature_1',
  'user_feature_2',
  'user_feature_3',
] as const;

export const OPEN_BANDIT = 'open-bandit/impressions-men.csv.gz';
export const OPEN_BANDIT_IDS = {
  accountId: 1,
  advertiserId: 20,
  campaignId: 300,
  adGroups: { bts: 4001, random: 4002 },
} as const;

/**
 * Writes a week of a fashion shop's recommendation slots as load files, with one impression per row. The policy that chose the item is the ad group,
 * the slot is the placement, and the four user features together are the user id.
 */
export function writeOpenBandit(folder: string): void {
  const { accountId, advertiserId, campaignId, adGroups } = OPEN_BANDIT_IDS;
  const rows = readData(OPEN_BANDIT, OPEN_BANDIT_COLUMNS);
  const write = (name: string, listing: Parameters<typeof writeLoadFile>[2]) => writeLoadFile(folder, name, listing);
  write('accounts.ndjson', [{ id: accountId, name: 'Fashion shop' }]);
  write('users.ndjson', [{ userId: 'analyst', name: 'Analyst', userType: 'AGENCY', accountIds: [accountId] }]);
  write('advertisers.ndjson', [{ id: advertiserId, name: 'Men', accountId }]);
  write('campaigns.csv', [
    { id: campaignId, name: 'men', advertiserId, status: 'ENDED', startDate: '2019-11-23', endDate: '2019-11-30' },
  ]);
  write(
    'ad_groups.csv',
    Object.entries(adGroups).map(([name, id]) => ({ id, name, campaignId, status: 'ENDED' })),
  );
  write(
    'placements.ndjson',
    ['1', '2', '3'].map((position) => ({ id: Number(position), name: `Slot ${position}`, experiences: ['carousel'] })),
  );
  const items = [...new Set(rows.map((row) => row.item_id))];
  write(
    'products.csv.gz',
    items.map((item) => ({ id: Number(item) + 1, advertiserId, upc: item, name: `Item ${item}` })),
  );
  write(
    'facts/carousel/delivery.csv.gz',
    rows.map((row) => ({
      ...localTime(row.timestamp),
      ad_group_id: row.behavior_policy === 'bts' ? adGroups.bts : adGroups.random,
      placement_id: Number(row.position),
      entity_id: row.item_id,
      impressions: 1,
      clicks: Number(row.click),
      users: [[row.user_feature_0, row.user_feature_1, row.user_feature_2, row.user_feature_3].join('-')],
    })),
  );
}
