import { describe, expect, test } from 'vitest';
import { type DimensionRow, dataset } from '../../support/facts.ts';
import { adGroup, campaign, DELIVERY, TEN_PER_DAY, TWO_ADVERTISERS } from './budgets.ts';
import { run } from './run.ts';

describe('pacing divides cost by the planned cost of the budget type', () => {
  test.each([
    ['DAILY: budget × days', TEN_PER_DAY, 50 / 100],
    ['WEEKLY: budget × days / 7', { budget: 70, budgetType: 'WEEKLY' }, 50 / 100],
    ['MONTHLY: budget × days / days of the month', { budget: 310, budgetType: 'MONTHLY' }, 50 / 100],
    [
      'LIFETIME: budget × days / days of the flight',
      { budget: 500, budgetType: 'LIFETIME', endDate: '2025-04-19' },
      50 / 100,
    ],
    ['LIFETIME without end date: no plan', { budget: 500, budgetType: 'LIFETIME' }, null],
    ['a budget of 0: null', { budget: 0, budgetType: 'DAILY' }, null],
    ['no budget: null', {}, null],
  ])('%s', async (_, budget, pacing) => {
    const data = dataset({ campaigns: [campaign({})], ad_groups: [adGroup(1, budget)], delivery: DELIVERY });
    expect((await run(data, { metrics: ['pacing'] })).data).toEqual([{ pacing }]);
  });

  test('with one division: 1.333347 / 3 is exactly 0.444449', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, { budget: 3, budgetType: 'DAILY' })],
      delivery: [{ date: '2025-03-01', ad_group_id: 1, cost: 1.333347 }],
    });
    const filters = [{ field: 'pacing', operator: 'EQUALS', values: ['0.444449'] }] as const;
    expect((await run(data, { metrics: ['pacing'], filters })).data).toEqual([{ pacing: 0.444449 }]);
  });

  test('and adds up budgets of different periods as fractions: 3/7 + 5/31 + 1/10 per day', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [
        adGroup(1, { budget: 3, budgetType: 'WEEKLY' }),
        adGroup(2, { budget: 5, budgetType: 'MONTHLY' }),
        adGroup(3, { budget: 1, budgetType: 'LIFETIME', endDate: '2025-03-10' }),
      ],
      delivery: [1, 2, 3].map((id) => ({ date: '2025-03-01', ad_group_id: id, cost: 0.1 })),
    });
    // 0.3 / (930 + 350 + 217) × 2170, divided once
    expect((await run(data, { metrics: ['pacing'] })).data).toEqual([{ pacing: 651 / 1497 }]);
  });

  test('and adds up MONTHLY budgets by month, each divided by its own days', async () => {
    const data = dataset({
      campaigns: [campaign({ startDate: '2025-02-15' })],
      ad_groups: [adGroup(1, { budget: 56, budgetType: 'MONTHLY' })],
      delivery: [...DELIVERY, { date: '2025-03-31', ad_group_id: 1, cost: 34 }],
    });
    // 14 of 28 days in February and all of March: 28 + 56
    const report = await run(data, { startDate: '2025-02-01', metrics: ['pacing'] });
    expect(report.data).toEqual([{ pacing: 84 / 84 }]);
  });
});

