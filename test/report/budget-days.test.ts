import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { dayNumber, daysInMonth, monthOf } from '../../shared/lib/calendar.ts';
import { planRuns, runsOf, spreadBudgets } from '../../shared/report/pacing/budget-days.ts';
import { FractionSum } from '../../shared/report/sums/fraction-sum.ts';
import { dataset } from '../support/facts.ts';
import { adGroup, TEN_PER_DAY } from './figures/budgets.ts';
import { run } from './figures/run.ts';

const FIRST = dayNumber('2024-01-01');

test('runs have all days in order, and each run the days of one code and length of month', () => {
  const someDays = fc.uniqueArray(fc.integer({ min: FIRST, max: FIRST + 730 }), { maxLength: 200 });
  const codes = [() => 0, (day: number) => day, monthOf, (day: number) => Math.floor(day / 7)];
  fc.assert(
    fc.property(someDays, fc.constantFrom(...codes), (given, codeOf) => {
      const days = given.sort((a, b) => a - b);
      const runs = runsOf(days, codeOf);
      expect(runs.flatMap(({ from, to }) => days.slice(from, to))).toEqual(days);
      for (const { code, from, to, monthDays } of runs) {
        for (const day of days.slice(from, to)) expect([codeOf(day), daysInMonth(day)]).toEqual([code, monthDays]);
      }
    }),
  );
});

test('the plans of a flight add up to the LIFETIME budget in force at its end, unless more was planned before', () => {
  const change = fc.record({
    from: fc.integer({ min: FIRST - 20, max: FIRST + 120 }),
    amount: fc.integer({ min: 0, max: 1_000_000_000 }),
    type: fc.constantFrom('LIFETIME', 'LIFETIME', 'DAILY', 'WEEKLY', 'MONTHLY'),
  });
  const changes = fc.uniqueArray(change, { selector: ({ from }) => from, minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(changes, fc.integer({ min: 0, max: 90 }), (drawn, length) => {
      const flight = { firstDay: FIRST, lastDay: FIRST + length };
      const given = drawn.sort((a, b) => a.from - b.from);
      const total = given.findLast(({ from }) => from <= flight.lastDay);
      fc.pre(total?.type === 'LIFETIME');
      const days = Array.from({ length: length + 1 }, (_, i) => FIRST + i);
      const steps = spreadBudgets(flight, given);
      const plannedIn = (some: readonly number[]) => {
        const sum = new FractionSum();
        for (const { numerator, denominator } of planRuns(
          { ...flight, steps },
          some,
          runsOf(some, () => 0),
          Number.POSITIVE_INFINITY,
        ))
          sum.add(numerator, denominator);
        return sum.dividedBy(1);
      };
      const before = plannedIn(days.filter((day) => day < (total?.from ?? 0)));
      expect(plannedIn(days)).toBe(Math.max(total?.amount ?? 0, before ?? 0));
    }),
  );
});

/** 130,000 budgets over 730 days took 12 s at an estimate of 0.004 s: each was added for each day. */
test.each([
  ['a report without dates', [], 24],
  ['months', ['month_date'], 24],
  ['days', ['daily_date'], 731],
] as const)('a budget of %s has no more rows than needed', async (_, dimensions, rows) => {
  const add = vi.spyOn(FractionSum.prototype, 'add');
  const ids = Array.from({ length: 20 }, (_value, i) => i + 1);
  const data = dataset({
    ad_groups: ids.map((id) => ({ ...adGroup(id, TEN_PER_DAY), startDate: '2024-01-01', endDate: '2025-12-31' })),
    delivery: ids.map((id) => ({ date: '2025-12-31', ad_group_id: id, cost: 1 })),
  });
  const period = { startDate: '2024-01-01', endDate: '2025-12-31' };
  await run(data, { ...period, metrics: ['pacing'], dimensions });
  // each row is added to its group, and each group to the total
  expect(add.mock.calls.length).toBeLessThanOrEqual((ids.length + 1) * rows);
  add.mockRestore();
});
