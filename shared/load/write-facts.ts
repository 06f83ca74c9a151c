import { formatDay } from '../calendar.ts';
import type { CommitWriter } from '../store/commits.ts';
import { finishPartitions, writeFactDay } from '../store/facts.ts';
import { Budget, forEachAtOnce } from './at-once.ts';
import type { SpilledDay } from './encode-spilled.ts';
import type { FactWarnings } from './fact-warnings.ts';
import type { LoadPool } from './load-pool.ts';
import { MonthRollup } from './roll-up-month.ts';
import type { Spill } from './spill.ts';
import type { DayPartition } from './spill-facts.ts';
import type { TimeZone } from './time-zone.ts';

/** While one month is rolled up, the days of the next keep the threads busy. */
const MONTHS_AT_ONCE = 2;
/** A row under way takes some 500 bytes. */
const ROWS_AT_ONCE = 500_000;
/** Small days are handed to a thread together, up to so many rows: what a message costs is then little beside the work. */
const BATCH_ROWS = 8_000;

/** What facts are written with. */
export interface FactWriting {
  readonly spill: Spill;
  readonly pool: LoadPool;
  readonly factWarnings: FactWarnings;
  /** The platform's. */
  readonly zone: TimeZone;
  readonly signal: AbortSignal;
  /** All advertisers that may have facts. */
  readonly advertiserIds: Iterable<number>;
}

/**
 * Writes the folder's facts: day by day, a few at once, so that a day is in memory only while it is encoded, and after the last day of an advertiser's month
 * the month's rollup.
 * @param onDay called after each day with the rows that the folder has of it
 */
export async function writeFacts(
  writer: CommitWriter,
  days: readonly DayPartition[],
  { spill, pool, factWarnings, zone, signal, advertiserIds }: FactWriting,
  onDay: (rows: number) => void,
): Promise<void> {
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
    const writeDays = async (batch: readonly DayPartition[]) => {
      const bytes = await spill.read(batch.map((it) => it.sequence));
      const encodedDays = await pool.encode({ days: batch.map((it) => describe(it, zone)), bytes });
      await forEachAtOnce(encodedDays, pool.atOnce, async ({ table, day, encoded, rolled, findings }) => {
        const order = `${month}-${String(day).padStart(2, '0')} ${String(first.advertiserId).padStart(16, '0')}`;
        factWarnings.add({ experience: first.experience, table, order }, findings);
        for (const [cube, rows] of rolled) rollup.addDay(cube, day, rows);
        const outcome = await writeFactDay(writer, { ...rollup.ref, table }, day, encoded);
        changed ||= outcome === 'written';
      });
      for (const { sequence } of batch) onDay(sequence.count);
    };
    await forEachAtOnce(inBatches(ofMonth), pool.atOnce, (batch) => {
      signal.throwIfAborted();
      return underWay.run(rowsOf(batch), () => writeDays(batch));
    });
    if (changed) await rollup.write(writer, pool);
  });
  await finishPartitions(writer, advertiserIds);
}

function describe({ table, day, sequence }: DayPartition, zone: TimeZone): SpilledDay {
  const date = formatDay(day);
  const spilled = { table, day: Number(date.slice(8)), rows: sequence.count, length: sequence.length };
  return table === 'activity' ? { ...spilled, activity: { date, secondsOfHours: zone.secondsOfHours(day) } } : spilled;
}

/** @returns the days in their order, as many together as stay within `BATCH_ROWS`; a larger day is by itself. */
function inBatches(days: readonly DayPartition[]): DayPartition[][] {
  const batches: DayPartition[][] = [];
  let batch: DayPartition[] = [];
  for (const day of days) {
    if (rowsOf(batch) + day.sequence.count > BATCH_ROWS) batch = [];
    if (batch.length === 0) batches.push(batch);
    batch.push(day);
  }
  return batches;
}

function rowsOf(days: readonly DayPartition[]): number {
  return days.reduce((sum, { sequence }) => sum + sequence.count, 0);
}
