import { dayNumber, formatDay } from '../../lib/calendar.ts';
import type { Answer } from '../app/use-answer.ts';
import type { Formatter } from '../question/format.ts';

interface ReportFactsProps {
  readonly answer: Answer;
  readonly format: Formatter;
}

/** What every figure of the answer depends on: period, completeness, zone, currency and attribution. */
export function ReportFacts({ answer, format }: ReportFactsProps) {
  const { page, resolved } = answer;
  const { timezone, currency, dataCompleteThrough, attribution } = page.meta;
  const { startDate, endDate } = resolved.request;
  const isIncomplete = dataCompleteThrough === null || dayNumber(dataCompleteThrough) < resolved.range.last;
  const compared = resolved.compared?.range;
  return (
    <dl class="facts">
      <div>
        <dt>Period</dt>
        <dd>
          {format.range(startDate, endDate)}
          {compared === undefined ? null : (
            <span class="muted"> against {format.range(formatDay(compared.first), formatDay(compared.last))}</span>
          )}
        </dd>
      </div>
      <div class={isIncomplete ? 'late' : ''}>
        <dt>Complete through</dt>
        <dd>
          {dataCompleteThrough === null ? 'no data' : format.date(dataCompleteThrough)}
          {isIncomplete ? ' – the period ends later' : ''}
        </dd>
      </div>
      <div>
        <dt>Time zone</dt>
        <dd>{timezone}</dd>
      </div>
      <div>
        <dt>Currency</dt>
        <dd>{currency}</dd>
      </div>
      <div>
        <dt>Attribution</dt>
        <dd>
          {attribution.windowDays} days, {attribution.basis}
        </dd>
      </div>
    </dl>
  );
}
