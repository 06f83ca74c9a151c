import { hasMeaning } from '../../catalog/rules.ts';
import { type DayColumn, fileMeasuresOf, isKeyIn, keyIn, TABLE_KEYS } from '../../catalog/tables.ts';
import type { FactRows } from '../../columns/build-day.ts';
import { type BuiltDay, decodeDays, EMPTY_DAY } from '../../columns/runs.ts';
import { hasDay } from '../../layout/day-ranges.ts';
import type { FactHead, MonthRef, PartitionRef } from '../../layout/partitions.ts';
import { ROLLUP_TABLES } from '../../layout/rollup-keys.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import { CONCURRENCY, forEachConcurrently, Limiter } from '../../lib/concurrency.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import { FactWriter } from '../../store/facts/fact-writer.ts';
import { readFactHeads } from '../../store/facts/manifests.ts';
import { readRuns } from '../../store/facts/read-runs.ts';
import type { Table } from '../../store/table/table.ts';
import type { PartitionDays } from '../check/replacement.ts';
import type { CodingPool } from '../encode/coding-pool.ts';
import { encodeDay } from '../encode/encode-day.ts';
import type { DayPartition, Spill } from '../encode/spill.ts';
import { factColumns } from '../schema/fact-columns.ts';
import type { DayContent, StoredBefore, WrittenDay } from './day-change.ts';
import { DayChanges } from './day-changes.ts';
import { MonthDraft } from './roll-up-month.ts';
import { ShardRollups } from './shard-rollups.ts';

/** Fact rows of the months that are written at the same time; a month of more is written alone, because its rows and shoppers are in memory. */
const ROWS_IN_PROGRESS = 2_000_000;
/** Days of fewer rows are encoded on the calling thread, because passing them to another takes longer. */
const MIN_ROWS_FOR_THREADS = 1_000;

/** What a folder does to facts. */
interface FactChanges {
  readonly days: readonly DayPartition[];
  /** The days that it empties, none of them among those that it has. */
  readonly emptied: readonly PartitionDays[];
  /** Whether a day keeps the hours that the folder does not have of it. */
  readonly keepsHours: (ref: PartitionRef, day: number) => boolean;
  /** Whether a day may lose rows without a warning. */
  readonly mayShrink: (ref: PartitionRef, day: number) => boolean;
  /** Whether a new day, a day number, may lack rows without a warning. */
  readonly mayGrow: (day: number) => boolean;
  /** The hours of a day number that clocks repeat, of which the folder may have one of two only. */
  readonly repeatedHours: (day: number) => readonly number[];
}

const NO_CONTENT: DayContent = {
  ...{ impressions: 0, valued: [], multiplied: [], unmeasured: [], ceased: [] },
  ...{ isMixed: false, isPartial: false, isHalf: false },
};

/** What facts are written with. */
export interface FactWriting {
  readonly spill: Spill;
  readonly pool: CodingPool;
  readonly signal: AbortSignal;
}

/**
 * Writes the folder's facts: the days, several concurrently, and after the last day of an advertiser's month its rollup.
 * @param onDays called whenever days are done, changed or not, with their number and the rows that the folder has of them
 * @returns the days that have changed
 */
export async function writeFacts(
  writer: CommitWriter,
  { days, emptied, keepsHours, mayShrink, mayGrow, repeatedHours }: FactChanges,
  { spill, pool, signal }: FactWriting,
  onDays: (days: number, rows: number) => void,
): Promise<DayChanges> {
  const changes = new DayChanges();
  const factWriter = new FactWriter(writer);
  const shardRollups = new ShardRollups();
  const encoding = new Limiter(pool.concurrency);
  const encode = (
    { table, day, sequence, unmeasured }: DayPartition,
    entry: StoredBefore | undefined,
    ref: PartitionRef,
  ) =>
    encoding.run(async () => {
      signal.throwIfAborted();
      const { rows } = sequence;
      const stored = entry && (await readDay(writer.table, ref, entry));
      const facts = { table, day, rows, blocks: await spill.read(sequence), stored, unmeasured };
      return rows < MIN_ROWS_FOR_THREADS ? encodeDay(facts) : pool.encode(facts);
    });
  const keysOfLoad = keysWithValues(days);
  const months = new Limiter(ROWS_IN_PROGRESS);
  const writeMonth = async (month: ChangedMonth, head: FactHead | undefined) => {
    signal.throwIfAborted();
    const draft = new MonthDraft(month.ref, head);
    const written: WrittenDay[] = [];
    const storedDay = async (ref: PartitionRef, day: number) =>
      (await factWriter.runsOf(ref))
        .flatMap((run) => run.days.map((stored) => ({ ...stored, run })))
        .find((stored) => stored.day === day);
    const writeDay = async (ref: PartitionRef, day: number, after: BuiltDay, content: DayContent) => {
      const before = await storedDay(ref, day);
      const outcome = await factWriter.writeDay(ref, day, after);
      if (outcome === 'unchanged') return;
      const { rows, hours } = after;
      const number = dayNumber(`${ref.month}-01`) + day - 1;
      const allowed = { mayShrink: mayShrink(ref, day), mayGrow: mayGrow(number) };
      written.push({ ref, day, before, rows, hours, ...content, ...allowed });
    };
    await forEachConcurrently(month.days, CONCURRENCY, async (partition) => {
      const { table, sequence } = partition;
      const day = Number(formatDay(partition.day).slice(8));
      const ref = { ...month.ref, table };
      const before = keepsHours(ref, day) ? await storedDay(ref, day) : undefined;
      const { built, rolled, impressions, valued, multiplied, replacedHours } = await encode(partition, before, ref);
      if (rolled !== undefined) draft.addDay(table, day, rolled);
      const isMixed = before?.hours === 0;
      const isPartial = before !== undefined && hasOtherMeasures(partition, before);
      await writeDay(ref, day, built, {
        impressions,
        valued,
        multiplied,
        unmeasured: partition.unmeasured,
        ceased: ceasedIn(partition, head, keysOfLoad),
        isMixed,
        isPartial,
        isHalf: replacedHours.some((hour) => repeatedHours(partition.day).includes(hour)),
      });
      onDays(1, sequence.rows);
    });
    for (const { ref, days: ofTable } of month.emptied) {
      signal.throwIfAborted();
      for (const day of ofTable) {
        if (ROLLUP_TABLES.includes(ref.table)) draft.addDay(ref.table, day, undefined);
        await writeDay(ref, day, EMPTY_DAY, NO_CONTENT);
      }
      onDays(ofTable.length, 0);
    }
    const outcome = await draft.write(writer, factWriter, written.length > 0);
    if (outcome !== 'unchanged') shardRollups.add(month.ref, outcome);
    await changes.add(writer.table, draft, written);
    await factWriter.closeMonth(month.ref);
  };
  let last: { readonly advertiserId: number; readonly heads: ReturnType<typeof readFactHeads> } | undefined;
  await forEachConcurrently(byMonth(days, emptied), CONCURRENCY, async (month) => {
    const { advertiserId } = month.ref;
    if (last?.advertiserId !== advertiserId) {
      last = { advertiserId, heads: readFactHeads(writer.table, [advertiserId], writer.state) }; // consecutive months are mostly of one advertiser
    }
    const head = (await last.heads).get(advertiserId);
    const rows = month.days.reduce((sum, { sequence }) => sum + sequence.rows, 0);
    await months.run(() => writeMonth(month, head), Math.min(rows, ROWS_IN_PROGRESS));
  });
  await shardRollups.write(writer, await factWriter.finish());
  return changes;
}

