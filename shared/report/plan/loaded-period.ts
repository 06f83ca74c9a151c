import { dimensionOf } from '../../catalog/dimensions.ts';
import type { FactHead } from '../../catalog/partitions.ts';
import { ROLLUP_TABLES } from '../../catalog/rollup-keys.ts';
import { type Experience, experiencesIn, type FactTable } from '../../catalog/tables.ts';
import { formatDay, type Weekday } from '../../lib/calendar.ts';
import type { ReportEnvelope, ReportWarning } from '../query/query.ts';
import type { Plan } from './plan-report.ts';

/** Further missing days are only counted. */
const MAX_LISTED_DAYS = 31;

/** Which days of the report's period have data of any advertiser. */
interface LoadedPeriod {
  /** @returns whether any day of the period has delivery, conversions or activity in one of the experiences */
  readonly hasData: (experiences: readonly Experience[]) => boolean;
  /** @returns whether the day has such data in an experience of the report; days need not be in the period */
  readonly hasDataOn: (day: number) => boolean;
  /** The days of the period without delivery, up to the latest day that has some: later ones are not due yet. */
  readonly missingDays: readonly number[];
  /** As responses state it. */
  readonly data: ReportEnvelope['meta']['data'];
}

/** @param platform the platform's fact head; undefined if there are no facts */
export function findLoadedPeriod({ query, period }: Plan, platform: FactHead | undefined): LoadedPeriod {
  const { firstDay, lastDay } = period;
  const reported = experiencesIn(query.experience);
  const rangesOf = (experiences: readonly Experience[], tables: readonly FactTable[]) =>
    experiences.flatMap((name) => tables.flatMap((table) => platform?.days?.get(name)?.get(table) ?? []));
  const hasDataIn = (experiences: readonly Experience[], from: number, to: number) =>
    rangesOf(experiences, ROLLUP_TABLES).some(([first, last]) => first <= to && last >= from);
  const delivery = rangesOf(reported, ['delivery']).sort(([a], [b]) => a - b);
  const from = delivery[0]?.[0];
  const through = delivery.length === 0 ? undefined : Math.max(...delivery.map(([, last]) => last));
  const missingDays: number[] = [];
  for (let day = firstDay; day <= Math.min(lastDay, through ?? firstDay - 1); day++)
    if (!delivery.some(([first, last]) => first <= day && day <= last)) missingDays.push(day);
  const data = {
    from: from === undefined ? null : formatDay(from),
    through: through === undefined ? null : formatDay(through),
    missingDays: missingDays.slice(0, MAX_LISTED_DAYS).map(formatDay),
    missingDayCount: missingDays.length,
  };
  return {
    hasData: (experiences) => hasDataIn(experiences, firstDay, lastDay),
    hasDataOn: (day) => hasDataIn(reported, day, day),
    missingDays,
    data,
  };
}

/** @returns a warning if the period has no data in the experiences that pass the filters, or days without delivery */
export function warnLoadedPeriod(
  { query, experiences }: Pick<Plan, 'query' | 'experiences'>,
  { hasData, missingDays, data }: LoadedPeriod,
  weekStartsOn: Weekday,
): ReportWarning[] {
  const { startDate, endDate, experience } = query;
  const all = experiencesIn(experience);
  if (!hasData(experiences.length > 0 ? experiences : all)) {
    const some = experiences.length > 0 && experiences.length < all.length ? `in ${experiences.join(' and ')} ` : '';
    const where = experience === 'all' ? 'any experience' : experience;
    const known =
      data.from === null
        ? `there is no delivery in ${where}`
        : `delivery in ${where} is from ${data.from} to ${data.through}`;
    const detail = `No data ${some}was loaded for ${startDate} to ${endDate}, so sums are null: ${known}.`;
    return [{ code: 'NO_DATA_IN_PERIOD', field: 'daily_date', detail, drop: [] }];
  }
  if (missingDays.length === 0) return [];
  const days = listDates(missingDays.map(formatDay));
  const incomplete = query.dimensions.flatMap((name) => {
    const { ofDay, title } = dimensionOf(name);
    const values = new Set(missingDays.map((day) => ofDay?.(day, weekStartsOn)));
    const dates = [...values].filter((value) => typeof value === 'string'); // a weekday is no date
    return dates.length === 0 ? [] : ` Incomplete values of ${title}: ${listDates(dates)}.`;
  });
  const detail = `No advertiser has delivery on ${missingDays.length === 1 ? 'a day' : `${missingDays.length} days`} of the period: ${days}.${incomplete.join('')}`;
  return [{ code: 'MISSING_DAYS', field: 'daily_date', detail, drop: [] }];
}

function listDates(dates: readonly string[]): string {
  const more = dates.length - MAX_LISTED_DAYS;
  return dates.slice(0, MAX_LISTED_DAYS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
