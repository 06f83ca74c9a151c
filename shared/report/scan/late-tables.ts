import { hasDay, rangesOf } from '../../catalog/day-ranges.ts';
import { type FactHead, PLATFORM_ID } from '../../catalog/partitions.ts';
import type { Experience, FactTable } from '../../catalog/tables.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import { coveredExperiences, metricsOf, type Plan } from '../plan/plan-report.ts';
import type { ReportScope, ReportSettings, ReportWarning } from '../query/query.ts';
import { type AdvertiserName, advertisers, date, list, MAX_NAMED, text, titles, warn } from '../query/warning.ts';
import type { Segment } from './segment.ts';

/** The days on which scanned segments have rows, by advertiser; without those that are read as shards. */
export class RowDays {
  readonly #days = new Map<string, number[]>();

  add(table: FactTable, segment: Segment): void {
    if (table === 'delivery' || segment.advertiserId === PLATFORM_ID) return;
    const key = `${table}/${segment.experience}/${segment.advertiserId}`;
    const days = segment.keys('date').dictionary.map((date) => dayNumber(String(date)));
    this.#days.set(key, [...(this.#days.get(key) ?? []), ...days]);
  }

  of(table: FactTable, experience: Experience, advertiserId: number): ReadonlySet<number> {
    return new Set(this.#days.get(`${table}/${experience}/${advertiserId}`));
  }
}

/** A table that an advertiser of the report no longer has, while others do. */
export interface LateTable {
  readonly table: 'conversions' | 'activity';
  readonly experience: Experience;
  readonly advertiserId: number;
  /** The last date of the report that has rows of it; undefined if none has. */
  readonly last: string | undefined;
}

/**
 * A table is late where the days without a row at the end of the report have delivery, and are more than one and than any such days before. Days on which nobody
 * has rows do not count. Of others than the report's advertisers, they are used only where at least `marketMinOthers` have facts.
 * @param days those of the report that have ended
 */
export function findLateTables(
  plan: Plan,
  days: readonly number[],
  heads: ReadonlyMap<number, FactHead>,
  { advertiserIds }: ReportScope,
  { marketMinOthers }: ReportSettings,
  rowDays: RowDays,
): LateTable[] {
  const platform = heads.get(PLATFORM_ID);
  return (['conversions', 'activity'] as const).flatMap((table) => {
    const experiences = new Set(metricsOf(plan, table).flatMap((name) => coveredExperiences(plan, name)));
    return [...experiences].flatMap((experience) => {
      const present = advertiserIds.filter((id) => heads.get(id)?.versions.has(experience));
      const isCrowd = (platform?.advertisers?.get(experience) ?? 0) - present.length >= marketMinOthers;
      const ofReport = present.flatMap((id) => [...rowDays.of(table, experience, id)]);
      const ofAnybody = isCrowd ? platform?.days?.get(experience)?.get(table) : rangesOf(ofReport);
      const due = days.filter((day) => hasDay(ofAnybody ?? [], day));
      return present.flatMap((advertiserId) => {
        const own = rowDays.of(table, experience, advertiserId);
        const delivered = heads.get(advertiserId)?.days?.get(experience)?.get('delivery') ?? [];
        const after = due.findLastIndex((day) => own.has(day)) + 1;
        const late = due.slice(after);
        if (late.length <= Math.max(1, longestGap(due.slice(0, after), own))) return [];
        if (!late.some((day) => hasDay(delivered, day))) return [];
        const last = due[after - 1];
        return [{ table, experience, advertiserId, last: last === undefined ? undefined : formatDay(last) }];
      });
    });
  });
}

/** @returns a warning for each table that is late */
export function warnLateTables(plan: Plan, tables: readonly LateTable[], nameOf?: AdvertiserName): ReportWarning[] {
  const byTable = Map.groupBy(tables, ({ table }) => table);
  return [...byTable].map(([table, all]) => {
    const phrases = [...Map.groupBy(all, ({ experience, last }) => `${experience}/${last}`).values()].flatMap(
      (same) => {
        const [first] = same;
        if (first === undefined) return [];
        const owners = same.map(({ advertiserId }) => advertiserId);
        const when = first.last === undefined ? 'on any day' : text`after ${date(first.last)}`;
        return [text`of ${advertisers(owners, nameOf)} in ${first.experience} ${when}`];
      },
    );
    const reads = metricsOf(plan, table);
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
