import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import { ndjson } from '../support/fact-lines.ts';
import { type Files, useRejections } from '../support/use-rejections.ts';

const { load, expectProblems } = useRejections();

describe('rejects a patch, and loads nothing', () => {
  test.each<[string, Files, string[]]>([
    [
      'together with the whole listing, naming both files',
      {
        'users.csv': 'userId,name,userType,accountIds\n',
        'users.patch.ndjson': ndjson({ userId: 'u-cpg', deleted: true }),
      },
      ['users.patch.ndjson: cannot be loaded together with users.csv: users are either replaced as a whole or patched'],
    ],
    [
      'that names an id twice, whether it is added, replaced or removed',
      {
        'users.patch.ndjson': ndjson(
          { userId: 'u-cpg', deleted: true },
          { userId: 'u-new', name: 'A', userType: 'CPG', accountIds: [] },
          { userId: 'u-cpg', name: 'B', userType: 'CPG', accountIds: [1] },
          { userId: 'u-new', name: 'C', userType: 'CPG', accountIds: [] },
        ),
        'freshness.patch.csv':
          'experience,advertiserId,completeThrough,deleted\npla,,,true\npla,11,,true\npla,,2026-03-01,\n',
      },
      [
        'users.patch.ndjson:3: userId u-cpg is already in line 1',
        'users.patch.ndjson:4: userId u-new is already in line 2',
        'freshness.patch.csv:4: experience pla without advertiserId is already in line 2',
      ],
    ],
    [
      'whose rows lack what only rows that remove may lack, or have wrong values',
      {
        'users.patch.csv': 'userId,deleted\nu-cpg,true\nu-agency,\n,true\nu-new,maybe\n',
        'campaigns.patch.ndjson': ndjson(
          { id: 120, budget: 1, deleted: true },
          { id: 110, name: 'A', advertiserId: 11, status: 'PAUSED', startDate: '2026-01-01', budget: 1, delete: true },
        ),
      },
      [
        'campaigns.patch.ndjson:2: delete is not a column of this file (did you mean deleted?); its columns are id, deleted, shortId, name, advertiserId, status, startDate, endDate, budget, budgetType; columns.json can map it or ignore it, under "campaigns"',
        'campaigns.patch.ndjson:2: budgetType is required with budget',
        'users.patch.csv:3: name is required',
        'users.patch.csv:3: userType is required',
        'users.patch.csv:3: accountIds is required',
        'users.patch.csv:4: userId is required',
        'users.patch.csv:5: deleted must be true or false, not "maybe"',
        'users.patch.csv:5: name is required',
        'users.patch.csv:5: userType is required',
        'users.patch.csv:5: accountIds is required',
      ],
    ],
    [
      'that removes ids which rows of the table refer to, at the line that removes them',
      { 'accounts.patch.csv': 'id,deleted\n7,true\n2,true\n' },
      [
        'accounts.patch.csv:3: 1 row of advertisers refers in accountId to accounts that this file removes: 2; load advertisers with it',
        'accounts.patch.csv:3: 1 row of advertisers refers in accountIds to accounts that this file removes: 2; load advertisers with it',
        'accounts.patch.csv:3: 1 row of contacts refers in accountIds to accounts that this file removes: 2; load contacts with it',
        'accounts.patch.csv:3: 1 row of users refers in accountIds to accounts that this file removes: 2; load users with it',
      ],
    ],
    [
      'whose rows refer to ids that are not listed; references of rows that are replaced or removed do not count',
      {
        'accounts.patch.csv': 'id,deleted\n2,true\n',
        'contacts.patch.csv': 'id,deleted\n5,true\n',
        'advertisers.patch.ndjson': ndjson({ id: 11, name: 'Eleven', accountId: 1 }),
        'users.patch.ndjson': ndjson({ userId: 'u-new', name: 'Nina', userType: 'CPG', accountIds: [1, 2, 3] }),
      },
      [
        'users.patch.ndjson:1: accountIds 2 is not among the accounts',
        'users.patch.ndjson:1: accountIds 3 is not among the accounts',
        'accounts.patch.csv:2: 1 row of users refers in accountIds to accounts that this file removes: 2; load users with it',
      ],
    ],
    [
      'whose product has a UPC that another product of its advertiser has, in the patch or in the table',
      {
        'products.patch.csv':
          'id,advertiserId,upc,name,deleted\n23,10,0012,A,\n24,10,7,B,\n25,10,07,C,\n26,11,12,D,\n22,,,,true\n27,11,11,E,\n',
      },
      [
        'products.patch.csv:2: upc 0000000000012 is already that of products 21 in the table',
        'products.patch.csv:4: upc 0000000000007 is already in line 3',
      ],
    ],
    [
      'whose ad group shows products of another advertiser',
      {
        'ad_groups.patch.ndjson': ndjson({
          id: 1100,
          name: 'A',
          campaignId: 110,
          status: 'ACTIVE',
          productIds: [20, 99],
        }),
      },
      [
        'ad_groups.patch.ndjson:1: productIds 99 is not among the products',
        'ad_groups.patch.ndjson:1: productIds 20 is a product of advertiser 10, but the campaign belongs to 11',
      ],
    ],
    [
      'together with everything else in the folder, if anything else is wrong',
      {
        'users.patch.ndjson': ndjson({ userId: 'u-new', name: 'Nina', userType: 'CPG', accountIds: [1] }),
        'facts/pla/activity.csv': 'daily_date,hour,ad_group_id,live_seconds\n2026-03-01,0,9,1\n',
      },
      ['facts/pla/activity.csv:2: ad_group_id 9 is not among the ad_groups'],
    ],
  ])('%s', async (_, files, problems) => {
    await expectProblems(files, problems);
  });
});

// This test changes the network, so it is the last.
test('a removed product that an ad group shows does not get in the way of patches of other ad groups', async () => {
  expect(await load({ 'products.patch.csv': 'id,deleted\n20,true\n' })).toMatchObject({
    outcome: 'loaded',
    warnings: [],
  });
  const other = { id: 1100, name: 'Renamed', campaignId: 110, status: 'ACTIVE' };
  const product = { id: 22, advertiserId: 11, upc: '11', name: 'Rye' };
  const files = { 'ad_groups.patch.ndjson': ndjson(other), 'products.patch.ndjson': ndjson(product) };
  expect(await load(files)).toMatchObject({ outcome: 'loaded', warnings: [] });
  const same = { id: 1001, name: 'Narrow', campaignId: 100, status: 'ACTIVE', productIds: [20] };
  expect((await load({ 'ad_groups.patch.ndjson': ndjson(same) })).problems.map(formatProblem)).toEqual([
    'ad_groups.patch.ndjson:1: productIds 20 is not among the products',
  ]);
});
