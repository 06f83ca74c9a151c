import { dimensionOf } from '../../catalog/dimensions.ts';
import { methodChanges } from '../../catalog/methodology.ts';
import { experiencesIn } from '../../catalog/tables.ts';
import { addMonths, dayNumber, formatDay, monthOf, quarterOf, weekOf } from '../../lib/calendar.ts';
import { MAX_LISTED_DAYS, type ReportWarning } from '../query/query.ts';
import type { DescribedReport } from './described-report.ts';
import { valuesIn } from './warn-names.ts';
import { date, days, list, period as periodOf, text, warn } from './warning.ts';

/** @returns a warning if the period has no data in the experiences that pass the filters, or days without delivery */
export function warnLoadedPeriod({ plan, loaded, settings }: DescribedReport): ReportWarning[] {
  const { query, experiences } = plan;
  const { hasData, missingDays, data } = loaded;
  const { startDate, endDate, experience } = query;
  const all = experiencesIn(experience);
  if (!hasData(experiences.length > 0 ? experiences : all)) {
    const some = experiences.length > 0 && experiences.length < all.length ? `in ${experiences.join(' and ')} ` : '';
    const where = experience === 'all' ? 'any experience' : experience;
    const known =
      data.from === null
        ? `there is no delivery in ${where}`
        : text`delivery in ${where} is from ${date(data.from)} to ${date(data.through ?? data.from)}`;
    const phrase = text`No data ${some}was loaded for ${periodOf(startDate, endDate)}, so sums are null: ${known}.`;
    return [warn('NO_DATA_IN_PERIOD', ['daily_date'], phrase)];
  }
  if (missingDays.length === 0) return [];
  const incomplete = query.dimensions.flatMap((name) => {
    const { ofDay, title } = dimensionOf(name);
    const values = new Set(missingDays.map((day) => ofDay?.(day, settings.weekStartsOn)));
    const dates = [...values].filter((value) => typeof value === 'string'); // a weekday is no date
    return dates.length === 0 ? [] : text` Incomplete values of ${title}: ${list(dates.map(date), MAX_LISTED_DAYS)}.`;
  });
  const count = missingDays.length === 1 ? 'a day' : `${missingDays.length} days`;
  const when = text`${days(missingDays.map(formatDay))}.${list(incomplete, incomplete.length, '')}`;
  return [warn('MISSING_DAYS', ['daily_date'], text`No advertiser has delivery on ${count} of the period: ${when}`)];
}

/** @returns a warning if the period includes today and some of its data */
export function warnRunningDay({ plan, loaded: { today, isRunning } }: DescribedReport): ReportWarning[] {
  if (!isRunning) return [];
  const compared = plan.query.compare ? ', and changes compare it with whole days' : '';
  const start = text`${days([formatDay(today)])} has not ended: its figures are of a part of the day${compared}.`;
  return [warn('DAY_NOT_ENDED', ['daily_date'], text`${start} End the report on the day before to leave it out.`)];
}

/** @returns a warning if the compared period has more or fewer days, which sums grow with */
export function warnLengths({ plan: { query } }: DescribedReport): ReportWarning[] {
  const { compare = query } = query;
  const lengthOf = ({ startDate, endDate }: Pick<typeof query, 'startDate' | 'endDate'>) =>
    dayNumber(endDate) - dayNumber(startDate) + 1;
  const [length, compared] = [lengthOf(query), lengthOf(compare)];
  if (length === compared) return [];
  const counted = (count: number) => `${count} day${count === 1 ? '' : 's'}`;
  const phrase = text`The period has ${counted(length)}, and the compared one ${counted(compared)}: a part of each change of a sum or a number of users is due to that.`;
  return [warn('UNEQUAL_PERIODS', ['daily_date'], phrase)];
}

/** @returns a warning if the method by which figures are made changes within the period, or between it and the compared one */
export function warnMethod({ plan: { query }, settings: { methodology } }: DescribedReport): ReportWarning[] {
  const periods = [query, query.compare ?? query];
  const first = periods.map(({ startDate }) => startDate).sort()[0] ?? query.startDate;
  const last =
    periods
      .map(({ endDate }) => endDate)
      .sort()
      .at(-1) ?? query.endDate;
  const changes = methodChanges(methodology, query.experience, { first, last });
  if (changes.length === 0) return [];
  const phrase = text`The method by which figures are made changes on ${days(changes)}: figures before and after it are not alike.`;
  return [warn('METHOD_CHANGES', ['daily_date'], phrase)];
}

const UNITS = [
  { field: 'week_date', name: 'week', startOf: weekOf, nextOf: (start: number) => start + 7 },
  { field: 'month_date', name: 'month', startOf: monthOf, nextOf: (start: number) => addMonths(start, 1) },
  { field: 'quarter_date', name: 'quarter', startOf: quarterOf, nextOf: (start: number) => addMonths(start, 3) },
] as const;

/** @returns one warning for each requested dimension whose first or last week, month or quarter has days outside the period, and rows once they are known */
export function warnPartialUnits({
  plan: { query },
  settings: { weekStartsOn },
  found,
}: Pick<DescribedReport, 'plan' | 'settings' | 'found'>): ReportWarning[] {
  const { startDate, endDate, dimensions } = query;
  const [first, last] = [dayNumber(startDate), dayNumber(endDate)];
  return UNITS.flatMap(({ field, name, startOf, nextOf }) => {
    if (!dimensions.includes(field)) return [];
    const values = found && !found.isCompared ? valuesIn(found.rows, field, found.kept) : undefined;
    const units = new Set([first, last].map((day) => startOf(day, weekStartsOn)));
    const starts = [...units].filter((start) => values?.has(formatDay(start)) ?? true);
    const partial = starts.flatMap((start) => {
      const whole = nextOf(start) - start;
      const [from, to] = [Math.max(first, start), Math.min(last, start + whole - 1)];
      const days = to - from + 1;
      const part = text`${days} of the ${whole} days of the ${name} of ${date(formatDay(start))}`;
      return days === whole ? [] : [{ ...part, dates: [{ from: formatDay(from), to: formatDay(to) }] }];
    });
    if (partial.length === 0) return [];
    return [warn('PARTIAL_UNIT', [field], text`The period has only ${list(partial, partial.length, ', and ')}.`)];
  });
}
