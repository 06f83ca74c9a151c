import { FACT_TABLES } from '../../catalog/tables.ts';
import { daysOfRanges } from '../../layout/day-ranges.ts';
import type { LoadedDays } from '../../layout/partitions.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { ReadFacts } from '../encode/read-facts.ts';
import { MAX_EXAMPLES } from '../schema/problems.ts';
import type { PartitionDays } from './replacement.ts';

/** Nightly loads of one table may reach over all of its first days: a table that a folder does not have is missed from this number of stored days on. */
const MIN_DAYS_OF_ABSENT = 8;

/**
 * Finds stored days that an export lacks, so that they stay as they were. If the folder's facts of an experience reach from the first to the last stored day of a
 * table and have most of the days, these are all days of the table, also if the folder does not have the table. Else these are days between those that the
 * folder has of the table, if it has most of them. Nightly loads of the last days, and corrections of some days, lack nothing.
 * @param stored the days before the load, of any advertiser
 * @returns a warning for each table
 */
export function warnOfLackingDays(
  facts: readonly ReadFacts[],
  stored: LoadedDays,
  deleted: readonly PartitionDays[],
): string[] {
  const emptied = new Set(
    deleted.flatMap(({ ref, days }) =>
      days.map((day) => `${ref.experience} ${ref.table} ${ref.month}-${String(day).padStart(2, '0')}`),
    ),
  );
  return [...stored].flatMap(([experience, tables]) => {
    const ofExperience = facts.filter((read) => read.experience === experience);
    const all = new Set(ofExperience.flatMap(({ partitions }) => [...partitions.dayNumbers()]));
    return FACT_TABLES.flatMap((table) => {
      const before = daysOfRanges(tables.get(table) ?? []);
      const own = ofExperience.find((read) => read.table === table)?.partitions.dayNumbers() ?? new Set();
      const between = (days: ReadonlySet<number>) => {
        const [first, last] = [Math.min(...days), Math.max(...days)];
        return before.filter((day) => day >= first && day <= last);
      };
      const minDays = own.size === 0 ? MIN_DAYS_OF_ABSENT : 2;
      const isWhole = before.length >= minDays && between(all).length === before.length && all.size > before.length / 2;
      const expected = isWhole ? before : between(own);
      const lacking = expected.filter((day) => !own.has(day));
      if (!isWhole && lacking.length >= own.size) return [];
      const stay = lacking.map(formatDay).filter((date) => !emptied.has(`${experience} ${table} ${date}`));
      if (stay.length === 0) return [];
      const more = stay.length > MAX_EXAMPLES ? `, and ${stay.length - MAX_EXAMPLES} more` : '';
      const examples = stay.slice(0, MAX_EXAMPLES).join(', ');
      return [
        `facts/${experience}/${table}*: no rows of ${examples}${more} in this folder: what is stored of them stays`,
      ];
    });
  });
}
