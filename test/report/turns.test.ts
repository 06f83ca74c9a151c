import { expect, test, vi } from 'vitest';
import type { MetricName } from '../../shared/catalog/metrics.ts';
import { Deadline } from '../../shared/lib/deadline.ts';
import type { CostEstimate } from '../../shared/report/guard/guard-cost.ts';
import { ReportMemory } from '../../shared/report/guard/report-memory.ts';
import type { Filter } from '../../shared/report/query/query.ts';
import { type Dataset, type DimensionRow, dataset } from '../support/facts.ts';
import { adGroup } from './figures/budgets.ts';
import { run } from './figures/run.ts';

/** @returns the number of turns of the event loop during the report, on a clock that is 60 ms later whenever it is read: after 10,000 units of work */
async function countTurns(...[data, parts]: Parameters<typeof run>): Promise<number> {
  let now = 0;
  const deadline = new Deadline(Number.POSITIVE_INFINITY, () => (now += 60));
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await run(data, { ...parts, deadline });
  isDone = true;
  return turns;
}

const PATTERNS = 1_000;
/** A pattern counts as two searches. None finds anything. */
const SEARCHES = 2 * PATTERNS;
const noneOf = (field: Filter['field']): Filter => ({
  ...{ field, operator: 'NOT_LIKE', values: Array.from({ length: PATTERNS }, (_, i) => `zz${i}zz`) },
});
const ids = Array.from({ length: 100 }, (_, i) => i + 1);
const UNITS = ids.length * SEARCHES;

/** Reports that computed for half a second were not counted among the key's concurrent reports: the timer that counts them ran after their end. */
test('a report that computes for long gives the event loop turns', async () => {
  const delivery = ['2025-03-04', '2025-03-05'].map((date) => ({ date, ad_group_id: 1, clicks: 1 }));
  const turns = await countTurns(dataset({ delivery }), { metrics: ['clicks'], dimensions: ['daily_date'] });
  expect(turns).toBeGreaterThan(2);
});

/** 16 such filters of 100 texts of a single day took 9 to 25 s at an estimate of 0.2 s, without a turn. */
test('a report that tests the texts of one day for long gives the event loop turns', async () => {
  const delivery = ids.map((id) => ({ date: '2025-03-04', ad_group_id: 1, keyword: `keyword ${id}`, clicks: 1 }));
  const turns = (filters: readonly Filter[]) => countTurns(dataset({ delivery }), { metrics: ['clicks'], filters });
  expect(await turns([noneOf('keyword')])).toBeGreaterThan((await turns([])) + UNITS / 10_000 / 2);
});

/** A report ended after 25 s, before its cost was estimated and logged: filters on names of brands were tested first. */
test('a report that tests its advertisers for long is estimated before it does, and gives the event loop turns', async () => {
  const advertisers = ids.map((id) => ({
    ...{ id, name: `Advertiser ${id}`, accountId: 1, accountIds: [1], brandNames: [`brand ${id}`] },
  }));
  const delivery = ids.map((id) => ({ date: '2025-03-04', advertiserId: id, ad_group_id: id, clicks: 1 }));
  const data = dataset({ advertisers, delivery });
  const parts = { metrics: ['clicks'], filters: [noneOf('brand_names')] } as const;
  expect(await countTurns(data, parts)).toBeGreaterThan(UNITS / 10_000 / 2);
  const costs: CostEstimate[] = [];
  await run(data, { ...parts, onStart: (cost) => costs.push(cost) });
  expect(costs.map(({ rows }) => rows)).toEqual([0, ids.length]);
  const seconds = (UNITS * 60) / 1e9; // 60 ns per search
  for (const { filterSeconds } of costs) expect(filterSeconds / seconds).toBeCloseTo(1, 1);
});

test('a report that tests its rows by a metric for long gives the event loop turns', async () => {
  const keywords = Array.from({ length: 100_000 }, (_, i) => `keyword ${i}`);
  const delivery = keywords.map((keyword) => ({ date: '2025-03-04', ad_group_id: 1, keyword, clicks: 1 }));
  const parts = { metrics: ['clicks'], dimensions: ['keyword'], pagination: { offset: 0, size: 1 } } as const;
  const above = Array.from(
    { length: 5 },
    () => ({ field: 'clicks', operator: 'GREATER_THAN', values: ['0'] }) as const,
  );
  const data = dataset({ delivery });
  const turns = await countTurns(data, { ...parts, filters: above });
  expect(turns).toBeGreaterThan((await countTurns(data, parts)) + 5);
});

const manyIds = Array.from({ length: 30_000 }, (_, i) => i + 1);

/** A million ad groups of one day took 0.9 s without a look at the clock, a million keywords 2 s, and three million keywords of market 1.4 s. */
test.each([
  ['attributes', { metrics: ['ad_group_status'] }],
  ['a dimension', { metrics: ['clicks'], dimensions: ['keyword'] }],
  ['several dimensions of an ad group', { metrics: ['clicks'], dimensions: ['ad_group_name', 'campaign_name'] }],
  ['share of voice', { metrics: ['share_of_voice'] }],
] as const)('a report that looks up many values of one day for %s gives the event loop turns', async (_, parts) => {
  const cells = manyIds.map((id) => ({
    date: '2025-03-04',
    ad_group_id: id,
    keyword: `keyword ${id}`,
    placement_id: 1,
  }));
  const delivery = cells.map((cell) => ({ ...cell, clicks: 1, impressions: 1 }));
  const data = dataset({ delivery, ad_groups: manyIds.map((id) => adGroup(id, {})) });
  const [few, many] = [await countTurns(data, { metrics: ['clicks'] }), await countTurns(data, parts)];
  expect(many).toBeGreaterThan(few + 2);
});

/** The budgets of a million ad groups took 7 s in one turn. */
test('a report with the pacing of many ad groups of one day gives the event loop turns, and holds their memory', async () => {
  const delivery = manyIds.map((id) => ({ date: '2025-03-04', ad_group_id: id, cost: 1 }));
  const dataWith = (budget: DimensionRow) => dataset({ delivery, ad_groups: manyIds.map((id) => adGroup(id, budget)) });
  const withoutBudgets = dataWith({});
  const turns = await countTurns(withoutBudgets, { metrics: ['pacing'] });
  expect(turns).toBeGreaterThan((await countTurns(withoutBudgets, { metrics: ['cost'] })) + 2);
  const hold = vi.spyOn(ReportMemory.prototype, 'hold');
  const held = async (data: Dataset) => {
    hold.mockClear();
    await run(data, { metrics: ['pacing'] });
    return hold.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
  };
  const flight = { budget: 10, budgetType: 'DAILY', startDate: '2025-03-01', endDate: null };
  const more = (await held(dataWith(flight))) - (await held(withoutBudgets));
  hold.mockRestore();
  expect(more / manyIds.length).toBeGreaterThan(249); // nearly the 250 bytes of a budget
});

test('a report that counts the users of one day for long gives the event loop turns', async () => {
  const users = Array.from({ length: 150 }, (_, i) => `user ${i}`);
  const delivery = ids.flatMap((id) =>
    [1, 2, 3, 4].map((hour) => ({ date: '2025-03-04', hour, ad_group_id: id, clicks: 1, users })),
  );
  const turns = (metrics: readonly MetricName[]) => countTurns(dataset({ delivery }), { metrics });
  const pairs = delivery.length * users.length;
  expect(await turns(['unique_user_impressions'])).toBeGreaterThan((await turns(['clicks'])) + pairs / 10_000 / 2);
});
