import { MAX_REPORT_DAYS } from '../../../contract/report/report-limits.ts';
import { formatDay, parseDate } from '../../../lib/calendar.ts';
import { comparedRange } from '../../../lib/compared-period.ts';
import type { Calendar } from '../../../lib/relative-date.ts';
import type { LastDay } from '../app/use-catalogue.ts';
import type { Catalogue } from '../question/catalogue.ts';
import { format } from '../question/format.ts';
import { nameIn } from '../question/name-in.ts';
import { COMPARISON_TITLES, isRange, type Period, PRESETS, resolvePeriod } from '../question/period.ts';
import { datesOf, type Question } from '../question/question.ts';

interface PeriodPickerProps {
  readonly catalogue: Catalogue;
  readonly question: Question;
  readonly lastDay: LastDay | undefined;
  readonly change: (question: Question) => void;
}

export function PeriodPicker({ catalogue, question, lastDay, change }: PeriodPickerProps) {
  const { period, compare } = question;
  const { calendar } = catalogue;
  const end = 'preset' in period ? lastDay?.day : calendar.today; // dates do not depend on the last day
  const range = end === undefined ? undefined : resolvePeriod(period, end, calendar);
  const choose = (name: string) => {
    const preset = nameIn(PRESETS, name);
    if (preset !== undefined) change({ ...question, period: { preset } });
    else if (range !== undefined) change({ ...question, period: datesOf(range) });
  };
  const compared = range === undefined || compare === undefined ? undefined : comparedRange(range, compare);
  return (
    <fieldset>
      <legend>Period</legend>
      <label class="field">
        <span class="hint">Days</span>
        <select
          value={'preset' in period ? period.preset : 'custom'}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {Object.entries(PRESETS).map(([name, { title }]) => (
            <option key={name} value={name}>
              {name === 'yesterday' && lastDay?.isYesterday === false ? 'Last complete day' : title}
            </option>
          ))}
          <option value="custom">Custom…</option>
        </select>
      </label>
      {'preset' in period || range === undefined ? null : (
        <CustomPeriod
          period={datesOf(range)}
          calendar={calendar}
          onChange={(next) => change({ ...question, period: next })}
        />
      )}
      {range === undefined ? null : <p class="hint">{format.range(formatDay(range.first), formatDay(range.last))}</p>}
      {lastDay?.isYesterday === false && 'preset' in period ? (
        <p class="hint">
          Periods end no later than {format.date(formatDay(lastDay.day))}, the day through which data is complete.
        </p>
      ) : null}
      <label class="field">
        <span class="hint">Compare with</span>
        <select
          value={compare ?? ''}
          onChange={(event) => change({ ...question, compare: nameIn(COMPARISON_TITLES, event.currentTarget.value) })}
        >
          <option value="">Nothing</option>
          {Object.entries(COMPARISON_TITLES).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {compared === undefined ? null : (
        <p class="hint">{format.range(formatDay(compared.first), formatDay(compared.last))}</p>
      )}
    </fieldset>
  );
}

interface CustomPeriodProps {
  readonly period: Exclude<Period, { preset: unknown }>;
  readonly calendar: Calendar;
  readonly onChange: (period: Period) => void;
}

/** Two dates. If they are not in order or too far apart, the other date is moved. */
function CustomPeriod({ period, calendar, onChange }: CustomPeriodProps) {
  const set = (part: Partial<CustomPeriodProps['period']>) => {
    const next = { ...period, ...part };
    const start = parseDate(next.startDate);
    const end = parseDate(next.endDate);
    if (start === undefined || end === undefined) return;
    if (isRange(next.startDate, next.endDate, MAX_REPORT_DAYS, calendar)) onChange(next);
    else if ('startDate' in part)
      onChange({ startDate: next.startDate, endDate: formatDay(end < start ? start : start + MAX_REPORT_DAYS - 1) });
    else onChange({ startDate: formatDay(end < start ? end : end - MAX_REPORT_DAYS + 1), endDate: next.endDate });
  };
  return (
    <div class="row">
      <label class="field">
        <span class="hint">From</span>
        <input
          type="date"
          value={period.startDate}
          onChange={(event) => set({ startDate: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span class="hint">To</span>
        <input type="date" value={period.endDate} onChange={(event) => set({ endDate: event.currentTarget.value })} />
      </label>
    </div>
  );
}
