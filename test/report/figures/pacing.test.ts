import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MetricName } from '../../../shared/catalog/metrics.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { type DatasetParts, type DimensionRow, dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { adGroup, campaign, DELIVERY, TEN_PER_DAY } from './budgets.ts';
import { run, warned } from './run.ts';

const NO_FIELDS: Omit<ReportQuery, 'metrics'> = {
  ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', dimensions: [], filters: [] },
  ...{ sort: [], pagination: { offset: 0, size: 10 } },
};

describe('pacing', () => {
  const spread = [...DELIVERY, { date: '2025-03-05', ad_group_id: 2, cost: 25 }] as const;

  test('uses the budget of the campaign where none of its ad groups has one', async () => {
    const data = dataset({
      campaigns: [campaign({ budget: 15, budgetType: 'DAILY' })],
      ad_groups: [adGroup(1, {}), adGroup(2, {})],
      delivery: spread,
    });
    expect((await run(data, { metrics: ['pacing'], dimensions: ['campaign_id'] })).data).toEqual([
      { campaign_id: 10, pacing: 75 / 150 },
    ]);
    expect((await run(data, { metrics: ['pacing'] })).data).toEqual([{ pacing: 75 / 150 }]);
  });

  test('leaves out the budget of a campaign where dimensions or filters separate its ad groups', async () => {
    const data = dataset({
      campaigns: [campaign({ budget: 15, budgetType: 'DAILY' })],
      ad_groups: [adGroup(1, {}), adGroup(2, {})],
      delivery: spread,
    });
    const filters = [{ field: 'ad_group_id', operator: 'EQUALS', values: ['1'] }] as const;
    const warning = {
      code: 'CAMPAIGN_BUDGETS_LEFT_OUT',
      field: 'pacing',
      detail:
        'pacing leaves out a campaign with one budget for all ad groups: such a budget is undefined where dimensions or filters separate the ad groups of a campaign. Unless a filter does, the totals still count it.',
    };
    const filtered = await run(data, { metrics: ['pacing'], filters });
    expect(filtered).toMatchObject({ data: [{ pacing: null }], meta: { warnings: [{ ...warning, drop: [] }] } });
    const grouped = await run(data, { metrics: ['pacing'], dimensions: ['ad_group_id', 'campaign_id'] });
    expect(grouped.data).toEqual([
      { ad_group_id: 1, campaign_id: 10, pacing: null },
      { ad_group_id: 2, campaign_id: 10, pacing: null },
    ]);
    expect(grouped.meta.warnings).toEqual([{ ...warning, drop: ['ad_group_id'] }]);
    expect(grouped.totals).toEqual({ pacing: 75 / 150 });
    expect(filtered.totals).toEqual({ pacing: null });
  });

  test('uses only the budgets of ad groups where one of them has a budget, and leaves out the cost of the others', async () => {
    const data = dataset({
      campaigns: [campaign({ budget: 15, budgetType: 'DAILY' })],
      ad_groups: [adGroup(1, TEN_PER_DAY), adGroup(2, {})],
      delivery: spread,
    });
    const report = await run(data, { metrics: ['pacing', 'cost'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([
      { ad_group_id: 1, pacing: 50 / 100, cost: 50 },
      { ad_group_id: 2, pacing: null, cost: 25 },
    ]);
    expect(report.totals).toEqual({ pacing: 50 / 100, cost: 75 });
  });

  const [unspent, spent] = [
    { ...campaign({ budget: 100, budgetType: 'DAILY', status: 'ACTIVE' }), id: 20 },
    campaign({ ...TEN_PER_DAY, status: 'ACTIVE' }),
  ];
  const twoCampaigns = {
    campaigns: [spent, unspent],
    ad_groups: [adGroup(1, {}), { ...adGroup(2, {}), campaignId: 20 }],
    delivery: [{ date: '2025-03-10', ad_group_id: 1, cost: 85 }],
  };

  test('counts what was planned and not delivered: 85 of 1100, and not 85 of 100', async () => {
    const metrics = [
      ...(['pacing', 'planned_cost', 'remaining_planned_cost', 'cost', 'campaign_budget', 'campaign_status'] as const),
    ];
    const report = await run(dataset(twoCampaigns), { metrics, dimensions: ['campaign_id'] });
    const common = { campaign_status: 'ACTIVE' };
    expect(report.data).toEqual([
      {
        campaign_id: 10,
        pacing: 0.85,
        planned_cost: 100,
        remaining_planned_cost: 15,
        cost: 85,
        campaign_budget: 10,
        ...common,
      },
      {
        campaign_id: 20,
        pacing: 0,
        planned_cost: 1000,
        remaining_planned_cost: 1000,
        cost: 0,
        campaign_budget: 100,
        ...common,
      },
    ]);
    expect(report.totals).toMatchObject({ pacing: 85 / 1100, remaining_planned_cost: 1015, cost: 85 });
    expect(report.meta.warnings).toEqual([]);
  });

  test.each<[MetricName, readonly number[]]>([
    ['planned_cost', [1]],
    ['pacing', [1, 2]],
    ['cost', [1, 2]],
  ])('%s alone has rows of ad groups %j, of which 2 has cost without a plan', async (metric, ids) => {
    const delivery = [...DELIVERY, { date: '2025-03-05', ad_group_id: 2, cost: 25 }];
    const data = dataset({ campaigns: [campaign({})], ad_groups: [adGroup(1, TEN_PER_DAY), adGroup(2, {})], delivery });
    const { data: rows } = await run(data, { dimensions: ['ad_group_id'], metrics: [metric] });
    expect(rows.map((row) => row.ad_group_id)).toEqual(ids);
  });

  test('makes rows in reports that ask, filter or sort by planned cost or pacing only', async () => {
    const countRows = async (change: object) =>
      (await run(dataset(twoCampaigns), { dimensions: ['campaign_id'], metrics: ['cost'], ...change })).totalCount;
    const filters = [{ field: 'pacing', operator: 'LESS_THAN', values: ['0.5'] }];
    expect(await countRows({})).toBe(1);
    expect(await countRows({ metrics: ['planned_cost'] })).toBe(2);
    expect(await countRows({ metrics: ['cost', 'pacing'] })).toBe(2);
    expect(await countRows({ filters })).toBe(1);
    expect(await countRows({ dimensions: ['campaign_id', 'placement'], metrics: ['cost', 'pacing'] })).toBe(1);
  });

  test.each([
    ['in the statuses DRAFT, UNDER_REVIEW and FAILED', { status: 'DRAFT' }, 0],
    ['before it is approved', { status: 'UNDER_REVIEW' }, 0],
    ['after it failed', { status: 'FAILED' }, 0],
    ['of another experience', { experience: 'toa' }, 0],
    ['while it is paused', { status: 'PAUSED' }, 100],
    ['of the same experience', { experience: 'pla' }, 100],
  ])('counts the plan %s: %o plans %d', async (_, own, planned) => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, { ...TEN_PER_DAY, ...own })],
      delivery: DELIVERY,
    });
    const report = await run(data, { metrics: ['planned_cost', 'pacing'] });
    expect(report.data).toEqual([{ planned_cost: planned, pacing: planned === 0 ? null : 50 / planned }]);
  });

  describe('of what has ended', () => {
    const delivery = [
      ...DELIVERY,
      { date: '2025-03-20', ad_group_id: 2, cost: 0 },
      { date: '2025-04-02', ad_group_id: 3, cost: 0 },
    ] as const;
    const planned = async (more: DimensionRow, own: DimensionRow, change: object = {}, others: DatasetParts = {}) => {
      const ad_groups = [adGroup(1, own), adGroup(2, {}), { ...adGroup(3, {}), campaignId: 30 }];
      const data = dataset({ campaigns: [campaign(more)], ad_groups, delivery, ...others });
      const report = await run(data, { metrics: ['planned_cost'], ...change });
      return report.data.map((row) => row.planned_cost);
    };
    const ended = { ...TEN_PER_DAY, status: 'ENDED' };

    test.each<[string, DimensionRow, DimensionRow, number]>([
      ['ended without an end date', {}, ended, 10],
      ['ended before its end date', {}, { ...ended, endDate: '2025-06-30' }, 10],
      ['ended on its end date, after days without delivery', {}, { ...ended, endDate: '2025-03-12' }, 12],
      ['delisted without an end date', {}, { ...TEN_PER_DAY, archived: 1 }, 10],
      ['in an ended campaign', { status: 'ENDED' }, TEN_PER_DAY, 10],
      [
        'LIFETIME, over the days of its flight',
        {},
        { ...ended, ...{ budget: 310, budgetType: 'LIFETIME' }, endDate: '2025-04-30' },
        310 / 61,
      ],
      ['LIFETIME without an end date', {}, { ...ended, budgetType: 'LIFETIME' }, 0],
      ['the budget of an ended campaign', { ...TEN_PER_DAY, status: 'ENDED' }, {}, 20],
      ['not: running', {}, TEN_PER_DAY, 31],
      ['not: delisted before its end date', {}, { ...TEN_PER_DAY, archived: 1, endDate: '2025-06-30' }, 31],
    ])('plans up to its last day with delivery: %s', async (_, more, own, days) => {
      expect(await planned(more, own)).toEqual([days * 10]);
    });

    test('plans up to its last day with activity, too', async () => {
      const activity = [{ date: '2025-03-15', ad_group_id: 1, live_seconds: 60 }];
      expect(await planned({}, ended, {}, { activity })).toEqual([150]);
    });

    test('plans the same on a day whatever the period is: delivery after the period shows that it was running', async () => {
      const of = (startDate: string, endDate: string) => planned({}, ended, { startDate, endDate });
      expect(await of('2025-03-04', '2025-03-07')).toEqual([40]);
      expect(await of('2025-03-08', '2025-03-31')).toEqual([30]);
      expect(await of('2025-03-11', '2025-04-30')).toEqual([0]);
    });

    test('reads no more where the data is complete to the end date', async () => {
      const count = async (own: DimensionRow) => {
        const data = dataset({ campaigns: [campaign({})], ad_groups: [adGroup(1, own)], delivery });
        const source = memorySource(data);
        const scope = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };
        const query: ReportQuery = { ...NO_FIELDS, metrics: ['planned_cost', 'pacing'] };
        await runReport({ query, scope, settings: SETTINGS, source });
        return source.log.days.length;
      };
      const reads = await count(TEN_PER_DAY);
      expect(await count({ ...ended, endDate: '2025-03-12' })).toBe(reads);
      expect(await count(ended)).toBeGreaterThan(reads);
    });
  });

  test('warns of plans that are PAUSED, or SCHEDULED after their start, with their names and amount', async () => {
    const data = dataset({
      campaigns: [campaign({}), { ...campaign({ budget: 5, budgetType: 'WEEKLY', status: 'SCHEDULED' }), id: 20 }],
      ad_groups: [
        adGroup(1, { ...TEN_PER_DAY, status: 'PAUSED' }),
        adGroup(2, TEN_PER_DAY),
        { ...adGroup(3, {}), campaignId: 20 },
        adGroup(4, { ...TEN_PER_DAY, status: 'SCHEDULED', startDate: '2025-03-11' }),
      ],
      delivery: DELIVERY,
    });
    const paced = async (change: object) => (await run(data, { metrics: ['pacing'], ...change })).meta.warnings;
    const warning = { code: 'PLAN_OF_IDLE', field: 'pacing', drop: [] };
    const detail =
      'pacing includes a plan of 107.14 of what does not run: ad group 1 (PAUSED), campaign 20 (SCHEDULED).';
    expect(await paced({})).toEqual([{ ...warning, detail }]);
    const filters = [{ field: 'ad_group_id', operator: 'EQUALS', values: ['1', '2'] }];
    expect((await paced({ filters })).map((found) => found.detail)).toContain(
      'pacing includes a plan of 100 of what does not run: ad group 1 (PAUSED).',
    );
    const others = [{ field: 'ad_group_id', operator: 'EQUALS', values: ['2', '4'] }];
    expect((await paced({ filters: others })).map(({ code }) => code)).not.toContain('PLAN_OF_IDLE');
  });

  test('plans nothing of a campaign all of whose ad groups in the experience cannot run, and everything if one can', async () => {
    const planned = async (statuses: readonly string[], more: DimensionRow = {}) => {
      const data = dataset({
        campaigns: [campaign(TEN_PER_DAY)],
        ad_groups: statuses.map((status, i) => adGroup(i + 1, { status, ...more })),
        delivery: DELIVERY,
      });
      return (await run(data, { metrics: ['planned_cost', 'pacing'] })).data;
    };
    for (const status of ['DRAFT', 'UNDER_REVIEW', 'FAILED'])
      expect(await planned([status, status])).toEqual([{ planned_cost: 0, pacing: null }]);
    expect(await planned(['FAILED', 'ACTIVE'])).toEqual([{ planned_cost: 100, pacing: 0.5 }]);
    expect(await planned(['FAILED', 'ENDED'])).toEqual([{ planned_cost: 100, pacing: 0.5 }]);
    expect(await planned(['ACTIVE', 'ACTIVE'], { archived: 1 })).toEqual([{ planned_cost: 100, pacing: 0.5 }]);
  });

  test('does not warn of campaign budgets that plan no day of the report', async () => {
    const warnedOf = async (startDate: string) => {
      const data = dataset({
        campaigns: [campaign({ ...TEN_PER_DAY, startDate })],
        ad_groups: [adGroup(1, {})],
        delivery: DELIVERY,
      });
      return warned(await run(data, { metrics: ['pacing'], dimensions: ['ad_group_id'] }));
    };
    expect(await warnedOf('2025-03-10')).toEqual(['pacing']);
    expect(await warnedOf('2025-03-11')).toEqual([]);
  });

  test('adds up planned cost as fractions, and rounds once: 3/7 + 5/31 of ten days', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, { budget: 3, budgetType: 'WEEKLY' }), adGroup(2, { budget: 5, budgetType: 'MONTHLY' })],
      delivery: DELIVERY,
    });
    expect((await run(data, { metrics: ['planned_cost'] })).data).toEqual([{ planned_cost: 1280 / 217 }]);
  });

  test('names a campaign of which only the budget is in the total', async () => {
    const { campaigns, ad_groups, delivery } = twoCampaigns;
    const own = ad_groups.map((row, i) => (i === 0 ? { ...row, ...TEN_PER_DAY } : row));
    const report = await run(dataset({ campaigns, ad_groups: own, delivery }), {
      metrics: ['planned_cost', 'campaign_budget'],
      dimensions: ['ad_group_id'],
    });
    expect(report.data).toEqual([{ ad_group_id: 1, planned_cost: 100, campaign_budget: 10 }]);
    expect(report.totals).toEqual({ planned_cost: 1100, campaign_budget: null });
    expect(warned(report)).toEqual(['planned_cost']);
  });

  test('is undefined with dimensions finer than ad group and day in rows but not in totals, and by such filters in both', async () => {
    const data = dataset({ ad_groups: [adGroup(1, TEN_PER_DAY)], delivery: DELIVERY });
    const byHour = await run(data, { metrics: ['pacing'], dimensions: ['hour'] });
    expect(byHour.data).toEqual([{ hour: 0, pacing: null }]);
    expect(byHour.totals).toEqual({ pacing: 50 / 100 });
    expect(warned(byHour)).toEqual(['pacing']);
    const filters = [{ field: 'placement', operator: 'IS_NULL', values: [] }] as const;
    const filtered = await run(data, { metrics: ['pacing'], filters });
    expect(filtered).toMatchObject({ data: [{ pacing: null }], totals: { pacing: null } });
  });
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
        { ...TEN_PER_DAY, archived: 1 },
        { ...TEN_PER_DAY, archived: 1, endDate: '2025-03-05' },
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
    'The budget is 0.': { own: [{ budget: 0, budgetType: 'DAILY' }, TEN_PER_DAY], pacing: 75 / 100 },
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
      const report = await run(data, {
        ...period,
        ...(later && { endDate: '2025-03-31' }),
        metrics: ['pacing'],
        ...change,
      });
      const rows = report.data.map((row) => row.pacing);
      expect(Array.isArray(pacing) ? [...rows, report.totals.pacing] : rows).toEqual([pacing].flat());
    },
  );
});