describe('a budget with a history plans the budget in force on each day', () => {
  const TEN = '2025-03-06 10000000 DAILY';
  test.each([
    ['its own before the first day of the history', { budget: 4, budgetType: 'DAILY' }, TEN, 5 * 4 + 5 * 10],
    ['nothing before the first day of the history, if it has none of its own', {}, TEN, 5 * 10],
    ['several, one after the other', TEN_PER_DAY, '2025-03-03 0 DAILY,2025-03-08 70000000 WEEKLY', 2 * 10 + 3 * 10],
    ['of days before and after the flight, those in it', {}, `2025-01-01 3000000 DAILY,${TEN},2025-04-02 1 DAILY`, 65],
    [
      'a LIFETIME budget by the days of the flight',
      { budget: 40, budgetType: 'LIFETIME', endDate: '2025-03-20' },
      '2025-03-06 60000000 LIFETIME',
      5 * 2 + 5 * 3,
    ],
    ['no LIFETIME budget without an end date', TEN_PER_DAY, '2025-03-06 60000000 LIFETIME', 5 * 10],
  ])('%s', async (_, own, budgets, planned_cost) => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, { ...own, budgets })],
      delivery: DELIVERY,
    });
    const report = await run(data, { metrics: ['planned_cost', 'pacing'] });
    expect(report.data).toEqual([{ planned_cost, pacing: 50 / planned_cost }]);
  });

  test('by date, and of a campaign whose ad groups have neither a budget nor a history', async () => {
    const data = dataset({
      campaigns: [campaign({ ...TEN_PER_DAY, budgets: '2025-03-04 5000000 DAILY' })],
      ad_groups: [adGroup(1, {}), adGroup(2, {})],
      delivery: DELIVERY,
    });
    const period = { startDate: '2025-03-03', endDate: '2025-03-05' };
    const report = await run(data, { metrics: ['planned_cost'], dimensions: ['daily_date'], ...period });
    expect(report.data.map(Object.values)).toEqual([
      ['2025-03-03', 10],
      ['2025-03-04', 5],
      ['2025-03-05', 5],
    ]);
  });
});

