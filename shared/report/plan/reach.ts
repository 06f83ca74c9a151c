import type { Experience, FactTable } from '../../catalog/tables.ts';
import { hasDay } from '../../layout/day-ranges.ts';
import type { FactHead } from '../../layout/partitions.ts';
import { ROLLUP_TABLES } from '../../layout/rollup-keys.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import type { Joins } from './joins.ts';

/** Where fact tables are known: in an experience from the first to the last day on which anybody has rows, or to a later one that the freshness table states. */
export interface Reach {
  /** Whether the tables are known on all days of the report, in all its experiences. */
  readonly isWhole: (table: FactTable) => boolean;
  /** @returns the dates of the report on which the table is unknown, and anybody has rows of another; undefined if there are none, and for the market */
  readonly lateDates: (table: FactTable, experience: Experience | null) => ReadonlySet<string> | undefined;
  /** @returns those of the experiences in which the table is known on one of the days, by default of the report's */
  readonly knownIn: (
    table: FactTable,
    experiences: readonly Experience[],
    days?: readonly number[],
  ) => readonly Experience[];
}

/**
 * @param platform the platform's head
 * @param days those of the period that pass the report's filters
 * @param period all days of the period, of which sums of nothing are where none passes
 */
export function findReach(
  experiences: readonly Experience[],
  platform: FactHead | undefined,
  joins: Pick<Joins, 'freshness'>,
  days: readonly number[],
  period: readonly number[],
): Reach {
  const covered = days.length > 0 ? days : period;
  const rangesOf = (experience: Experience, table: FactTable) => {
    const lists = table === 'delivery' ? (['delivery', 'undelivered'] as const) : [table];
    return lists.flatMap((list) => platform?.days?.get(experience)?.get(list) ?? []);
  };
  const covers = (table: FactTable, experience: Experience) => {
    const ranges = rangesOf(experience, table);
    const stated = joins.freshness(experience, table);
    const ends = [...ranges.map(([, to]) => to), ...(stated === null ? [] : [dayNumber(stated)])];
    const [first, last] = [Math.min(...ranges.map(([from]) => from)), Math.max(...ends)];
    return (day: number) => day >= first && day <= last;
  };
  const late = new Map<string, ReadonlySet<string>>(
    experiences.flatMap((experience) => {
      const loaded = ROLLUP_TABLES.flatMap((table) => rangesOf(experience, table));
      return ROLLUP_TABLES.flatMap((table) => {
        const isKnown = covers(table, experience);
        const unknown = days.filter((day) => !isKnown(day) && hasDay(loaded, day));
        return unknown.length === 0 ? [] : [[`${experience}/${table}`, new Set(unknown.map(formatDay))] as const];
      });
    }),
  );
  return {
    isWhole: (table) => experiences.every((name) => covered.every(covers(table, name))),
    lateDates: (table, experience) => late.get(`${experience}/${table}`),
    knownIn: (table, of, some = covered) => of.filter((name) => some.some(covers(table, name))),
  };
}
