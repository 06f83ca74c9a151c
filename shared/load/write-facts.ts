import type { RollupRef } from '../catalog/partitions.ts';
import { formatDay } from '../lib/calendar.ts';
import { forEachConcurrently, Limiter } from '../lib/concurrency.ts';
import type { CommitWriter } from '../store/commit/commits.ts';
import { type FactDay, FactWriter } from '../store/facts/fact-writer.ts';
import type { EmptiedDays } from './check-deletions.ts';
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
const NO_ROWS: FactDay = { rows: 0, columns: new Map() };

/** What a folder does to facts. */
export interface FactChanges {
  /** The days that it has. */
  readonly days: readonly DayPartition[];
  /** The days that it empties, none of them among those that it has. */
  readonly emptied: readonly EmptiedDays[];
  /** All advertisers that may have facts. */
  readonly advertiserIds: Iterable<number>;
}

/** What facts are written with. */
export interface FactWriting {
  readonly spill: Spill;
  readonly pool: LoadPool;
  readonly factWarnings: FactWarnings;
  /** The platform's. */
  readonly zone: TimeZone;
  readonly signal: AbortSignal;
}

/**
 * Writes the folder's facts: day by day, a few at once, so that a day is in memory only while it is encoded, and after the last day of an advertiser's month
 * the month's rollup.
 * @param onDays called after days with how many they are and the rows that the folder has of them
 */
export async function writeFacts(
  writer: CommitWriter,
  { days, emptied, advertiserIds }: FactChanges,
  { spill, pool, factWarnings, zone, signal }: FactWriting,
  onDays: (days: number, rows: number) => void,
): Promise<void> {
  const facts = new FactWriter(writer);
  const limiter = new Limiter(ROWS_AT_ONCE);
  await forEachConcurrently(byMonth(days, emptied), MONTHS_AT_ONCE, async (month) => {
    const rollup = new MonthRollup(month.ref);
    let changed = false;
    const writeDays = async (batch: readonly DayPartition[]) => {
      const bytes = await spill.read(batch.map((it) => it.sequence));
      const encodedDays = await pool.encode({ days: batch.map((it) => describe(it, zone)), bytes });
      await forEachConcurrently(encodedDays, pool.atOnce, async ({ table, day, encoded, rolled, findings }) => {
        const { advertiserId, experience } = month.ref;
        const order = `${month.ref.month}-${String(day).padStart(2, '0')} ${String(advertiserId).padStart(16, '0')}`;
        factWarnings.add({ experience, table, order }, findings);
        for (const [cube, rows] of rolled) rollup.addDay(cube, day, rows);
        const outcome = await facts.writeDay({ ...rollup.ref, table }, day, encoded);
        changed ||= outcome === 'written';
      });
      for (const { sequence } of batch) onDays(1, sequence.count);
    };
    await forEachConcurrently(inBatches(month.days), pool.atOnce, (batch) => {
      signal.throwIfAborted();
      return limiter.run(() => writeDays(batch), rowsOf(batch));
    });
    for (const { ref, days: ofTable } of month.emptied) {
      signal.throwIfAborted();
      for (const day of ofTable) {
        rollup.emptyDay(ref.table, day);
        const outcome = await facts.writeDay(ref, day, NO_ROWS);
        changed ||= outcome === 'written';
      }
      onDays(ofTable.length, 0);
    }
    if (changed) await rollup.write(writer, facts, pool);
  });
  await facts.finish(advertiserIds);
}

/** What changes in a month of an advertiser, in all tables of an experience. */
interface ChangedMonth {
  readonly ref: RollupRef;
  readonly days: DayPartition[];
  readonly emptied: EmptiedDays[];
}

function byMonth(days: readonly DayPartition[], emptied: readonly EmptiedDays[]): Iterable<ChangedMonth> {
  const months = new Map<string, ChangedMonth>();
  const monthOf = ({ advertiserId, experience, month }: RollupRef): ChangedMonth => {
    const key = `${advertiserId}/${experience}/${month}`;
    const found = months.get(key) ?? { ref: { advertiserId, experience, month }, days: [], emptied: [] };
    months.set(key, found);
    return found;
  };
  for (const day of days) monthOf({ ...day, month: formatDay(day.day).slice(0, 7) }).days.push(day);
  for (const ofTable of emptied) monthOf(ofTable.ref).emptied.push(ofTable);
  return months.values();
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
