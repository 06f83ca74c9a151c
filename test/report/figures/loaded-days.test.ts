import { describe, expect, test } from 'vitest';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { runWithGaps as run } from './run.ts';

const METRICS = ['impressions', 'unique_user_impressions', 'halo_revenue', 'click_through_rate'] as const;
const advertisers = [1, 2].map((id) => ({ id, name: `Advertiser ${id}`, accountId: id, accountIds: [id] }));

/* More is in loaded-days.txt. */

/** Advertiser 2 is another caller's; nobody has delivery on March 4 and 6 to 8. */
const data = dataset({
  advertisers,
  delivery: [
    { date: '2025-03-03', impressions: 5 },
    { date: '2025-03-05', advertiserId: 2, ad_group_id: 9, impressions: 7 },
    { date: '2025-03-09', impressions: 2 },
  ],
  conversions: [{ date: '2025-03-12', halo_units: 1 }],
});
const report = (startDate: string, endDate: string, changes: Parameters<typeof run>[1] = {}) =>
  run(data, { metrics: METRICS, advertiserIds: [1], startDate, endDate, ...changes });

describe('the days with data', () => {
  test.each<[string, Partial<ReportQuery>, string | undefined, (string | number)[][]]>([
    [
      'after its latest day, in ratios and filters, too',
      { metrics: ['clicks', 'halo_roas'], filters: [{ field: 'halo_revenue', operator: 'LESS_THAN', values: ['9'] }] },
      'No file had halo_revenue on 2025-03-03: these days are left out of halo_roas, halo_revenue.',
      [['conversions', '2025-03-02', 1]],
    ],
    [
      'between others; the experience that has none of the table is not late',
      { experience: 'all', metrics: ['hours_live'], startDate: '2025-03-01' },
      'No advertiser has rows of activity in pla on 2025-03-02: missing in hours_live.',
      [
        ['conversions', '2025-03-02', 1],
        ['activity', '2025-03-03', 1],
      ],
    ],
    [
      'in the totals of a metric that is undefined in the rows',
      { metrics: ['impressions', 'hours_live'], dimensions: ['placement'], startDate: '2025-03-01' },
      'No advertiser has rows of activity in pla on 2025-03-02: missing in hours_live.',
      [],
    ],
    ['that no metric reads', { metrics: ['clicks', 'hours_live'], startDate: '2025-03-03' }, undefined, []],
    ['without delivery', { metrics: ['halo_revenue'], startDate: '2025-03-04' }, undefined, []],
    [
      'of the compared period',
      {
        metrics: ['hours_live'],
        startDate: '2025-03-03',
        compare: { startDate: '2025-03-02', endDate: '2025-03-02' },
      },
      'In the compared period: No advertiser has rows of activity in pla on 2025-03-02: missing in hours_live.',
      [['activity', '2025-03-03', 0]],
    ],
  ])('a warning names metrics over days that their table lacks: %s', async (_, changes, detail, tables) => {
    const days = ['2025-03-01', '2025-03-02', '2025-03-03'];
    const late = dataset({
      advertisers,
      delivery: [
        ...days.map((date) => ({ date, impressions: 5 })),
        ...days.map((date) => ({ date, experience: 'toa' as const, impressions: 5 })),
      ],
      conversions: days.slice(0, 2).map((date) => ({ date, advertiserId: 2, ad_group_id: 9, halo_units: 1 })),
      activity: [days[0], days[2]].map((date = '') => ({ date, live_seconds: 60 })),
    });
    const period = { startDate: '2025-03-02', endDate: '2025-03-09' };
    const { meta } = await run(late, { advertiserIds: [1], ...period, ...changes });
    const code = detail?.startsWith('No file') ? 'NOT_MEASURED' : 'TABLE_LACKS_DAYS';
    const found = meta.warnings.filter((warning) => warning.code === code);
    expect(found).toMatchObject(detail === undefined ? [] : [{ code, field: 'daily_date', detail, drop: [] }]);
    expect(meta.data.tables.map(({ table, through, missingDayCount }) => [table, through, missingDayCount])).toEqual(
      expect.arrayContaining(tables),
    );
  });

  test('days of the period up to the latest day that nobody has delivery on are missing, also before the first', async () => {
    const { meta } = await report('2025-03-02', '2025-03-20', { dimensions: ['week_date'] });
    const missing = meta.warnings.filter(({ code }) => code === 'MISSING_DAYS');
    expect(meta.data).toEqual({
      from: '2025-03-03',
      through: '2025-03-09',
      missingDays: ['2025-03-02', '2025-03-04', '2025-03-06', '2025-03-07', '2025-03-08'],
      missingDayCount: 5,
      gaps: [
        { from: '2025-03-02', through: '2025-03-02' },
        { from: '2025-03-04', through: '2025-03-08' },
      ],
      gapDayCount: 6,
      tables: [
        {
          ...{ table: 'conversions', through: '2025-03-12' },
          ...{ missingDays: ['2025-03-03', '2025-03-05', '2025-03-09'], missingDayCount: 3 },
        },
      ],
    });
    expect(missing).toMatchObject([
      {
        code: 'MISSING_DAYS',
        field: 'daily_date',
        detail:
          'No advertiser has delivery on 5 days of the period: 2025-03-02, 2025-03-04, 2025-03-06, 2025-03-07, 2025-03-08. ' +
          'Incomplete values of Week: 2025-02-24, 2025-03-03.',
        drop: [],
      },
    ]);
  });

  test('at most 31 missing days are listed, and all are counted', async () => {
    const { meta } = await report('2025-01-01', '2025-03-03');
    expect(meta.data).toMatchObject({ missingDays: { length: 31 }, missingDayCount: 61 });
    expect(meta.warnings[0]?.detail).toMatch(/2025-01-31 and 30 more/);
  });
});
