import { describe, expect, test } from 'vitest';
import { countUnlisted, formatProblem } from '../../../shared/load/schema/problems.ts';
import { useRejections } from '../support/use-rejections.ts';

const { load } = useRejections();

const ACTIVITY = 'daily_date,hour,ad_group_id,live_seconds,scheduled_seconds';

describe('the same problem of many rows', () => {
  /** The rows of the large file are checked in several sections; those of the small one are counted apart. */
  test('is listed for three rows of a file, and counted for the others', async () => {
    const lines = Array.from({ length: 100_000 }, () => '2026-03-01,0,7,1,1');
    const report = await load({
      'facts/pla/activity.csv': [ACTIVITY, ...lines].join('\n'),
      'facts/pla/activity-2.csv': [ACTIVITY, ...lines.slice(0, 2)].join('\n'),
    });
    expect(report.problems.map(formatProblem)).toEqual([
      'facts/pla/activity-2.csv:2: ad_group_id 7 is not among the ad_groups',
      'facts/pla/activity-2.csv:3: ad_group_id 7 is not among the ad_groups',
      'facts/pla/activity.csv:2: ad_group_id 7 is not among the ad_groups',
      'facts/pla/activity.csv:3: ad_group_id 7 is not among the ad_groups',
      'facts/pla/activity.csv:4: ad_group_id 7 is not among the ad_groups (and 99,997 more rows)',
    ]);
    expect(report.problemCount).toBe(100_002);
    expect(countUnlisted(report.problems, report.problemCount)).toBe(0);
  });

  test('leaves room for other problems, however many rows it has', async () => {
    const lines = Array.from({ length: 1_000 }, () => '2026-03-01,0,7,1,1');
    const report = await load(
      { 'facts/pla/activity.csv': [ACTIVITY, ...lines, '2026-03-01,24,1000,1,1'].join('\n') },
      4,
    );
    expect(report.problems.map(formatProblem).at(-1)).toBe(
      'facts/pla/activity.csv:1002: hour must be an integer from 0 to 23, not "24"',
    );
  });
});

test('rows that refer to ids that the folder removes are one problem per listing and column, after those of the folder’s own rows', async () => {
  const report = await load({
    'accounts.csv': 'id,name\n7,Own\n',
    'ad_groups.csv': 'id,campaignId,name,status\n1000,999,Other,ACTIVE\n',
  });
  expect(report.problems.map(formatProblem)).toEqual([
    'ad_groups.csv:2: campaignId 999 is not among the campaigns',
    'accounts.csv: 2 rows of advertisers refer in accountId to accounts that this file removes: 1, 2; load advertisers with it',
    'accounts.csv: 1 row of advertisers refers in accountIds to accounts that this file removes: 1, 2; load advertisers with it',
    'accounts.csv: 2 rows of contacts refer in accountIds to accounts that this file removes: 1, 2; load contacts with it',
    'accounts.csv: 2 rows of addresses refer in accountIds to accounts that this file removes: 1; load addresses with it',
    'accounts.csv: 2 rows of users refer in accountIds to accounts that this file removes: 1, 2; load users with it',
  ]);
  expect(report.problemCount).toBe(6);
});
