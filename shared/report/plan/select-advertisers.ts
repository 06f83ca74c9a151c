import type { Deadline } from '../../lib/deadline.ts';
import type { ReportScope } from '../query/query.ts';
import type { Joins } from './joins.ts';
import type { Plan } from './plan-report.ts';

/**
 * Tests the conditions on what is constant within a partition, before anything of the partitions is read.
 * @returns the scope without the advertisers that do not pass
 * @throws ApiError DEADLINE_EXCEEDED
 */
export function selectAdvertisers(
  { query, rowConditions }: Plan,
  joins: Joins,
  scope: ReportScope,
  deadline: Deadline,
): ReportScope {
  const constant = rowConditions.filter(({ base }) => base === 'advertiser' || base === 'experience');
  const passing: number[] = [];
  for (const id of scope.advertiserIds) {
    deadline.check(); // one value can join the names of thousands of accounts
    const isPassing = constant.every(({ base, passes }) =>
      passes(joins, id, base === 'advertiser' ? id : query.experience),
    );
    if (isPassing) passing.push(id);
  }
  return { ...scope, advertiserIds: passing };
}
