import { describe, expect, test } from 'vitest';
import { EXPERIENCES } from '../../../shared/catalog/tables.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { type DatasetParts, dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { adGroup, campaign, TEN_PER_DAY } from './budgets.ts';
import { run } from './run.ts';

const date = '2025-03-01';
const DATA = dataset({
  delivery: [
    { date, impressions: 100, cost: 4, opportunities: 400, users: ['ann', 'bob'] },
    { date, experience: 'toa', impressions: 50, cost: 2, video_completes: 10, users: ['bob', 'cid'] },
    {
      date,
      experience: 'carousel',
      impressions: 150,
      cost: 1,
      opportunities: 200,
      video_completes: 15,
      users: ['ann'],
    },
  ],
  conversions: [{ date, experience: 'toa', halo_units: 3 }],
});

describe('a report of all experiences', () => {
  test('sums the three, and counts each user once', async () => {
    const metrics = ['impressions', 'cost', 'halo_units', 'unique_user_impressions', 'frequency'] as const;
    const { data, totals, meta } = await run(DATA, { experience: 'all', metrics });
    const expected = { impressions: 300, cost: 7, halo_units: 3, unique_user_impressions: 3, frequency: 100 };
    expect([data, totals, meta.warnings]).toEqual([[expected], expected, []]);
  });

  test('is the sum of the reports of each, with and without dimensions', async () => {
    const metrics = ['impressions', 'cost', 'halo_units', 'hours_live'] as const;
    for (const dimensions of [[], ['ad_group_id'], ['daily_date', 'placement']] as const) {
      const [all, ...single] = await Promise.all(
        ['all' as const, ...EXPERIENCES].map((experience) => run(DATA, { experience, metrics, dimensions })),
      );
      for (const name of metrics)
        expect(all?.totals[name]).toBe(single.reduce((sum, { totals }) => sum + Number(totals[name]), 0));
    }
  });

  test('tells them apart by experience_name, whose rows are those of their own reports', async () => {
    const metrics = ['impressions', 'opportunities', 'win_rate', 'video_view_through_rate', 'halo_roas'] as const;
    const [all, ...single] = await Promise.all(
      ['all' as const, ...EXPERIENCES].map((experience) =>
        run(DATA, { experience, metrics, dimensions: ['experience_name'] }),
      ),
    );
    expect(all?.data).toEqual(
      single
        .flatMap(({ data }) => data)
        .sort((a, b) => (String(a.experience_name) < String(b.experience_name) ? -1 : 1)),
    );
  });

  test('computes a metric that one of them lacks from the others, with one warning', async () => {
    const { data, meta } = await run(DATA, {
      experience: 'all',
      metrics: ['impressions', 'opportunities', 'win_rate', 'video_completes', 'video_view_through_rate'],
    });
    expect(data).toEqual([
      {
        ...{ impressions: 300, opportunities: 600, win_rate: 250 / 600 },
        ...{ video_completes: 25, video_view_through_rate: 25 / 200 },
      },
    ]);
    expect(meta.warnings.map(({ code, field }) => `${code} ${field}`)).toEqual(
      ['opportunities', 'win_rate', 'video_completes', 'video_view_through_rate'].map(
        (name) => `NOT_IN_ALL_EXPERIENCES ${name}`,
      ),
    );
    expect(meta.warnings[1]?.detail).toBe('win_rate is undefined in toa: it covers only pla and carousel.');
  });

  test('with a filter on experience_name covers only those that pass', async () => {
    const filtered = (value: string) =>
      run(DATA, {
        ...{ experience: 'all', metrics: ['impressions', 'win_rate'] },
        filters: [{ field: 'experience_name', operator: 'EQUALS', values: [value] }],
      });
    const toa = await filtered('toa');
    expect(toa.data).toEqual([{ impressions: 50, win_rate: null }]);
    expect(toa.meta.warnings).toMatchObject([{ code: 'NOT_IN_EXPERIENCE', field: 'win_rate' }]);
    const unknown = await filtered('TOA');
    expect(unknown.data).toEqual([{ impressions: 0, win_rate: null }]);
    expect(unknown.meta.warnings.find(({ code }) => code === 'VALUE_CANNOT_OCCUR')?.detail).toBe(
      'experience_name is never "TOA" in this report: it is one of pla, toa, carousel. Did you mean "toa"?',
    );
  });

  test('a filter on experience_name leaves meta.data as it is, and warns where only others have data', async () => {
    const before = { date: '2025-02-20', experience: 'carousel' } as const;
    const { delivery } = DATA.facts;
    const data = dataset({ delivery: [...delivery.filter(({ experience }) => experience !== 'carousel'), before] });
    const of = (...values: readonly string[]) =>
      run(data, {
        ...{ experience: 'all', metrics: ['impressions'], endDate: date },
        filters: values.map((value) => ({ field: 'experience_name', operator: 'EQUALS', values: [value] })),
      });
    const [whole, carousel] = [await of(), await of('carousel')];
    expect([carousel.meta.data, carousel.meta.dataCompleteThrough]).toEqual([
      whole.meta.data,
      whole.meta.dataCompleteThrough,
    ]);
    expect(carousel.data).toEqual([{ impressions: null }]);
    expect(carousel.meta.warnings.map(({ detail }) => detail)).toEqual([
      'No data in carousel was loaded for 2025-03-01 to 2025-03-01, so sums are null: delivery in any experience is from 2025-02-20 to 2025-03-01.',
    ]);
    expect(whole.meta.warnings).toEqual([]);
  });

  test('compares impressions with the market of the same placement and experience', async () => {
    const market = { date, placement_id: 1, market_impressions: 1_000, market_advertisers: 9 };
    const data = dataset({
      delivery: [
        { date, placement_id: 1, impressions: 100 },
        { date, placement_id: 1, experience: 'toa', impressions: 500 },
        { date, placement_id: 2, experience: 'carousel', impressions: 20 },
      ],
      market: [
        market,
        { ...market, experience: 'toa' },
        { ...market, experience: 'carousel' },
        { ...market, placement_id: 2, experience: 'carousel', market_impressions: 200 },
      ],
    });
    const share = (dimensions: readonly 'experience_name'[]) =>
      run(data, { experience: 'all', metrics: ['share_of_voice'], dimensions });
    expect((await share([])).data).toEqual([{ share_of_voice: 120 / 1_200 }]);
    expect((await share(['experience_name'])).data).toEqual([
      { experience_name: 'carousel', share_of_voice: 20 / 200 },
      { experience_name: 'pla', share_of_voice: 100 / 1_000 },
      { experience_name: 'toa', share_of_voice: null },
    ]);
  });

  test('counts each budget once, one of unknown experience in a row of its own', async () => {
    const delivery = [
      { date, cost: 5 },
      { date, experience: 'toa', ad_group_id: 2, cost: 8 },
    ] as const;
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, { ...TEN_PER_DAY, experience: 'pla' }), adGroup(2, TEN_PER_DAY)],
      delivery,
    });
    const paced = (dimensions: readonly 'experience_name'[]) =>
      run(data, { ...{ experience: 'all', metrics: ['planned_cost', 'pacing'], dimensions }, endDate: date });
    expect((await paced([])).data).toEqual([{ planned_cost: 20, pacing: 13 / 20 }]);
    const { data: rows, totals } = await paced(['experience_name']);
    expect(rows).toEqual([
      { experience_name: 'pla', planned_cost: 10, pacing: 5 / 10 },
      { experience_name: 'toa', planned_cost: 0, pacing: null },
      { experience_name: null, planned_cost: 10, pacing: null },
    ]);
    expect(totals).toEqual({ planned_cost: 20, pacing: 13 / 20 });
  });

  describe('ends plan and cost of an advertiser on the same day', () => {
    const pla = { ...TEN_PER_DAY, experience: 'pla' };
    const toa = { ...TEN_PER_DAY, experience: 'toa' };
    const cost = (day: string, adGroupId: number, experience: 'pla' | 'toa') => ({
      ...{ date: day, ad_group_id: adGroupId, experience, cost: 5 },
    });
    const of = async (parts: DatasetParts, change: object = {}) => {
      const data = dataset({ campaigns: [campaign({})], ...parts });
      const { data: rows, meta } = await run(data, {
        experience: 'all',
        metrics: ['planned_cost', 'pacing'],
        ...change,
      });
      return [...rows.map((row) => [row.planned_cost, row.pacing]), ...meta.warnings.map(({ code }) => code)];
    };
    const delivery = [cost('2025-03-01', 1, 'pla'), cost('2025-03-28', 1, 'pla'), cost('2025-03-01', 2, 'toa')];
    const lateToa = [
      { experience: 'pla', advertiserId: null, completeThrough: '2025-03-28' },
      { experience: 'toa', advertiserId: null, completeThrough: '2025-03-01' },
    ];

    test.each<[string, DatasetParts, unknown[]]>([
      [
        'the earliest of the experiences in which it plans',
        { ad_groups: [adGroup(1, pla), adGroup(2, toa)], delivery },
        [[20, 0.5], 'DATA_ENDS_EARLIER'],
      ],
      [
        'not that of an experience in which it plans nothing',
        { ad_groups: [adGroup(1, pla)], delivery },
        [[280, 10 / 280]],
      ],
      [
        'nor that of one whose flights are over',
        {
          ad_groups: [adGroup(1, pla), adGroup(2, { ...toa, startDate: '2025-02-01', endDate: '2025-02-10' })],
          delivery,
        },
        [[280, 15 / 280]],
      ],
      [
        'also of a budget of several experiences',
        {
          campaigns: [campaign(TEN_PER_DAY)],
          ad_groups: [adGroup(1, { experience: 'pla' }), adGroup(2, { experience: 'toa' })],
          delivery,
        },
        [[10, 1], 'DATA_ENDS_EARLIER'],
      ],
      [
        'of unknown experience: of those with delivery',
        { ad_groups: [adGroup(1, TEN_PER_DAY)], delivery: delivery.slice(0, 2) },
        [[280, 10 / 280]],
      ],
      [
        'of unknown experience with delivery in both',
        { ad_groups: [adGroup(1, TEN_PER_DAY)], delivery },
        [[10, 0.5], 'DATA_ENDS_EARLIER'],
      ],
    ])('%s', async (_, parts, expected) => {
      expect(await of({ ...parts, freshness: lateToa })).toEqual(expected);
    });

    test('which a filter on experiences changes', async () => {
      const filters = [{ field: 'experience_name', operator: 'EQUALS', values: ['pla'] }] as const;
      const ad_groups = [adGroup(1, pla), adGroup(2, toa)];
      expect(await of({ ad_groups, delivery, freshness: lateToa }, { filters })).toEqual([[280, 10 / 280]]);
    });

    test('even where that is before the period', async () => {
      const ad_groups = [adGroup(1, pla), adGroup(2, toa)];
      const period = { startDate: '2025-03-02', endDate: '2025-03-28' };
      expect(await of({ ad_groups, delivery, freshness: lateToa }, period)).toEqual([[0, null], 'DATA_ENDS_EARLIER']);
    });
  });

  test('by experience leaves out the budget of a campaign with ad groups of several', async () => {
    const data = dataset({
      campaigns: [campaign({ budget: 15, budgetType: 'DAILY' })],
      ad_groups: [adGroup(1, { experience: 'pla' }), adGroup(2, { experience: 'toa' })],
      delivery: [{ date, cost: 5 }],
    });
    const report = await run(data, {
      ...{ experience: 'all', metrics: ['planned_cost'], dimensions: ['experience_name'] },
      endDate: date,
    });
    expect([report.data, report.totals]).toEqual([[], { planned_cost: 15 }]);
    expect(report.meta.warnings).toMatchObject([
      { code: 'NO_ROWS' },
      { code: 'CAMPAIGN_BUDGETS_LEFT_OUT', drop: ['experience_name'] },
    ]);
  });

  test('states the days with delivery in any of them, and as complete the earliest of their days', async () => {
    const data = dataset({
      campaigns: [campaign({ budget: 15, budgetType: 'DAILY' })],
      ad_groups: [adGroup(1, { experience: 'pla' }), adGroup(2, { experience: 'toa' })],
      delivery: [
        { date: '2025-03-02', impressions: 1 },
        { date: '2025-03-05', experience: 'toa', impressions: 1 },
        { date: '2025-03-03', experience: 'toa', impressions: 1 },
      ],
    });
    const { meta, totals } = await run(data, { experience: 'all', metrics: ['impressions', 'planned_cost'] });
    expect(totals).toEqual({ impressions: 3, planned_cost: 2 * 15 }); // a budget of several experiences counts through that day
    expect(meta.dataCompleteThrough).toBe('2025-03-02');
    expect(meta.data).toEqual({
      ...{ from: '2025-03-02', through: '2025-03-05' },
      ...{ missingDays: ['2025-03-01', '2025-03-04'], missingDayCount: 2, gapDayCount: 2 },
      gaps: ['2025-03-01', '2025-03-04'].map((day) => ({ from: day, through: day })),
    });
  });

  test('is null only where none of them has data in the period', async () => {
    const endDate = '2025-03-04';
    const data = dataset({ delivery: [{ date: '2025-03-02', experience: 'toa', impressions: 1 }] });
    const metrics = ['impressions', 'opportunities'] as const;
    expect((await run(data, { experience: 'all', metrics, endDate })).data).toEqual([
      { impressions: 1, opportunities: null },
    ]);
  });

  test('compares each experience with its own earlier figures, which are null where it had no data', async () => {
    const data = dataset({
      delivery: [
        { date: '2025-03-01', impressions: 10, opportunities: 40 },
        { date: '2025-03-02', impressions: 30, opportunities: 60 },
        { date: '2025-03-02', experience: 'toa', impressions: 5 },
      ],
    });
    const report = await run(data, {
      ...{ experience: 'all', metrics: ['impressions', 'opportunities'], dimensions: ['experience_name'] },
      ...{
        startDate: '2025-03-02',
        endDate: '2025-03-02',
        compare: { startDate: '2025-03-01', endDate: '2025-03-01' },
      },
    });
    const of = (column: string) => report.data.map((row) => row[column]);
    expect([of('experience_name'), of('impressions'), of('opportunities')]).toEqual([
      ['pla', 'toa'],
      [30, 5],
      [60, null],
    ]);
    expect([of('impressions_before'), of('impressions_change')]).toEqual([
      [10, null],
      [20, null],
    ]);
    expect([of('opportunities_before'), of('opportunities_change')]).toEqual([
      [40, null],
      [20, null],
    ]);
    expect([report.totals, report.comparedTotals]).toEqual([
      { impressions: 35, opportunities: 60 },
      { impressions: 10, opportunities: 40 },
    ]);
  });

  /** Ad group 1 delivers in pla, 2 in toa, 3 in both; 4 only has a budget, and its experience may be unknown. */
  describe('and a row whose facts are only in experiences that lack a metric', () => {
    const later = '2025-03-02';
    const mixed = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, {}), adGroup(2, {}), adGroup(3, {}), adGroup(4, TEN_PER_DAY), adGroup(5, {})],
      delivery: [
        { date, ad_group_id: 1, impressions: 5, opportunities: 6 },
        { date, experience: 'toa', ad_group_id: 2, impressions: 7, video_starts: 3 },
        { date, ad_group_id: 3, impressions: 1, opportunities: 2 },
        { date, experience: 'toa', ad_group_id: 3, impressions: 1 },
        { date: later, ad_group_id: 5, impressions: 4, opportunities: 4 },
        { date: later, experience: 'toa', ad_group_id: 6, video_starts: 1 },
      ],
    });
    const metrics = ['impressions', 'opportunities', 'video_starts'] as const;
    const by = { experience: 'all', metrics, dimensions: ['ad_group_id'], endDate: date } as const;
    const only = (...ids: readonly string[]) => [{ field: 'ad_group_id', operator: 'IN', values: ids }] as const;
    const none = { impressions: 0, opportunities: 0, video_starts: 0 };

    test('has null there', async () => {
      const { data: rows, totals } = await run(mixed, by);
      expect(rows).toEqual([
        { ad_group_id: 1, impressions: 5, opportunities: 6, video_starts: null },
        { ad_group_id: 2, impressions: 7, opportunities: null, video_starts: 3 },
        { ad_group_id: 3, impressions: 2, opportunities: 2, video_starts: 0 },
      ]);
      expect(totals).toEqual({ impressions: 14, opportunities: 8, video_starts: 3 });
    });

    test.each([
      ['1', { impressions: 5, opportunities: 6, video_starts: null }],
      ['2', { impressions: 7, opportunities: null, video_starts: 3 }],
      ['9', none],
    ])('has null as the only row and in totals, too: ad group %s', async (id, expected) => {
      const filters = only(id);
      expect((await run(mixed, { ...by, filters })).totals).toEqual(expected);
      expect((await run(mixed, { ...by, filters, dimensions: [] })).data).toEqual([expected]);
      const kept = [...filters, { field: 'impressions', operator: 'GREATER_THAN', values: ['0'] }] as const;
      expect((await run(mixed, { ...by, filters: kept })).totals).toEqual(expected);
    });

    test('comes last in the order of the metric, and passes no filter by it but IS_NULL', async () => {
      const ids = async (parts: Partial<ReportQuery>) =>
        (await run(mixed, { ...by, ...parts })).data.map((row) => row.ad_group_id);
      expect(await ids({ sort: [{ field: 'video_starts', order: 'ASC' }] })).toEqual([3, 2, 1]);
      const passing = (operator: 'EQUALS' | 'IS_NULL', ...values: string[]) =>
        ids({ filters: [{ field: 'video_starts', operator, values }] });
      expect([await passing('EQUALS', '0'), await passing('IS_NULL')]).toEqual([[3], [1]]);
    });

    test('has null in a compared period without such a row, too, in both directions', async () => {
      const compare = { startDate: later, endDate: later };
      const { data: rows } = await run(mixed, { ...by, compare, metrics: ['opportunities', 'video_starts'] });
      const cells = ['opportunities', 'opportunities_before', 'video_starts', 'video_starts_before'];
      expect(rows.map((row) => [row.ad_group_id, ...cells.map((name) => row[name])])).toEqual([
        [1, 6, 0, null, null],
        [2, null, null, 3, 0],
        [3, 2, 0, 0, 0],
        [5, 0, 4, null, null],
        [6, null, null, 0, 1],
      ]);
    });

    test('has 0 for planned cost of unknown experience', async () => {
      const planned = { ...by, metrics: ['planned_cost', 'video_starts'], filters: only('4') } as const;
      expect((await run(mixed, planned)).data).toEqual([{ ad_group_id: 4, planned_cost: 10, video_starts: 0 }]);
      const ofPla = dataset({
        campaigns: [campaign({})],
        ad_groups: [adGroup(4, { ...TEN_PER_DAY, experience: 'pla' })],
        delivery: [
          { date, ad_group_id: 1 },
          { date, experience: 'toa', ad_group_id: 1 },
        ],
      });
      expect((await run(ofPla, planned)).data).toEqual([{ ad_group_id: 4, planned_cost: 10, video_starts: null }]);
    });
  });

  test('reads of each experience only the measures of metrics that are defined there', async () => {
    const source = memorySource(DATA);
    const scope = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };
    const query: ReportQuery = {
      ...{ experience: 'all', startDate: date, endDate: date, metrics: ['video_view_through_rate'], dimensions: [] },
      ...{ filters: [], sort: [], pagination: { offset: 0, size: 10 } },
    };
    await runReport({ query, scope, settings: SETTINGS, source });
    const measures = ['impressions', 'video_completes'];
    expect(source.log.days.map(({ ref, columns }) => [ref.experience, columns])).toEqual([
      ['pla', []],
      ['toa', measures],
      ['carousel', measures],
    ]);
  });
});