/** @returns whether the folder has a measure of the day that the stored hours lack, or the reverse */
function hasOtherMeasures({ experience, table, unmeasured }: DayPartition, { run }: StoredBefore): boolean {
  const measures = fileMeasuresOf(table).filter((measure) => hasMeaning(measure, experience));
  return measures.some((measure) => run.columns.has(measure) === unmeasured.includes(measure));
}

/** @returns the keys of the load's facts that have values, each as `<experience>/<key>` */
function keysWithValues(days: readonly DayPartition[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [table, ofTable] of Map.groupBy(days, (day) => day.table)) {
    for (const [experience, own] of Map.groupBy(ofTable, (day) => day.experience)) {
      const bits = own.reduce((all, { valued }) => all | valued, 0n);
      for (const [at, column] of factColumns(table).entries())
        if (column.role === 'key' && (bits >> BigInt(at)) % 2n === 1n) found.add(`${experience}/${column.key}`);
    }
  }
  return found;
}

/**
 * @param valued what `keysWithValues` returns
 * @returns the keys that the day is the first of the table to lack, of those that the load or the advertiser's stored facts have; and the measures that a day of
 * delivery lacks, and the latest stored day, which is before it, has
 */
function ceasedIn(
  { experience, table, day, unmeasured }: DayPartition,
  head: FactHead | undefined,
  valued: ReadonlySet<string>,
): DayColumn[] {
  const lacking = head?.unmeasured?.get(experience);
  const tables = [...(head?.months.get(experience)?.keys() ?? [])];
  const keys = TABLE_KEYS[table].flatMap((key): DayColumn[] => {
    const name = keyIn(table, key);
    const isStored = tables.some((of) => TABLE_KEYS[of].includes(key) && !lacking?.has(keyIn(of, key)));
    const isNew = !lacking?.has(name) && (isStored || valued.has(`${experience}/${key}`));
    return isNew && unmeasured.includes(name) ? [name] : [];
  });
  const date = head?.latestDelivery.get(experience);
  const latest = date === undefined ? day : dayNumber(date);
  if (table !== 'delivery' || latest >= day) return keys;
  const isStored = (name: DayColumn) => !hasDay(lacking?.get(name) ?? [], latest);
  const measures = unmeasured.filter((name) => !isKeyIn(table, name) && hasMeaning(name, experience) && isStored(name));
  return [...keys, ...measures];
}

/** @returns the rows of a stored day */
async function readDay(table: Table, ref: PartitionRef, { day, run }: StoredBefore): Promise<FactRows | undefined> {
  const [read] = await Array.fromAsync(readRuns(table, [{ ref, runs: [run], columns: [...run.columns.keys()] }]));
  return read && decodeDays(read).get(day);
}

/** What changes in a month of an advertiser, in all tables of an experience. */
interface ChangedMonth {
  readonly ref: MonthRef;
  readonly days: DayPartition[];
  readonly emptied: PartitionDays[];
}

function byMonth(days: readonly DayPartition[], emptied: readonly PartitionDays[]): Iterable<ChangedMonth> {
  const months = new Map<string, ChangedMonth>();
  const monthOf = ({ advertiserId, experience, month }: MonthRef): ChangedMonth => {
    const key = `${advertiserId}/${experience}/${month}`;
    const found = months.get(key) ?? { ref: { advertiserId, experience, month }, days: [], emptied: [] };
    months.set(key, found);
    return found;
  };
  for (const day of days) monthOf({ ...day, month: formatDay(day.day).slice(0, 7) }).days.push(day);
  for (const ofTable of emptied) monthOf(ofTable.ref).emptied.push(ofTable);
  return months.values();
}
