import { expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { adGroup, TEN_PER_DAY } from '../figures/budgets.ts';
import { run } from '../figures/run.ts';

const ids = Array.from({ length: 2_000 }, (_, i) => i + 1);
const textOf = (id: number, length: number) => String(id).padStart(length, 'x');
const deliveryOf = (keywordLength: number, users = 0) =>
  ids.map((id) => ({
    ...{ date: '2025-03-04', ad_group_id: id, placement_id: 1, keyword: textOf(id, keywordLength), impressions: 1 },
    users: Array.from({ length: users }, (_, i) => `user ${id + i}`),
  }));

/** Each of these once took more memory than the function has. */
test.each([
  ['groups', dataset({ delivery: deliveryOf(4) }), { dimensions: ['keyword'] }],
  ['texts', dataset({ delivery: deliveryOf(1_000) }), { dimensions: ['keyword'] }],
  [
    'users',
    dataset({ delivery: deliveryOf(4, 40) }),
    { metrics: ['unique_user_impressions'], dimensions: ['keyword'] },
  ],
  [
    'names',
    dataset({ delivery: deliveryOf(4), ad_groups: ids.map((id) => ({ ...adGroup(id, {}), name: textOf(id, 1_000) })) }),
    { dimensions: ['ad_group_name'] },
  ],
  [
    'budgets',
    dataset({ delivery: deliveryOf(4), ad_groups: ids.map((id) => adGroup(id, TEN_PER_DAY)) }),
    { metrics: ['pacing'] },
  ],
  ['slices of share_of_voice', dataset({ delivery: deliveryOf(1_000) }), { metrics: ['share_of_voice'] }],
] as const)('a report of too many %s is rejected', async (_, data, query) => {
  const parts = { metrics: ['impressions'], ...query } as const;
  const maxBytes = 300_000;
  await expect(run(data, { ...parts, maxBytes })).rejects.toMatchObject({ code: 'REPORT_TOO_EXPENSIVE', status: 422 });
  expect((await run(data, { ...parts, maxBytes: 100_000_000 })).totalCount).toBeGreaterThan(0);
  expect((await run(data, { metrics: ['impressions'], maxBytes })).totalCount).toBe(1);
});
