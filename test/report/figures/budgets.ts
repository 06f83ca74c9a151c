import type { DimensionRow } from '../../support/facts.ts';

/** Ad group 1 spends 50 in ten days. Data is complete through March 10. */
export const DELIVERY = [
  { date: '2025-03-04', ad_group_id: 1, cost: 30 },
  { date: '2025-03-10', ad_group_id: 1, cost: 20 },
] as const;

/** @returns ad group `id` of campaign 10 */
export function adGroup(id: number, more: DimensionRow): DimensionRow {
  return { id, advertiserId: 1, campaignId: 10, ...more };
}

/** @returns campaign 10, which starts on March 1 */
export function campaign(more: DimensionRow): DimensionRow {
  return { id: 10, advertiserId: 1, startDate: '2025-03-01', ...more };
}

export const TEN_PER_DAY = { budget: 10, budgetType: 'DAILY' } as const;
