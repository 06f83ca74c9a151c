import { metricOf } from '../../catalog/metrics.ts';
import { inputsOf } from '../../catalog/rules.ts';
import { type Experience, type FactTable, measureOf } from '../../catalog/tables.ts';
import { daysOfRanges, hasDay } from '../../layout/day-ranges.ts';
import { PLATFORM_ID } from '../../layout/partitions.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import { sortTexts } from '../../lib/compare-text.ts';
import { missingIn, OTHER_TABLES } from '../plan/loaded-period.ts';
import { daysOf } from '../plan/plan-reads.ts';
import { coveredExperiences, metricsOf } from '../plan/plan-report.ts';
import type { ReportWarning } from '../query/query.ts';
import type { DescribedReport } from './described-report.ts';
import { advertisers, date, days, list, MAX_NAMED, text, titles, warn } from './warning.ts';

/** What is read begins at most so many days before the report. */
const DAYS_BEFORE = 31;

/**
 * A table is late where the days without a row at the end of the report have delivery, and are more than one and than any such days before, as far as these are
 * read. Days on which nobody has rows do not count. Of others than the report's advertisers, they are used only where at least `marketMinOthers` have facts.
 * @returns a warning for each table that advertisers no longer have, while others do
 */
export async function warnLateTables(report: DescribedReport): Promise<ReportWarning[]> {
  const { plan, widest, heads, joins, selected, loaded, settings, found } = report;
  if (found === undefined) return [];
  const { scanned } = found;
  const platform = heads.get(PLATFORM_ID);
  const { firstDay, lastDay } = plan.period;
  const ended = daysOf(plan, joins, plan.rowConditions).filter((day) => day < loaded.today);
  const reported = new Set(ended.map(formatDay));
  const findLate = (table: FactTable, experience: Experience) => {
    const present = selected.advertiserIds.filter((id) => heads.get(id)?.versions.has(experience));
    const isCrowd = (platform?.advertisers?.get(experience) ?? 0) - present.length >= settings.marketMinOthers;
    const ofAnybody = daysOfRanges((isCrowd && platform?.days?.get(experience)?.get(table)) || []);
    const dueDates = isCrowd
      ? ofAnybody.filter((day) => day > firstDay - DAYS_BEFORE && day <= lastDay).map(formatDay)
      : sortTexts([...new Set(present.flatMap((id) => [...scanned.datesOf(table, experience, id)]))]);
    return present.flatMap((id) => {
      const own = scanned.datesOf(table, experience, id);
      const [first = plan.query.startDate] = sortTexts([...own]);
      const due = dueDates.filter((day) => reported.has(day) || (day >= first && day < plan.query.startDate));
      const delivered = heads.get(id)?.days?.get(experience)?.get('delivery') ?? [];
      const after = due.findLastIndex((day) => own.has(day)) + 1;
      const late = due.slice(after);
      if (late.length <= Math.max(1, longestGap(due.slice(0, after), own))) return [];
      return late.some((day) => reported.has(day) && hasDay(delivered, dayNumber(day)))
        ? [{ id, experience, last: due[after - 1] }]
        : [];
    });
  };
  const tables = (['conversions', 'activity'] as const).flatMap((table) => {
    const reads = metricsOf(widest, table);
    const experiences = new Set(reads.flatMap((name) => coveredExperiences(widest, name)));
    const late = [...experiences].flatMap((experience) => findLate(table, experience));
    return late.length === 0 ? [] : [{ table, reads, late }];
  });
  const nameOf = tables.length === 0 ? undefined : await report.advertiserNames();
  return tables.map(({ table, reads, late }) => {
    const alike = [...Map.groupBy(late, ({ experience, last }) => `${experience}/${last}`).values()];
    const phrases = alike.map((same) => {
      const [{ experience, last } = { experience: '', last: undefined }] = same;
      const when = last === undefined ? 'on any day' : text`after ${date(last)}`;
      const ids = same.map(({ id }) => id);
      return text`of ${advertisers(ids, nameOf)} in ${experience} ${when}`;
    });
    const start = text`No rows of ${table} ${list(phrases, MAX_NAMED, '; ')}, while others have some`;
    const phrase = text`${start}: zeros in ${titles(reads)} can be real, or a file is late.`;
    return warn('TABLE_LACKS_DAYS', ['daily_date', ...reads], phrase);
  });
}

function longestGap(days: readonly string[], own: ReadonlySet<string>): number {
  let [longest, gap] = [0, 0];
  for (const day of days) {
    gap = own.has(day) ? 0 : gap + 1;
    longest = Math.max(longest, gap);
  }
  return longest;
}

/** @returns a warning for each fact table that lacks days which metrics of the report read */
export function warnTables({ widest: plan, loaded: { tables } }: DescribedReport): ReportWarning[] {
  const names = metricsOf(plan);
  return OTHER_TABLES.flatMap((table): ReportWarning[] => {
    const late = tables.flatMap((own) => {
      if (own.table !== table || !plan.experiences.includes(own.experience)) return [];
      // what is outside the reach of other tables is unknown: see `warnUnmeasured`
      const isDue = (day: number) => table === 'market' || (day >= own.firstDay && day <= own.lastDay);
      const missingDays = own.missingDays.filter(isDue);
      return missingDays.length === 0 ? [] : [{ ...own, missingDays }];
    });
    const reads = names.filter((name) => {
      const { measures, shoppersOf } = inputsOf(metricOf(name));
      const isRead =
        shoppersOf.some((own) => own === table) || measures.some((measure) => measureOf(measure).table === table);
      return isRead && late.some(({ experience }) => coveredExperiences(plan, name).includes(experience));
    });
    if (reads.length === 0) return [];
    const missing = missingIn(late);
    const end = Math.min(...late.map(({ lastDay }) => lastDay));
    const ends = Number(missing.at(-1)) > end ? text` (the latest day is ${date(formatDay(end))})` : '';
    const where = late.map(({ experience }) => experience).join(' and ');
    const when = text`${days(missing.map(formatDay))}${ends}`;
    const phrase = text`No advertiser has rows of ${table} in ${where} on ${when}: missing in ${titles(reads)}.`;
    return [warn('TABLE_LACKS_DAYS', ['daily_date', ...reads], phrase)];
  });
}