describe('pacing counts days', () => {
  const runTenPerDay = (
    flight: DimensionRow,
    period: { startDate?: string; endDate?: string },
    own: DimensionRow = {},
  ) =>
    run(
      dataset({
        campaigns: [campaign(flight)],
        ad_groups: [adGroup(1, { ...TEN_PER_DAY, ...own })],
        delivery: DELIVERY,
      }),
      { metrics: ['pacing'], ...period },
    );

  test.each([
    ['through dataCompleteThrough', {}, {}, 50 / 100],
    ['of the period', {}, { startDate: '2025-03-06' }, 20 / 50],
    ['of the period up to its last day', {}, { endDate: '2025-03-05' }, 30 / 50],
    ['of the campaign’s flight', { endDate: '2025-03-05' }, {}, 50 / 50],
    ['after the start of the flight only', { startDate: '2025-03-20' }, {}, null],
  ])('%s', async (_, flight, period, pacing) => {
    expect((await runTenPerDay(flight, period)).data).toEqual([{ pacing }]);
  });

  test('of the ad group’s own flight, where it has dates of its own', async () => {
    const own = { startDate: '2025-03-03', endDate: '2025-03-04' };
    expect((await runTenPerDay({ endDate: '2025-03-31' }, {}, own)).data).toEqual([{ pacing: 50 / 20 }]);
  });

  test('that pass the filters on dates', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, TEN_PER_DAY)],
      delivery: DELIVERY,
    });
    const filters = [{ field: 'daily_date', operator: 'GREATER_THAN', values: ['2025-03-08'] }] as const;
    expect((await run(data, { metrics: ['pacing'], filters })).data).toEqual([{ pacing: 20 / 20 }]);
  });

  test('through the latest delivery of any advertiser, even where an advertiser has paused', async () => {
    const data = dataset({
      advertisers: TWO_ADVERTISERS,
      campaigns: [campaign({}), { ...campaign({}), id: 20, advertiserId: 2 }],
      ad_groups: [adGroup(1, TEN_PER_DAY), { ...adGroup(7, TEN_PER_DAY), advertiserId: 2, campaignId: 20 }],
      delivery: [...DELIVERY, { date: '2025-03-05', advertiserId: 2, ad_group_id: 7, cost: 25 }],
    });
    const report = await run(data, { metrics: ['pacing'], dimensions: ['advertiser_id'] });
    expect(report.meta).toMatchObject({ dataCompleteThrough: '2025-03-10', warnings: [] });
    expect(report.data).toEqual([
      { advertiser_id: 1, pacing: 50 / 100 },
      { advertiser_id: 2, pacing: 25 / 100 },
    ]);
  });

  test('of each advertiser through the day that freshness gives for it, and the report states the earliest of these days', async () => {
    const data = dataset({
      advertisers: TWO_ADVERTISERS,
      campaigns: [campaign({}), { ...campaign({}), id: 20, advertiserId: 2 }],
      ad_groups: [adGroup(1, TEN_PER_DAY), { ...adGroup(7, TEN_PER_DAY), advertiserId: 2, campaignId: 20 }],
      delivery: [...DELIVERY, { date: '2025-03-05', advertiserId: 2, ad_group_id: 7, cost: 25 }],
      freshness: [
        { experience: 'pla', advertiserId: null, completeThrough: '2025-03-20' },
        { experience: 'pla', advertiserId: 2, completeThrough: '2025-03-04' },
        { experience: 'toa', advertiserId: 1, completeThrough: '2025-03-01' },
      ],
    });
    const report = await run(data, { metrics: ['pacing'], dimensions: ['advertiser_id'] });
    expect(report.data).toEqual([
      { advertiser_id: 1, pacing: 50 / 200 },
      { advertiser_id: 2, pacing: 0 },
    ]);
    expect(report.totals).toEqual({ pacing: 50 / 240 });
    expect(report.meta.dataCompleteThrough).toBe('2025-03-04');
    expect(report.meta.warnings).toEqual([
      {
        code: 'DATA_ENDS_EARLIER',
        field: 'pacing',
        detail:
          'pacing counts plan and cost of advertiser 2 only through 2025-03-04, its last day with complete data, but its delivery goes on: end the report on that day to compare other figures.',
        drop: [],
      },
    ]);
    const filters = [{ field: 'advertiser_id', operator: 'EQUALS', values: ['1'] }] as const;
    const first = await run(data, { metrics: ['pacing'], filters });
    expect(first).toMatchObject({ data: [{ pacing: 50 / 200 }], meta: { dataCompleteThrough: '2025-03-04' } });
    expect(first.meta.warnings).toEqual([]);
    const completeDays = await run(data, { metrics: ['pacing'], endDate: '2025-03-04' });
    expect(completeDays).toMatchObject({ data: [{ pacing: 30 / 80 }], meta: { warnings: [] } });
  });

  test('only in experiences with any delivery', async () => {
    const data = dataset({ campaigns: [campaign({})], ad_groups: [adGroup(1, TEN_PER_DAY)], delivery: DELIVERY });
    const report = await run(data, { experience: 'toa', metrics: ['pacing'] });
    expect(report).toMatchObject({ data: [{ pacing: null }], meta: { dataCompleteThrough: null } });
  });

  test('of the row’s own day, week or month, delivered or not, so that rows add up to the total', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, TEN_PER_DAY)],
      delivery: DELIVERY,
    });
    const by = async (dimension: 'daily_date' | 'week_date' | 'month_date') => {
      const report = await run(data, { metrics: ['pacing', 'planned_cost'], dimensions: [dimension] });
      const planned = report.data.reduce((sum, row) => sum + Number(row.planned_cost), 0);
      expect([planned, report.totals.planned_cost]).toEqual([100, 100]);
      return [...report.data.map((row) => [row[dimension], row.pacing]), ['total', report.totals.pacing]];
    };
    const days = Array.from({ length: 10 }, (_, i) => `2025-03-${String(i + 1).padStart(2, '0')}`);
    expect(await by('daily_date')).toEqual([
      ...days.map((day) => [day, day === '2025-03-04' ? 3 : day === '2025-03-10' ? 2 : 0]),
      ['total', 50 / 100],
    ]);
    // all of the week of March 3, and the Monday of the week of March 10
    expect(await by('week_date')).toEqual([
      ['2025-02-24', 0],
      ['2025-03-03', 30 / 70],
      ['2025-03-10', 2],
      ['total', 50 / 100],
    ]);
    expect(await by('month_date')).toEqual([
      ['2025-03-01', 0.5],
      ['total', 0.5],
    ]);
  });
});
