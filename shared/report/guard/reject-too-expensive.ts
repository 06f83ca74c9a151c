import type { Plan } from '../plan/plan-report.ts';
import { tooExpensive } from '../query/too-expensive.ts';
import type { CostEstimate } from './estimate-cost.ts';

/** A request ends after 25 seconds (`DEADLINE_DETAIL`); 7 of them are for the error of the estimate. */
export const MAX_SECONDS = 18;

/** @throws ApiError 422 with the estimate and how to narrow the report */
export function rejectTooExpensive(cost: CostEstimate, { period }: Plan): void {
  if (cost.seconds <= MAX_SECONDS) return;
  const share =
    cost.shareSeconds === 0 ? '' : ` share_of_voice takes about ${Math.ceil(cost.shareSeconds)} seconds of these.`;
  const estimate = `It would read about ${cost.rows.toLocaleString('en-US')} fact rows (${Math.ceil(cost.bytes / 1e6).toLocaleString('en-US')} MB) and take about ${Math.ceil(cost.seconds)} seconds; the limit is ${MAX_SECONDS} seconds.${share}`;
  if (cost.filterSeconds > cost.seconds / 2) {
    const filters = `About ${Math.ceil(cost.filterSeconds)} seconds of it are for filters, mostly for patterns and parts of texts, if there are any.`;
    throw tooExpensive(`${estimate} ${filters}`, 'Must have fewer filters or patterns.', '/filters');
  }
  const days = period.lastDay - period.firstDay + 1;
  if (days === 1) throw tooExpensive(estimate, 'Must have fewer dimensions or advertisers.', '/dimensions');
  const fewer = Math.max(1, Math.floor((days * MAX_SECONDS) / cost.seconds));
  const span = `${fewer} ${fewer === 1 ? 'day' : 'days'}`;
  throw tooExpensive(estimate, `Must span at most about ${span} with these dimensions and advertisers.`);
}
