import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type DimensionRow, dataset } from '../../support/facts.ts';
import { ask, warned } from './ask.ts';

/** Data is complete through March 10: 50 spent by ad group 1 in ten days. */
const DELIVERY = [
  { date: '2025-03-04', ad_group_id: 1, cost: 30 },
  { date: '2025-03-10', ad_group_id: 1, cost: 20 },
] as const;

function adGroup(id: number, more: DimensionRow): DimensionRow {
  return { id, advertiserId: 1, campaignId: 10, ...more };
}

function campaign(more: DimensionRow): DimensionRow {
  return { id: 10, advertiserId: 1, startDate: '2025-03-01', ...more };
}

const TEN_A_DAY = { budget: 10, budgetType: 'DAILY' } as const;
const TWO_ADVERTISERS = [1, 2].map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1, accountIds: [1] }));

describe('pacing, by budget type', () => {
  test.each([
    ['DAILY: × days', { budget: 10, budgetType: 'DAILY' }, 50 / 100],
    ['WEEKLY: × days / 7', { budget: 70, budgetType: 'WEEKLY' }, 50 / 100],
    ['MONTHLY: × days / the month’s days', { budget: 310, budgetType: 'MONTHLY' }, 50 / 100],
    ['LIFETIME: × days / flight days', { budget: 500, budgetType: 'LIFETIME', endDate: '2025-04-19' }, 50 / 100],
    ['LIFETIME without end: no plan', { budget: 500, budgetType: 'LIFETIME' }, null],
    ['a plan of 0', { budget: 0, budgetType: 'DAILY' }, null],
    ['no budget', {}, null],
  ])('%s', async (_, budget, pacing) => {
    const data = dataset({ campaigns: [campaign({})], ad_groups: [adGroup(1, budget)], delivery: DELIVERY });
    expect((await ask(data, { metrics: ['pacing'] })).data).toEqual([{ pacing }]);
  });

  test('divides once: 1.333347 / 3 is 0.444449, as it is written', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, { budget: 3, budgetType: 'DAILY' })],
      delivery: [{ date: '2025-03-01', ad_group_id: 1, cost: 1.333347 }],
    });
    const filters = [{ field: 'pacing', operator: 'EQUALS', values: ['0.444449'] }] as const;
    expect((await ask(data, { metrics: ['pacing'], filters })).data).toEqual([{ pacing: 0.444449 }]);
  });

  test('plans with different periods add up as fractions: 3/7 + 5/31 + 1/10 of a day’s budget', async () => {
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
    expect((await ask(data, { metrics: ['pacing'] })).data).toEqual([{ pacing: 651 / 1497 }]);
  });

  test('MONTHLY adds up the months of the window, each by its own days', async () => {
    const data = dataset({
      campaigns: [campaign({ startDate: '2025-02-15' })],
      ad_groups: [adGroup(1, { budget: 56, budgetType: 'MONTHLY' })],
      delivery: [...DELIVERY, { date: '2025-03-31', ad_group_id: 1, cost: 34 }],
    });
    // 14 of February's 28 days and the whole of March: 28 + 56
    const report = await ask(data, { startDate: '2025-02-01', metrics: ['pacing'] });
    expect(report.data).toEqual([{ pacing: 84 / 84 }]);
  });
});

