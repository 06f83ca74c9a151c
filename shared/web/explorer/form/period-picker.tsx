import { useEffect, useState } from 'preact/hooks';
import { MAX_REPORT_DAYS } from '../../../contract/report/report-limits.ts';
import type { TextCompare } from '../../../contract/report/report-text.ts';
import { formatDay, parseDate } from '../../../lib/calendar.ts';
import { comparedRange, type PeriodDays } from '../../../lib/compared-period.ts';
import type { Calendar } from '../../../lib/relative-date.ts';
import { format } from '../question/format.ts';
import { COMPARISON_TITLES, isRange, type Period, PRESETS, presetOf, resolvePeriod } from '../question/period.ts';
import { datesOf, nameIn } from '../question/question.ts';
import type { ReportMeta } from '../service/api.ts';
import type { Editing } from '../service/editing.ts';
import { Choice } from '../ui/choice.tsx';

interface PeriodPickerProps extends Editing {
  /** Says where the data ends; undefined until the first result. */
  readonly meta: ReportMeta | undefined;
}

const CUSTOM = 'Custom…';

export function PeriodPicker({ catalogue, question, meta, change }: PeriodPickerProps) {
  const { period, compare } = question;
  const calendar = { ...catalogue.calendar, latest: parseDate(meta?.dataCompleteThrough ?? '') };
  const range = resolvePeriod(period, calendar);
  const compared = compare && rangeOfCompare(compare, range, calendar);
  const preset = presetOf(period);
  const { latest, today } = calendar;
  const set = (next: Period) => change({ ...question, period: next });
  const setCompare = (next: TextCompare | undefined) => change({ ...question, compare: next });
  return (
    <fieldset>
      <legend>Period</legend>
      <Choice
        title="Days"
        value={preset ?? CUSTOM}
        choices={[...Object.keys(PRESETS), CUSTOM].map((title) => [title, title])}
        onChange={(title) => set(PRESETS[title] ?? datesOf(range))}
      />
      {preset === undefined ? <Dates period={datesOf(range)} calendar={calendar} onChange={set} /> : null}
      {meta === undefined ? null : <Days range={range} />}
      {preset !== undefined && latest !== undefined && latest < today - 1 ? (
        <p class="hint">
          Periods end no later than {format.date(formatDay(latest))}, the day through which data is complete.
        </p>
      ) : null}
      <Choice
        title="Compare with"
        value={typeof compare === 'object' ? CUSTOM : (compare ?? '')}
        choices={[['', 'Nothing'], ...Object.entries(COMPARISON_TITLES), [CUSTOM, CUSTOM]]}
        onChange={(name) =>
          setCompare(
            name === CUSTOM
              ? datesOf(compared ?? comparedRange(range, 'previousPeriod'))
              : nameIn(COMPARISON_TITLES, name),
          )
        }
      />
      {typeof compare === 'object' && compared !== undefined ? (
        <Dates period={datesOf(compared)} calendar={calendar} onChange={setCompare} />
      ) : null}
      {meta === undefined || compared === undefined ? null : <Days range={compared} />}
    </fieldset>
  );
}

function rangeOfCompare(compare: TextCompare, range: PeriodDays, calendar: Calendar): PeriodDays {
  return typeof compare === 'object' ? resolvePeriod(compare, calendar) : comparedRange(range, compare);
}

function Days({ range: { first, last } }: { readonly range: PeriodDays }) {
  return <p class="hint">{format.range(formatDay(first), formatDay(last))}</p>;
}

interface DatesProps {
  readonly period: Period;
  readonly calendar: Calendar;
  readonly onChange: (period: Period) => void;
}

/** Two dates. While they are not in order, or too far apart, the question keeps its period. */
function Dates({ period, calendar, onChange }: DatesProps) {
  const [rejected, setRejected] = useState<Period>();
  const { startDate, endDate } = rejected ?? period;
  useEffect(() => setRejected(undefined), [period.startDate, period.endDate]);
  const set = (next: Period) => {
    if (parseDate(next.startDate) === undefined || parseDate(next.endDate) === undefined) return;
    const isValid = isRange(next, MAX_REPORT_DAYS, calendar);
    setRejected(isValid ? undefined : next);
    if (isValid) onChange(next);
  };
  const problem = endDate < startDate ? '“To” is before “From”' : `A period has at most ${MAX_REPORT_DAYS} days`;
  return (
    <>
      <div class="row">
        <label class="field">
          <span class="hint">From</span>
          <input
            type="date"
            value={startDate}
            onChange={(event) => set({ startDate: event.currentTarget.value, endDate })}
          />
        </label>
        <label class="field">
          <span class="hint">To</span>
          <input
            type="date"
            value={endDate}
            onChange={(event) => set({ startDate, endDate: event.currentTarget.value })}
          />
        </label>
      </div>
      {rejected === undefined ? null : (
        <p class="problem" role="alert">
          {problem}: the report keeps its period.
        </p>
      )}
    </>
  );
}
