import { describe, expect, test } from 'vitest';
import type { Weekday } from '../../../shared/lib/calendar.ts';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

/** Saturday to Monday, and a day of the quarter before. */
const data = dataset({
  delivery: [
    { date: '2025-12-31', impressions: 1 },
    { date: '2026-02-28', impressions: 2 },
    { date: '2026-03-01', impressions: 4 },
    { date: '2026-03-02', impressions: 8 },
  ],
});
const PERIOD = { startDate: '2025-12-01', endDate: '2026-03-31', metrics: ['impressions'] } as const;

describe('weeks begin on the day that the operator has chosen', () => {
  test.each<[Weekday, [string, number][]]>([
    [
      'Monday',
      [
        ['2025-12-29', 1],
        ['2026-02-23', 6],
        ['2026-03-02', 8],
      ],
    ],
    [
      'Sunday',
      [
        ['2025-12-28', 1],
        ['2026-02-22', 2],
        ['2026-03-01', 12],
      ],
    ],
    [
      'Saturday',
      [
        ['2025-12-27', 1],
        ['2026-02-28', 14],
      ],
    ],
  ])('%s', async (weekStartsOn, weeks) => {
    const report = await run(data, { ...PERIOD, dimensions: ['week_date'], weekStartsOn });
    expect(report.data.map((row) => [row.week_date, row.impressions])).toEqual(weeks);
    const [first] = weeks.at(-1) ?? [''];
    const filters = [{ field: 'week_date', operator: 'EQUALS', values: [first] }] as const;
    expect((await run(data, { ...PERIOD, filters, weekStartsOn })).data).toEqual([{ impressions: weeks.at(-1)?.[1] }]);
  });
});

test('weekday is 1 for Monday to 7 for Sunday, in this order, and filters take these numbers', async () => {
  const parts = { ...PERIOD, dimensions: ['weekday'], weekStartsOn: 'Sunday' } as const;
  expect((await run(data, parts)).data).toEqual([
    { weekday: 1, impressions: 8 },
    { weekday: 3, impressions: 1 },
    { weekday: 6, impressions: 2 },
    { weekday: 7, impressions: 4 },
  ]);
  const filters = [{ field: 'weekday', operator: 'IN', values: ['6', '7'] }] as const;
  expect((await run(data, { ...PERIOD, filters })).data).toEqual([{ impressions: 6 }]);
  const named = [{ field: 'weekday', operator: 'EQUALS', values: ['8'] }] as const;
  expect((await run(data, { ...PERIOD, filters: named })).meta.warnings).toMatchObject([
    { code: 'NO_ROWS' },
    { code: 'VALUE_CANNOT_OCCUR' },
  ]);
});

test('quarter_date is the first day of the quarter', async () => {
  expect((await run(data, { ...PERIOD, dimensions: ['quarter_date'] })).data).toEqual([
    { quarter_date: '2025-10-01', impressions: 1 },
    { quarter_date: '2026-01-01', impressions: 14 },
  ]);
});
