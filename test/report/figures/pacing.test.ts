import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { type DimensionRow, dataset } from '../../support/facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';
import { adGroup, campaign, DELIVERY, TEN_PER_DAY } from './budgets.ts';
import { run } from './run.ts';

/* Most figures of pacing are in pacing.txt. */

test('pacing of what has ended reads no more where the data is complete to the end date', async () => {
  const delivery = [...DELIVERY, { date: '2025-04-02', ad_group_id: 3, cost: 0 }];
  const count = async (own: DimensionRow) => {
    const source = await storedSource(dataset({ campaigns: [campaign({})], ad_groups: [adGroup(1, own)], delivery }));
    const scope = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };
    const query: ReportQuery = {
      ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', dimensions: [], filters: [] },
      ...{ metrics: ['planned_cost', 'pacing'], sort: [], pagination: { offset: 0, size: 10 } },
    };
    await runReport({ query, scope, settings: SETTINGS, source });
    return source.log.days.length + source.log.rollups.length;
  };
  const reads = await count(TEN_PER_DAY);
  const ended = { ...TEN_PER_DAY, status: 'ENDED' };
  expect(await count({ ...ended, endDate: '2025-03-12' })).toBe(reads);
  expect(await count(ended)).toBeGreaterThan(reads);
});

describe('each row of the documentation’s table of plans holds', () => {
  const period = { startDate: '2025-03-01', endDate: '2025-03-10' };
  const lifetime = { budget: 100, budgetType: 'LIFETIME' } as const;
  const spent = [1, 2].map((id) => ({ date: '2025-03-10', ad_group_id: id, cost: 25 * id }));
  const byAdGroup = [{ field: 'ad_group_id', operator: 'EQUALS', values: ['1'] }] as const;
  const documented = readFileSync(new URL('../../../functions/README.md', import.meta.url), 'utf8');
  const [, table = ''] = /Which budget counts in which case:\*\*\n\n((?:\|.*\n)+)/.exec(documented) ?? [];
  const cases = table
    .split('\n')
    .flatMap((row) => /^\| ([A-Z].*?) \|/.exec(row)?.[1] ?? [])
    .slice(1);

  /** By case: columns of the campaign and of its ad groups, whether others deliver until March 20, changes of the request, and the expected pacing (of rows and total). */
  const EXAMPLES: Readonly<
    Record<string, { campaign?: DimensionRow; own?: DimensionRow[]; later?: true; change?: object; pacing: unknown }>
  > = {
    'The ad group has a budget.': {
      own: [
        { ...TEN_PER_DAY, startDate: '2025-03-06' },
        { ...TEN_PER_DAY, endDate: '2025-03-02' },
      ],
      pacing: 75 / 70,
    },
    'The ad group has a budget, but no dates.': {
      campaign: { endDate: '2025-03-04' },
      own: [TEN_PER_DAY, {}],
      pacing: 25 / 40,
    },
    'Only the campaign has a budget.': { campaign: TEN_PER_DAY, pacing: 75 / 100 },
    'The ad group has no budget, but another ad group of the campaign has.': {
      campaign: { budget: 1, budgetType: 'DAILY' },
      own: [TEN_PER_DAY, {}],
      pacing: 25 / 100,
    },
    "The ad group's budget begins on a later day.": {
      campaign: TEN_PER_DAY,
      own: [{ budgets: '2025-03-06 20000000 DAILY' }, {}],
      pacing: 25 / 150,
    },
    'A history begins on a later day, and there is no budget before.': {
      own: [{ budgets: '2025-03-06 20000000 DAILY' }, {}],
      pacing: 25 / 100,
    },
    'A LIFETIME budget changes in flight.': {
      campaign: { endDate: '2025-03-10' },
      own: [{ ...lifetime, budgets: '2025-03-06 200000000 LIFETIME' }, {}],
      pacing: 25 / 200,
    },
    'The ad group’s budget is LIFETIME, and the flight has no end.': {
      campaign: TEN_PER_DAY,
      own: [lifetime, {}],
      pacing: null,
    },
    'The campaign’s budget is LIFETIME, and its flight has no end.': { campaign: lifetime, pacing: null },
    "Its status is DRAFT, UNDER_REVIEW or FAILED, or its campaign's is.": {
      campaign: { status: 'DRAFT' },
      own: [TEN_PER_DAY, {}],
      pacing: null,
    },
    'Only the campaign has a budget, and all its ad groups are DRAFT, UNDER_REVIEW or FAILED.': {
      campaign: TEN_PER_DAY,
      own: [{ status: 'FAILED' }, { status: 'UNDER_REVIEW' }],
      pacing: null,
    },
    'It is ENDED.': {
      own: [
        { ...TEN_PER_DAY, status: 'ENDED' },
        { ...TEN_PER_DAY, status: 'ENDED', endDate: '2025-04-05' },
        { ...TEN_PER_DAY, status: 'ENDED', endDate: '2025-03-05' },
      ],
      later: true,
      pacing: 75 / 250,
    },
    'It is no longer listed.': {
      own: [
        { ...TEN_PER_DAY, status: 'ACTIVE', archived: 1 },
        { ...TEN_PER_DAY, status: 'ACTIVE', archived: 1, endDate: '2025-03-05' },
      ],
      later: true,
      pacing: 75 / 150,
    },
    'Only the campaign has a budget, and all its ad groups are ENDED or no longer listed.': {
      campaign: TEN_PER_DAY,
      own: [{ status: 'ENDED' }, { status: 'ENDED' }],
      later: true,
      pacing: 75 / 100,
    },
    'Only the campaign has a budget, and all its ad groups were deleted.': {
      campaign: TEN_PER_DAY,
      own: [{ archived: 1 }, { archived: 1 }],
      pacing: null,
    },
    'It is PAUSED, or SCHEDULED after its start.': {
      own: [
        { ...TEN_PER_DAY, status: 'PAUSED' },
        { ...TEN_PER_DAY, status: 'SCHEDULED' },
      ],
      pacing: 75 / 200,
    },
    'The ad group is of another experience.': { own: [{ ...TEN_PER_DAY, experience: 'toa' }, {}], pacing: null },
    'Its experience is unknown, and a report over `all` groups by experience.': {
      own: [TEN_PER_DAY, {}],
      change: { experience: 'all', dimensions: ['experience_name'] },
      pacing: [null, null, 25 / 100],
    },
    'The budget is 0, also in a history.': { own: [{ budget: 0, budgetType: 'DAILY' }, TEN_PER_DAY], pacing: 75 / 100 },
    'There is cost outside the flight.': { own: [{ ...TEN_PER_DAY, endDate: '2025-03-05' }, {}], pacing: 25 / 50 },
    'The flight and the period have no day in common.': {
      campaign: { ...TEN_PER_DAY, startDate: '2025-04-01' },
      pacing: null,
    },
    'The ad group has no delivery in the report.': { own: [{}, {}, TEN_PER_DAY], pacing: 0 },
    'Only the campaign has a budget, and the report groups by ad group.': {
      campaign: TEN_PER_DAY,
      change: { dimensions: ['ad_group_id'] },
      pacing: [null, null, 75 / 100],
    },
    'Only the campaign has a budget, and a filter selects ad groups.': {
      campaign: TEN_PER_DAY,
      change: { filters: byAdGroup },
      pacing: null,
    },
    'The data is complete only up to a day in the period.': {
      campaign: TEN_PER_DAY,
      change: { endDate: '2025-03-25' },
      pacing: 75 / 100,
    },
  };

  test('and every row has its example', () => {
    expect(cases).toEqual(Object.keys(EXAMPLES));
  });

  test.each(Object.entries(EXAMPLES))(
    '%s',
    async (_, { campaign: more = {}, own = [{}, {}], later, change = {}, pacing }) => {
      const data = dataset({
        campaigns: [campaign(more)],
        ad_groups: own.map((columns, i) => adGroup(i + 1, columns)),
        delivery: later ? [...spent, { date: '2025-03-20', ad_group_id: 9, cost: 1 }] : spent,
      });
      for (const rollups of [true, false]) {
        const report = await run(data, {
          ...{ ...period, ...(later && { endDate: '2025-03-31' }) },
          ...{ metrics: ['pacing'], rollups, ...change },
        });
        const rows = report.data.map((row) => row.pacing);
        expect(Array.isArray(pacing) ? [...rows, report.totals.pacing] : rows).toEqual([pacing].flat());
      }
    },
  );
});
