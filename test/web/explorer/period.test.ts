import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { nameOfMoving, PRESETS, resolvePeriod } from '../../../shared/web/explorer/question/period.ts';
import { describeProgress } from '../../../shared/web/explorer/result/describe-progress.ts';

describe('the days of a preset depend on the day through which data is complete', () => {
  test.each([
    ['Last complete day', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['Last 7 days', '2026-03-01', '2026-02-23', '2026-03-01'],
    ['Last 28 days', '2026-03-01', '2026-02-02', '2026-03-01'],
    ['Last 90 days', '2026-03-01', '2025-12-02', '2026-03-01'],
    ['Week to date', '2026-03-01', '2026-02-23', '2026-03-01'],
    ['Last week', '2026-03-01', '2026-02-23', '2026-03-01'], // a Sunday
    ['Last week', '2026-02-28', '2026-02-16', '2026-02-22'],
    ['Month to date', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['Month to date', '2026-02-28', '2026-02-01', '2026-02-28'],
    ['Last month', '2026-03-01', '2026-02-01', '2026-02-28'],
    ['Last month', '2026-02-28', '2026-02-01', '2026-02-28'], // the month is complete
    ['Last month', '2026-01-15', '2025-12-01', '2025-12-31'],
    ['Quarter to date', '2026-05-10', '2026-04-01', '2026-05-10'],
    ['Last quarter', '2026-02-10', '2025-10-01', '2025-12-31'],
  ])('%s, with data through %s, is %s to %s', (title, through, ...dates) => {
    const period = PRESETS[title] ?? { startDate: '', endDate: '' };
    const calendar = { today: dayNumber('2026-06-10'), weekStartsOn: 'Monday', latest: dayNumber(through) } as const;
    const { first, last } = resolvePeriod(period, calendar);
    expect([formatDay(first), formatDay(last)]).toEqual(dates);
  });
});

test.each([
  ['latest-6d', 'latest', 'Last 7 days'],
  ['today-7d', 'yesterday', 'today-7d to yesterday'],
  ['2026-02-01', '2026-02-28', undefined],
])('the period %s to %s moves as %s', (startDate, endDate, name) => {
  expect(nameOfMoving({ startDate, endDate })).toBe(name);
});

test.each([
  [429, 'Waiting 12 s: the key’s limit of requests is reached.'],
  [503, 'Waiting 12 s: the service is busy.'],
  [undefined, 'Waiting 12 s: the service cannot be reached.'],
])('a report that waits after status %s says why', (status, text) => {
  const wait = { status, seconds: 12, until: 1_012_000 };
  expect([1_000_000, 1_000_900, 1_011_900, 1_012_000].map((now) => describeProgress(wait, now))).toEqual([
    text,
    text,
    text.replace('12', '1'),
    'Reading the result…',
  ]);
});
