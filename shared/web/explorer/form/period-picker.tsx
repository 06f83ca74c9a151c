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

/** Two dates. If they are not in order or too far apart, the other date is moved. */
function Dates({ period, calendar, onChange }: DatesProps) {
  const set = (part: Partial<Period>) => {
    const next = { ...period, ...part };
    const start = parseDate(next.startDate);
    const end = parseDate(next.endDate);
    if (start === undefined || end === undefined) return;
    if (isRange(next, MAX_REPORT_DAYS, calendar)) onChange(next);
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
