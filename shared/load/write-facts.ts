import { formatDay } from '../calendar.ts';
import { encodeDay } from '../columns/build-day.ts';
import type { CommitWriter } from '../store/commits.ts';
import { finishPartitions, writeFactDay } from '../store/facts.ts';
import type { KeyCoder, StoredKey } from './key-codes.ts';
import type { Spill } from './spill.ts';
import { type DayPartition, readDay } from './spill-facts.ts';

/**
 * Writes each day of the folder's facts, one after another: a day is in memory only while it is encoded.
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
  for (const partition of days) {
    signal.throwIfAborted();
    const { advertiserId, experience, table, day } = partition;
    const date = formatDay(day);
    const facts = await readDay(partition, spill, coders);
    const ref = { advertiserId, experience, table, month: date.slice(0, 7) };
    await writeFactDay(writer, ref, Number(date.slice(8)), encodeDay(table, facts));
    onDay(facts.rows);
  }
  await finishPartitions(writer);
}
