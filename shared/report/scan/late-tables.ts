import { daysOfRanges, hasDay, rangesOf } from '../../catalog/day-ranges.ts';
import { type FactHead, PLATFORM_ID } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-reads.ts';
import type { Experience, FactTable } from '../../catalog/tables.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import { loadAdvertiserNames } from '../plan/joins.ts';
import { coveredExperiences, metricsOf, type Plan } from '../plan/plan-report.ts';
import type { ReportScope, ReportSettings, ReportWarning } from '../query/query.ts';
import { advertisers, date, list, MAX_NAMED, text, titles, warn } from '../query/warning.ts';
import type { Segment } from './segment.ts';

/** The advertisers of scanned segments, without those that are read as shards. */
export class ScannedAdvertisers {
  /** Those with rows that pass the filters. */
  readonly selected = new Set<number>();
  readonly #days = new Map<string, number[]>();

  /** Adds the days of the segment's advertiser that have rows. */
  add(table: FactTable, segment: Segment): void {
    if (table === 'delivery' || segment.advertiserId === PLATFORM_ID) return;
    const key = `${table}/${segment.experience}/${segment.advertiserId}`;
    const days = segment.keys('date').dictionary.map((day) => dayNumber(String(day)));
    this.#days.set(key, [...(this.#days.get(key) ?? []), ...days]);
  }

  daysOf(table: FactTable, experience: Experience, advertiserId: number): ReadonlySet<number> {
    return new Set(this.#days.get(`${table}/${experience}/${advertiserId}`));
  }
}

/**
 * A table is late where the days without a row at the end of the report have delivery, and are more than one and than any such days before, as far as these are
 * read. Days on which nobody has rows do not count. Of others than the report's advertisers, they are used only where at least `marketMinOthers` have facts.
 * @param days those of the report that have ended
 * @returns a warning for each table that advertisers no longer have, while others do
 */
export async function warnLateTables(
  plan: Plan,
  days: readonly number[],
  { source, heads }: { readonly source: SegmentSource; readonly heads: ReadonlyMap<number, FactHead> },
  { advertiserIds }: ReportScope,
  { marketMinOthers }: ReportSettings,
  scanned: ScannedAdvertisers,
): Promise<ReportWarning[]> {
  const platform = heads.get(PLATFORM_ID);
  const reported = new Set(days);
  const findLate = (table: FactTable, experience: Experience) => {
    const present = advertiserIds.filter((id) => heads.get(id)?.versions.has(experience));
    const isCrowd = (platform?.advertisers?.get(experience) ?? 0) - present.length >= marketMinOthers;
    const ofReport = present.flatMap((id) => [...scanned.daysOf(table, experience, id)]);
    const ofAnybody = isCrowd ? platform?.days?.get(experience)?.get(table) : rangesOf(ofReport);
    const dueDays = daysOfRanges(ofAnybody ?? []);
    return present.flatMap((id) => {
      const own = scanned.daysOf(table, experience, id);
      const first = Math.min(...own); // what is read begins before the report
      const due = dueDays.filter((day) => reported.has(day) || (day >= first && day < plan.period.firstDay));
      const delivered = heads.get(id)?.days?.get(experience)?.get('delivery') ?? [];
      const after = due.findLastIndex((day) => own.has(day)) + 1;
      const late = due.slice(after);
      if (late.length <= Math.max(1, longestGap(due.slice(0, after), own))) return [];
      return late.some((day) => hasDay(delivered, day)) ? [{ id, experience, last: due[after - 1] }] : [];
    });
  };
  const tables = (['conversions', 'activity'] as const).flatMap((table) => {
    const reads = metricsOf(plan, table);
    const experiences = new Set(reads.flatMap((name) => coveredExperiences(plan, name)));
    const late = [...experiences].flatMap((experience) => findLate(table, experience));
    return late.length === 0 ? [] : [{ table, reads, late }];
  });
  const nameOf = tables.length === 0 ? undefined : await loadAdvertiserNames(source);
  return tables.map(({ table, reads, late }) => {
    const alike = [...Map.groupBy(late, ({ experience, last }) => `${experience}/${last}`).values()];
    const phrases = alike.map((same) => {
      const [{ experience, last } = { experience: '', last: undefined }] = same;
      const when = last === undefined ? 'on any day' : text`after ${date(formatDay(last))}`;
      const ids = same.map(({ id }) => id);
      return text`of ${advertisers(ids, nameOf)} in ${experience} ${when}`;
    });
    const start = text`No rows of ${table} ${list(phrases, MAX_NAMED, '; ')}, while others have some`;
    const phrase = text`${start}: zeros in ${titles(reads)} can be real, or a file is late.`;
    return warn('TABLE_LACKS_DAYS', ['daily_date', ...reads], phrase);
  });
}

function longestGap(days: readonly number[], own: ReadonlySet<number>): number {
  let [longest, gap] = [0, 0];
  for (const day of days) {
    gap = own.has(day) ? 0 : gap + 1;
    longest = Math.max(longest, gap);
  }
  return longest;
}
