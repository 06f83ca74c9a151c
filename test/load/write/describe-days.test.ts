import { expect, test } from 'vitest';
import { formatDay } from '../../../shared/lib/calendar.ts';
import { describeDays } from '../../../shared/load/write/describe-days.ts';

test('consecutive days are one interval, across the ends of months and leap days', () => {
  const dates = ['2024-03-01', '2024-02-28', '2024-02-29', '2024-03-03', '2023-12-31', '2024-01-01', '2024-03-03'];
  expect(describeDays(dates)).toEqual(['2023-12-31/2024-01-01', '2024-02-28/2024-03-01', '2024-03-03']);
  expect(describeDays([])).toEqual([]);
});

test('at most 500 intervals are listed, because an audit entry must fit into an item', () => {
  const days = describeDays(Array.from({ length: 40_000 }, (_, i) => formatDay(2 * i)));
  expect(days).toHaveLength(501);
  expect(days.slice(499)).toEqual([formatDay(998), 'and 39500 more days']);
  expect(describeDays(Array.from({ length: 501 }, (_, i) => formatDay(2 * i))).at(-1)).toBe('and 1 more day');
  expect(describeDays(Array.from({ length: 40_000 }, (_, i) => formatDay(i)))).toEqual([
    `1970-01-01/${formatDay(39_999)}`,
  ]);
});
