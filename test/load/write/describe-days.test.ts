import { expect, test } from 'vitest';
import { describeDays } from '../../../shared/load/write/describe-days.ts';

test('consecutive days are one interval, across the ends of months and leap days', () => {
  const dates = ['2024-03-01', '2024-02-28', '2024-02-29', '2024-03-03', '2023-12-31', '2024-01-01', '2024-03-03'];
  expect(describeDays(dates)).toEqual(['2023-12-31/2024-01-01', '2024-02-28/2024-03-01', '2024-03-03']);
  expect(describeDays([])).toEqual([]);
});
