import { format } from '../question/format.ts';
import type { Result } from '../service/use-result.ts';
import { MethodFacts } from './method-facts.tsx';

interface ReportFactsProps {
  readonly result: Result;
}

/** What every figure of the result depends on: period, latest data, zone, currency and attribution. */
export function ReportFacts({ result }: ReportFactsProps) {
  const { page, request } = result;
  const { timezone, currency, dataCompleteThrough, dataFinalThrough, attribution } = page.meta;
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
      {dataFinalThrough === null ? null : (
        <div>
          <dt>Final through</dt>
          <dd>
            {format.date(dataFinalThrough)}
            {dataFinalThrough < request.endDate ? ' – later days (*) may still change' : ''}
          </dd>
        </div>
      )}
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
      <MethodFacts attribution={attribution} />
    </dl>
  );
}
