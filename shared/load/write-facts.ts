import { formatDay } from '../calendar.ts';
import type { CommitWriter } from '../store/commits.ts';
import { finishPartitions, writeFactDay } from '../store/facts.ts';
import { Budget, forEachAtOnce } from './at-once.ts';
import type { DecodeKey, StoredKey } from './key-codes.ts';
import type { LoadPool } from './load-pool.ts';
import { MonthRollup } from './roll-up-month.ts';
import type { Spill } from './spill.ts';
import { type DayPartition, readDay } from './spill-facts.ts';

/** While one month is rolled up, the days of the next keep the threads busy. */
const MONTHS_AT_ONCE = 2;
/** A row under way takes some 500 bytes. */
const ROWS_AT_ONCE = 500_000;

/** What facts are written with. */
export interface FactWriting {
  readonly spill: Spill;
  readonly pool: LoadPool;
  readonly decoders: Readonly<Record<StoredKey, DecodeKey>>;
  readonly signal: AbortSignal;
}

/**
 * Writes the folder's facts: day by day, a few at once, so that a day is in memory only while it is encoded, and after the last day of an advertiser's month
 * the month's rollup.
 * @param onDay called after each day with the rows that the folder has of it
 */
export async function writeFacts(
  writer: CommitWriter,
  days: readonly DayPartition[],
  writing: FactWriting,
  onDay: (rows: number) => void,
): Promise<void> {
  const { spill, pool, decoders, signal } = writing;
  const months = Map.groupBy(days, ({ advertiserId, experience, day }) => {
    return `${advertiserId}/${experience}/${formatDay(day).slice(0, 7)}`;
  });
  const underWay = new Budget(ROWS_AT_ONCE);
  await forEachAtOnce(months.values(), MONTHS_AT_ONCE, async (ofMonth) => {
    const [first] = ofMonth;
    if (first === undefined) return;
    const month = formatDay(first.day).slice(0, 7);
    const rollup = new MonthRollup({ advertiserId: first.advertiserId, experience: first.experience, month });
    let changed = false;
    const writeDay = async ({ table, day: dayNumber, sequence }: DayPartition) => {
      const day = Number(formatDay(dayNumber).slice(8));
      const spilled = await readDay({ table, sequence }, spill, decoders);
      const { encoded, rolled } = await pool.encode({ table, day, spilled });
      for (const [cube, facts] of rolled) rollup.addDay(cube, day, facts);
      const outcome = await writeFactDay(writer, { ...rollup.ref, table }, day, encoded);
      changed ||= outcome === 'written';
      onDay(spilled.rows);
    };
    await forEachAtOnce(ofMonth, pool.atOnce, (day) => {
      signal.throwIfAborted();
      return underWay.run(day.sequence.count, () => writeDay(day));
    });
    if (changed) await rollup.write(writer, pool);
  });
  await finishPartitions(writer);
}
