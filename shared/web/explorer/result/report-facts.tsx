import { dayNumber } from '../../../lib/calendar.ts';
import type { Result } from '../app/use-result.ts';
import { describeDays } from '../question/describe.ts';
import { format } from '../question/format.ts';
import { missingDays } from '../question/period.ts';
import { rangeOf } from '../question/question.ts';

interface ReportFactsProps {
  readonly result: Result;
}

/** What every figure of the result depends on: period, latest data, zone, currency and attribution. */
export function ReportFacts({ result }: ReportFactsProps) {
  const { page, request } = result;
  const { timezone, currency, dataCompleteThrough, attribution } = page.meta;
  const isIncomplete = dataCompleteThrough === null || dataCompleteThrough < request.endDate;
  const { compared } = page.meta;
  return (
    <dl class="facts small">
      <div>
        <dt>Period</dt>
        <dd>
          {format.range(request.startDate, request.endDate)}
          {compared === undefined ? null : (
            <span class="muted"> against {format.range(compared.startDate, compared.endDate)}</span>
          )}
        </dd>
      </div>
      <div class={isIncomplete ? 'warning' : ''}>
        <dt>Data through</dt>
        <dd>
          {dataCompleteThrough === null ? 'no data' : format.date(dataCompleteThrough)}
          {isIncomplete && dataCompleteThrough !== null ? ' – the period ends later' : ''}
        </dd>
      </div>
      <MissingDays result={result} />
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
          {attribution.windowDays === null ? '' : `${format.counted(attribution.windowDays, 'day')}, `}
          {attribution.basis}
        </dd>
      </div>
    </dl>
  );
}

/** Shows nothing unless the report is by day and its days with delivery were read. */
function MissingDays({ result: { page, request, delivered } }: ReportFactsProps) {
  const { dataCompleteThrough } = page.meta;
  if (delivered === undefined || dataCompleteThrough === null) return null;
  const missing = missingDays(rangeOf(request), dayNumber(dataCompleteThrough), delivered);
  if (missing.length === 0) return null;
  return (
    <div class="warning">
      <dt class="visually-hidden">Missing</dt>
      <dd title={describeDays(missing, format)}>
        {format.counted(missing.length, 'day')} without delivery in this period
      </dd>
    </div>
  );
}