describe('pacing counts the days', () => {
  const ask10aDay = (flight: DimensionRow, window: { startDate?: string; endDate?: string }, own: DimensionRow = {}) =>
    ask(
      dataset({
        campaigns: [campaign(flight)],
        ad_groups: [adGroup(1, { budget: 10, budgetType: 'DAILY', ...own })],
        delivery: DELIVERY,
      }),
      { metrics: ['pacing'], ...window },
    );

  test.each([
    ['up to dataCompleteThrough', {}, {}, 50 / 100],
    ['of the window', {}, { startDate: '2025-03-06' }, 20 / 50],
    ['of the window to its last day', {}, { endDate: '2025-03-05' }, 30 / 50],
    ['of the campaign’s flight', { endDate: '2025-03-05' }, {}, 50 / 50],
    ['none before the flight', { startDate: '2025-03-20' }, {}, null],
  ])('%s', async (_, flight, window, pacing) => {
    expect((await ask10aDay(flight, window)).data).toEqual([{ pacing }]);
  });

  test('of the ad group’s own flight where it has one', async () => {
    const own = { startDate: '2025-03-03', endDate: '2025-03-04' };
    expect((await ask10aDay({ endDate: '2025-03-31' }, {}, own)).data).toEqual([{ pacing: 50 / 20 }]);
  });

  test('that pass date filters', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, { budget: 10, budgetType: 'DAILY' })],
      delivery: DELIVERY,
    });
    const filters = [{ field: 'daily_date', operator: 'GREATER_THAN', values: ['2025-03-08'] }] as const;
    expect((await ask(data, { metrics: ['pacing'], filters })).data).toEqual([{ pacing: 20 / 20 }]);
  });

  test('up to the latest delivery of any advertiser: one that paused has not stopped the data', async () => {
    const data = dataset({
      advertisers: TWO_ADVERTISERS,
      campaigns: [campaign({}), { ...campaign({}), id: 20, advertiserId: 2 }],
      ad_groups: [adGroup(1, TEN_A_DAY), { ...adGroup(7, TEN_A_DAY), advertiserId: 2, campaignId: 20 }],
      delivery: [...DELIVERY, { date: '2025-03-05', advertiserId: 2, ad_group_id: 7, cost: 25 }],
    });
    const report = await ask(data, { metrics: ['pacing'], dimensions: ['advertiser_id'] });
    expect(report.meta).toMatchObject({ dataCompleteThrough: '2025-03-10', warnings: [] });
    expect(report.data).toEqual([
      { advertiser_id: 1, pacing: 50 / 100 },
      { advertiser_id: 2, pacing: 25 / 100 },
    ]);
  });

  test('of each advertiser up to the day that freshness gives for it, and the report shows the earliest', async () => {
    const data = dataset({
      advertisers: TWO_ADVERTISERS,
      campaigns: [campaign({}), { ...campaign({}), id: 20, advertiserId: 2 }],
      ad_groups: [adGroup(1, TEN_A_DAY), { ...adGroup(7, TEN_A_DAY), advertiserId: 2, campaignId: 20 }],
      delivery: [...DELIVERY, { date: '2025-03-05', advertiserId: 2, ad_group_id: 7, cost: 25 }],
      freshness: [
        { experience: 'pla', advertiserId: null, completeThrough: '2025-03-20' },
        { experience: 'pla', advertiserId: 2, completeThrough: '2025-03-04' },
        { experience: 'toa', advertiserId: 1, completeThrough: '2025-03-01' },
      ],
    });
    const report = await ask(data, { metrics: ['pacing'], dimensions: ['advertiser_id'] });
    expect(report.data).toEqual([
      { advertiser_id: 1, pacing: 50 / 200 },
      { advertiser_id: 2, pacing: 25 / 40 },
    ]);
    expect(report.totals).toEqual({ pacing: 75 / 240 });
    expect(report.meta.dataCompleteThrough).toBe('2025-03-04');
    expect(report.meta.warnings).toEqual([
      {
        code: 'DATA_ENDS_EARLIER',
        field: 'pacing',
        detail:
          'pacing counts the planned days of advertiser 2, whose data is complete through 2025-03-04, only as far as data is complete, but the cost of later days as well: end the report there to compare the two.',
        drop: [],
      },
    ]);
    const upToThere = await ask(data, { metrics: ['pacing'], endDate: '2025-03-04' });
    expect(upToThere).toMatchObject({ data: [{ pacing: 30 / 40 }], meta: { warnings: [] } });
  });

  test('none of an experience in which nothing was ever delivered', async () => {
    const data = dataset({ campaigns: [campaign({})], ad_groups: [adGroup(1, TEN_A_DAY)], delivery: DELIVERY });
    const report = await ask(data, { experience: 'toa', metrics: ['pacing'] });
    expect(report).toMatchObject({ data: [{ pacing: null }], meta: { dataCompleteThrough: null } });
  });

  test('of the row’s own day, week or month; the total also those without delivery', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, { budget: 10, budgetType: 'DAILY' })],
      delivery: DELIVERY,
    });
    const by = async (dimension: 'daily_date' | 'week_date' | 'month_date') => {
      const report = await ask(data, { metrics: ['pacing'], dimensions: [dimension] });
      return [...report.data.map((it) => [it[dimension], it.pacing]), ['total', report.totals.pacing]];
    };
    expect(await by('daily_date')).toEqual([
      ['2025-03-04', 3],
      ['2025-03-10', 2],
      ['total', 50 / 100],
    ]);
    // the week from March 3 whole; of the week from March 10 its Monday
    expect(await by('week_date')).toEqual([
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

describe('pacing, whose plan', () => {
  const spread = [...DELIVERY, { date: '2025-03-05', ad_group_id: 2, cost: 25 }] as const;

  test('the campaign’s where none of its ad groups has one', async () => {
    const data = dataset({
      campaigns: [campaign({ budget: 15, budgetType: 'DAILY' })],
      ad_groups: [adGroup(1, {}), adGroup(2, {})],
      delivery: spread,
    });
    expect((await ask(data, { metrics: ['pacing'], dimensions: ['campaign_id'] })).data).toEqual([
      { campaign_id: 10, pacing: 75 / 150 },
    ]);
    expect((await ask(data, { metrics: ['pacing'] })).data).toEqual([{ pacing: 75 / 150 }]);
  });

  test('the campaign’s is no plan where ad groups are told apart', async () => {
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
        'pacing leaves out a campaign with one budget for all ad groups: it has no meaning where ad groups of a campaign are told apart, by dimensions (then only the totals count it) or by filters.',
    };
    const filtered = await ask(data, { metrics: ['pacing'], filters });
    expect(filtered).toMatchObject({ data: [{ pacing: null }], meta: { warnings: [{ ...warning, drop: [] }] } });
    const grouped = await ask(data, { metrics: ['pacing'], dimensions: ['ad_group_id', 'campaign_id'] });
    expect(grouped.data).toEqual([
      { ad_group_id: 1, campaign_id: 10, pacing: null },
      { ad_group_id: 2, campaign_id: 10, pacing: null },
    ]);
    expect(grouped.meta.warnings).toEqual([{ ...warning, drop: ['ad_group_id'] }]);
    expect(grouped.totals).toEqual({ pacing: 75 / 150 });
    expect(filtered.totals).toEqual({ pacing: null });
  });

  test('only the ad groups’ where one of them has one; the cost of the others enters neither side', async () => {
    const data = dataset({
      campaigns: [campaign({ budget: 15, budgetType: 'DAILY' })],
      ad_groups: [adGroup(1, { budget: 10, budgetType: 'DAILY' }), adGroup(2, {})],
      delivery: spread,
    });
    const report = await ask(data, { metrics: ['pacing', 'cost'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([
      { ad_group_id: 1, pacing: 50 / 100, cost: 50 },
      { ad_group_id: 2, pacing: null, cost: 25 },
    ]);
    expect(report.totals).toEqual({ pacing: 50 / 100, cost: 75 });
  });

  test('an ad group with a budget but no delivery in the report enters neither side', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [1, 2].map((id) => adGroup(id, { budget: 10, budgetType: 'DAILY' })),
      delivery: DELIVERY,
      conversions: [{ date: '2025-03-05', ad_group_id: 2, halo_units: 1 }],
    });
    const report = await ask(data, { metrics: ['pacing', 'halo_units'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([
      { ad_group_id: 1, pacing: 50 / 100, halo_units: 0 },
      { ad_group_id: 2, pacing: null, halo_units: 1 },
    ]);
    expect((await ask(data, { metrics: ['pacing'] })).data).toEqual([{ pacing: 50 / 100 }]);
  });

  test('no meaning in rows below the ad group or the day, but in their total', async () => {
    const data = dataset({ ad_groups: [adGroup(1, { budget: 10, budgetType: 'DAILY' })], delivery: DELIVERY });
    const byHour = await ask(data, { metrics: ['pacing'], dimensions: ['hour'] });
    expect(byHour.data).toEqual([{ hour: 0, pacing: null }]);
    expect(byHour.totals).toEqual({ pacing: 50 / 100 });
    expect(warned(byHour)).toEqual(['pacing']);
    const filters = [{ field: 'placement', operator: 'IS_NULL', values: [] }] as const;
    expect((await ask(data, { metrics: ['pacing'], filters })).data).toEqual([{ pacing: null }]);
  });
});

describe('each row of the documentation’s table of plans holds', () => {
  const window = { startDate: '2025-03-01', endDate: '2025-03-10' };
  const lifetime = { budget: 100, budgetType: 'LIFETIME' } as const;
  const spent = [1, 2].map((id) => ({ date: '2025-03-10', ad_group_id: id, cost: 25 * id }));
  const byAdGroup = [{ field: 'ad_group_id', operator: 'EQUALS', values: ['1'] }] as const;
  const documented = readFileSync(new URL('../../../functions/README.md', import.meta.url), 'utf8');
  const [, table = ''] = /Which budget `pacing` counts when:\*\*\n\n((?:\|.*\n)+)/.exec(documented) ?? [];
  const cases = table
    .split('\n')
    .flatMap((row) => /^\| ([A-Z].*?) \|/.exec(row)?.[1] ?? [])
    .slice(1);

  /** By case: the campaign, its ad groups 1 and 2, what differs in the report, and its pacing. */
  const EXAMPLES: Readonly<
    Record<string, { campaign?: DimensionRow; own?: DimensionRow[]; ask?: object; pacing: unknown }>
  > = {
    'The ad group has a budget.': {
      own: [
        { ...TEN_A_DAY, startDate: '2025-03-06' },
        { ...TEN_A_DAY, endDate: '2025-03-02' },
      ],
      pacing: 75 / 70,
    },
    'The ad group has a budget, but no dates.': {
      campaign: { endDate: '2025-03-04' },
      own: [TEN_A_DAY, {}],
      pacing: 25 / 40,
    },
    'Only the campaign has a budget.': { campaign: TEN_A_DAY, pacing: 75 / 100 },
    'The ad group has no budget, but another ad group of the campaign has.': {
      campaign: { budget: 1, budgetType: 'DAILY' },
      own: [TEN_A_DAY, {}],
      pacing: 25 / 100,
    },
    'The ad group’s budget is LIFETIME, and the flight has no end.': {
      campaign: TEN_A_DAY,
      own: [lifetime, {}],
      pacing: null,
    },
    'The campaign’s budget is LIFETIME, and its flight has no end.': { campaign: lifetime, pacing: null },
    'The budget is 0.': { own: [{ budget: 0, budgetType: 'DAILY' }, TEN_A_DAY], pacing: 75 / 100 },
    'There is cost outside the flight.': { own: [{ ...TEN_A_DAY, endDate: '2025-03-05' }, {}], pacing: 25 / 50 },
    'The flight and the period have no day in common.': {
      campaign: { ...TEN_A_DAY, startDate: '2025-04-01' },
      pacing: null,
    },
    'The ad group has no delivery in the report.': { own: [{}, {}, TEN_A_DAY], pacing: null },
    'Only the campaign has a budget, and the report groups by ad group.': {
      campaign: TEN_A_DAY,
      ask: { dimensions: ['ad_group_id'] },
      pacing: [null, null, 75 / 100],
    },
    'Only the campaign has a budget, and a filter selects ad groups.': {
      campaign: TEN_A_DAY,
      ask: { filters: byAdGroup },
      pacing: null,
    },
    'The data is complete only up to a day in the period.': {
      campaign: TEN_A_DAY,
      ask: { endDate: '2025-03-25' },
      pacing: 75 / 100,
    },
  };

  test('and every row has its example', () => {
    expect(cases).toEqual(Object.keys(EXAMPLES));
  });

  test.each(Object.entries(EXAMPLES))(
    '%s',
    async (_, { campaign: more = {}, own = [{}, {}], ask: change = {}, pacing }) => {
      const data = dataset({
        campaigns: [campaign(more)],
        ad_groups: own.map((columns, i) => adGroup(i + 1, columns)),
        delivery: spent,
      });
      const report = await ask(data, { ...window, metrics: ['pacing'], ...change });
      const rows = report.data.map((it) => it.pacing);
      expect(Array.isArray(pacing) ? [...rows, report.totals.pacing] : rows).toEqual([pacing].flat());
    },
  );
});
