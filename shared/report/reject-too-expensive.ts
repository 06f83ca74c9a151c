import { daysInPeriod } from './plan/plan-reads.ts';
import type { Plan } from './plan/plan-report.ts';
import type { CostEstimate } from './query/report-input.ts';
import { tooExpensive } from './query/too-expensive.ts';

/** A request ends after 25 seconds (`DEADLINE_DETAIL`); 7 of them are for the error of the estimate. */
export const MAX_SECONDS = 18;

/** @throws ApiError 422 with the estimate and how to narrow the report */
export function rejectTooExpensive({ rows, bytes, seconds }: CostEstimate, plan: Plan): void {
  if (seconds <= MAX_SECONDS) return;
  const market = plan.query.metrics.includes('share_of_voice') ? ' For share_of_voice, it also reads the market.' : '';
  const estimate = `It would read about ${rows.toLocaleString('en-US')} fact rows (${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB) and take about ${Math.ceil(seconds)} seconds; the limit is ${MAX_SECONDS} seconds.${market}`;
  const days = daysInPeriod(plan);
  if (days === 1) throw tooExpensive(estimate, 'Must have fewer dimensions or advertisers.', '/dimensions');
  const fewer = Math.max(1, Math.floor((days * MAX_SECONDS) / seconds));
  const span = `${fewer} ${fewer === 1 ? 'day' : 'days'}`;
  throw tooExpensive(estimate, `Must span at most about ${span} with these dimensions and advertisers.`);
}
