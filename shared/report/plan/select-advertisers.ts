import type { Deadline } from '../../lib/deadline.ts';
import { takeTurn } from '../../lib/turns.ts';
import type { ReportScope } from '../query.ts';
import { CHARACTERS_PER_SEARCH } from './filter-cost.ts';
import type { Joins } from './joins.ts';
import type { Plan } from './plan-report.ts';

/**
 * @returns how many searches of ordinary texts `selectAdvertisers` makes. A test without a pattern counts as one.
 * @throws ApiError DEADLINE_EXCEEDED
 */
export async function countAdvertiserSearches(
  { rowConditions }: Plan,
  joins: Joins,
  { advertiserIds }: ReportScope,
  deadline: Deadline,
): Promise<number> {
  let total = 0;
  const fields = rowConditions.filter(({ base }) => base === 'advertiser').flatMap((condition) => condition.fields);
  for (const { field, searches, filters } of fields) {
    for (const id of advertiserIds) {
      await takeTurn(deadline); // the names of thousands of accounts are one value
      const length = String(joins.valueOf(field, id, id) ?? '').length;
      total += searches * Math.max(1, length / CHARACTERS_PER_SEARCH) + filters;
    }
  }
  return total;
}

/**
 * Tests the conditions on what is constant within a partition, before anything of the partitions is read.
 * @returns the scope without the advertisers that do not pass
 * @throws ApiError DEADLINE_EXCEEDED
 */
export async function selectAdvertisers(
  { query, rowConditions }: Plan,
  joins: Joins,
  scope: ReportScope,
  deadline: Deadline,
): Promise<ReportScope> {
  const constant = rowConditions.filter(({ base }) => base === 'advertiser' || base === 'experience');
  const passing: number[] = [];
  for (const id of scope.advertiserIds) {
    await takeTurn(deadline);
    const isPassing = constant.every(({ base, passes }) =>
      passes(joins, id, base === 'advertiser' ? id : query.experience, deadline),
    );
    if (isPassing) passing.push(id);
  }
  return { ...scope, advertiserIds: passing };
}
