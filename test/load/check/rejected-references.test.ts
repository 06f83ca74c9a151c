import { describe, test } from 'vitest';
import { conversionsCsv, deliveryCsv, ndjson } from '../support/fact-lines.ts';
import { type Files, useRejections } from '../support/use-rejections.ts';

const { expectProblems } = useRejections();

describe('rejects rows that contradict each other, and loads nothing', () => {
  test.each<[string, Files, string[]]>([
    [
      'reports violated rules between the values of a row',
      {
        'campaigns.ndjson': ndjson(
          {
            id: 100,
            name: 'A',
            advertiserId: 10,
            status: 'ACTIVE',
            startDate: '2026-03-02',
            endDate: '2026-03-01',
            budget: 1,
          },
          { id: 110, name: 'A', advertiserId: 10, status: 'RUNNING', startDate: '2026-03-02', budgetType: 'DAILY' },
          // an invalid budget is not also reported as missing
          {
            id: 120,
            name: 'A',
            advertiserId: 10,
            status: 'ACTIVE',
            startDate: '2026-03-02',
            budget: -1,
            budgetType: 'DAILY',
          },
          { id: 130, name: 'A', advertiserId: 10, status: 'ACTIVE', startDate: '2026-03-02', budget: 'x' },
        ),
        'facts/toa/conversions.csv': conversionsCsv('2026-03-01,0,1000,2,1,5,4.999999', '2026-03-01,0,1000,2,2,5,'),
        'facts/toa/delivery.csv': deliveryCsv('2026-03-01,0,1000,,,milk,,,1,0,0,'),
      },
      [
        'campaigns.ndjson:1: budgetType is required with budget',
        'campaigns.ndjson:1: endDate must not be before startDate, 2026-03-02',
        'campaigns.ndjson:2: status must be one of DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED, not "RUNNING"',
        'campaigns.ndjson:2: budget is required with budgetType',
        'campaigns.ndjson:3: budget must be a decimal ≥ 0, not -1',
        'campaigns.ndjson:4: budget must be a decimal ≥ 0, not "x"',
        'campaigns.ndjson:4: budgetType is required with budget',
        'facts/toa/conversions.csv:2: halo_exposed_transactions must be at least halo_transactions',
        'facts/toa/conversions.csv:2: halo_exposed_revenue must be at least halo_revenue',
        'facts/toa/conversions.csv:3: halo_exposed_revenue must be at least halo_revenue',
        'facts/toa/delivery.csv:2: keyword has values in pla only',
      ],
    ],
    [
      'reports duplicate ids, and duplicate UPCs of one advertiser',
      {
        'products.csv': 'id,advertiserId,upc,name\n1,10,7,A\n2,10,007,B\n1,11,7,C\n20,10,8,D\n',
        'users.ndjson': ndjson(
          { userId: 'u', name: 'U', userType: 'CPG', accountIds: [] },
          { userId: 'u', name: 'U', userType: 'CPG', accountIds: [] },
        ),
      },
      [
        'products.csv:3: upc 0000000000007 is already in line 2',
        'products.csv:4: id 1 is already in line 2',
        'users.ndjson:2: userId u is already in line 1',
      ],
    ],
    [
      'reports references to rows that are neither in the folder nor loaded',
      {
        'advertisers.ndjson': ndjson(
          { id: 10, name: 'Ten', accountId: 1, accountIds: [2] },
          { id: 11, name: 'Eleven', accountId: 3 },
          { id: 12, name: 'Twelve', accountId: 1, accountIds: [1, 4] },
        ),
        'ad_groups.ndjson': ndjson(
          { id: 1000, name: 'A', campaignId: 100, status: 'ACTIVE', productIds: [20, 22, 99] },
          { id: 1001, name: 'B', campaignId: 999, status: 'ACTIVE' },
        ),
        'creatives.csv': 'key,name,advertiserId\nk,K,13\n',
      },
      [
        'advertisers.ndjson:1: accountIds must contain accountId, 1',
        'advertisers.ndjson:2: accountId 3 is not among the accounts',
        'advertisers.ndjson:3: accountIds 4 is not among the accounts',
        'ad_groups.ndjson:1: productIds 99 is not among the products',
        'ad_groups.ndjson:1: productIds 22 is a product of advertiser 11, but the campaign belongs to 10',
        'ad_groups.ndjson:2: campaignId 999 is not among the campaigns',
        'creatives.csv:2: advertiserId 13 is not among the advertisers',
      ],
    ],
    [
      'reports ids that a listing lacks although loaded rows refer to them',
      { 'accounts.csv': 'id,name\n1,Acme\n' },
      [
        'accounts.csv: 1 row of advertisers refers in accountId to accounts that this file removes: 2; load advertisers with it',
        'accounts.csv: 1 row of advertisers refers in accountIds to accounts that this file removes: 2; load advertisers with it',
        'accounts.csv: 1 row of contacts refers in accountIds to accounts that this file removes: 2; load contacts with it',
        'accounts.csv: 1 row of users refers in accountIds to accounts that this file removes: 2; load users with it',
      ],
    ],
  ])('%s', async (_, files, problems) => {
    await expectProblems(files, problems);
  });
});
