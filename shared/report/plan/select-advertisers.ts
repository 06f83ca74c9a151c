import type { Deadline } from '../../lib/deadline.ts';
import type { ReportScope } from '../query/query.ts';
import type { Joins } from './joins.ts';
import type { Plan } from './plan-report.ts';

/**
 * Tests the conditions on advertisers before any of their partitions is read.
 * @returns the scope without the advertisers that do not pass
 * @throws ApiError DEADLINE_EXCEEDED
 */
export function selectAdvertisers(
  { rowConditions }: Plan,
  joins: Joins,
  scope: ReportScope,
  deadline: Deadline,
): ReportScope {
  const ofAdvertiser = rowConditions.filter(({ base }) => base === 'advertiser');
  const passing: number[] = [];
  for (const id of scope.advertiserIds) {
    deadline.check(); // one value can join the names of thousands of accounts
    if (ofAdvertiser.every(({ passes }) => passes(joins, id, id))) passing.push(id);
  }
  return { ...scope, advertiserIds: passing };
}
