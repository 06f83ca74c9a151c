import { formatDay } from '../calendar.ts';
import { encodeDay } from '../columns/build-day.ts';
import type { CommitWriter } from '../store/commits.ts';
import { finishPartitions, writeFactDay } from '../store/facts.ts';
import type { KeyCoder, StoredKey } from './key-codes.ts';
import { MonthRollup } from './roll-up-month.ts';
import type { Spill } from './spill.ts';
import { type DayPartition, readDay } from './spill-facts.ts';

/**
 * Writes the folder's facts: day by day, so that a day is in memory only while it is encoded, and after the last day of an advertiser's month
 * the month's rollup.
 * @param onDay called after each day with the rows that the folder has of it
 */
export async function writeFacts(
  writer: CommitWriter,
  days: readonly DayPartition[],
  spill: Spill,
  coders: Readonly<Record<StoredKey, KeyCoder>>,
  signal: AbortSignal,
  onDay: (rows: number) => void,
): Promise<void> {
  const months = Map.groupBy(days, ({ advertiserId, experience, day }) => {
    return `${advertiserId}/${experience}/${formatDay(day).slice(0, 7)}`;
  });
  for (const ofMonth of months.values()) {
    const [first] = ofMonth;
    if (first === undefined) continue;
    const month = formatDay(first.day).slice(0, 7);
    const rollup = new MonthRollup({ advertiserId: first.advertiserId, experience: first.experience, month });
    let changed = false;
    for (const partition of ofMonth) {
      signal.throwIfAborted();
      const day = Number(formatDay(partition.day).slice(8));
      const facts = await readDay(partition, spill, coders);
      const ref = { ...rollup.ref, table: partition.table };
      const outcome = await writeFactDay(writer, ref, day, encodeDay(partition.table, facts));
      rollup.addDay(partition.table, day, facts);
      changed ||= outcome === 'written';
      onDay(facts.rows);
    }
    if (changed) await rollup.write(writer);
  }
  await finishPartitions(writer);
}
