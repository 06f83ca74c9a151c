import { format } from '../question/format.ts';
import type { Result } from '../service/use-result.ts';
import { type Fact, methodFacts } from './method-facts.tsx';

interface ReportFactsProps {
  readonly result: Result;
}

/** What every figure of the result depends on: period, latest data, zone, currency and attribution. */
export function ReportFacts({ result }: ReportFactsProps) {
  const { page, request } = result;
  const { timezone, currency, dataCompleteThrough, dataFinalThrough, attribution } = page.meta;
  const isIncomplete = dataCompleteThrough === null || dataCompleteThrough < request.endDate;
  const { compared } = page.meta;
  const period = (
    <>
      {format.range(request.startDate, request.endDate)}
      {compared && <span class="muted"> against {format.range(compared.startDate, compared.endDate)}</span>}
    </>
  );
  const through = dataCompleteThrough === null ? 'no data' : format.date(dataCompleteThrough);
  const window = attribution.windowDays === null ? '' : `${format.counted(attribution.windowDays, 'day')}, `;
  const facts: readonly Fact[] = [
    ['Period', period],
    ['Data through', dataCompleteThrough !== null && isIncomplete ? `${through} – the period ends later` : through],
    ['Final through', dataFinalThrough && finalText(dataFinalThrough, request.endDate)],
    ['Time zone', timezone],
    ['Currency', currency],
    ['Attribution', `${window}${attribution.basis}`],
    ...methodFacts(attribution),
  ];
  return (
    <dl class="facts small">
      {facts.map(([title, value]) =>
        value ? (
          <div key={title} class={title === 'Data through' && isIncomplete ? 'warning' : ''}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

const finalText = (day: string, endDate: string): string =>
  `${format.date(day)}${day < endDate ? ' – later days (*) may still change' : ''}`;
