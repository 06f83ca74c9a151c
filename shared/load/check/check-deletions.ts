import { type PartitionRef, PLATFORM_ID } from '../../catalog/partitions.ts';
import type { CommitState } from '../../store/commit/commits.ts';
import { readFactHeads, readManifests } from '../../store/facts/manifests.ts';
import { BATCH_GET_KEYS, inGroups } from '../../store/table/requests.ts';
import type { Table } from '../../store/table/table.ts';
import { DELETION_COLUMNS, type DeletionRow } from '../schema/file-columns.ts';
import { formatProblem, type Problems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import type { RowFiles } from '../source/find-files.ts';
import {
  type CellRow,
  checkUnique,
  type Place,
  parseRows,
  type RowCheck,
  type RowReading,
  type UniqueKey,
} from './parse-rows.ts';
import type { PartitionDays } from './replacement.ts';

export interface CheckedDeletions {
  /** The days that the file names and that have rows before the load. The folder may have other rows of them. */
  readonly deleted: readonly PartitionDays[];
  readonly warnings: readonly string[];
}

/** The state that a deletions file is checked against. */
interface DeletionContext {
  readonly table: Table;
  readonly state: CommitState;
  /** Undefined if the file of the advertisers is damaged. */
  readonly listedAdvertisers: ReadonlySet<number> | undefined;
  /** All advertisers that may have facts, listed or not. */
  readonly advertisersWithFacts: ReadonlySet<number>;
}

/** The rows of a deletions file. Wrong values are missing from their rows, and reported as problems. */
interface Deletions {
  readonly file: string;
  readonly rows: readonly Partial<DeletionRow>[];
  readonly places: readonly Place[];
}

const NOTHING: CheckedDeletions = { deleted: [], warnings: [] };

/**
 * Checks the folder's deletions file and finds the days that it names. Reads the fact heads of the advertisers that the file
 * applies to, and the manifests of the months that it names: about one read unit each.
 * @returns the days; none if there are problems
 */
export async function checkDeletions(
  reading: RowReading,
  found: RowFiles,
  context: DeletionContext,
): Promise<CheckedDeletions> {
  const { problems } = reading;
  const firstPlaces = new Map<Cell, Place>();
  const check: RowCheck = (row, wrong, place, onInvalid) => {
    checkRow(row, onInvalid);
    checkUnique(dayKey(row, wrong), firstPlaces, row, place, onInvalid);
  };
  const { rows: cells, places } = await parseRows(reading, found, DELETION_COLUMNS, check);
  const rows: readonly Partial<DeletionRow>[] = cells; // each cell was parsed by the spec that makes the type
  const deletions = { file: found.name, rows, places };
  await checkAdvertisers(deletions, context, problems);
  const days = new DeletedDays(rows);
  if (problems.count > 0) return NOTHING;
  const deleted = await findDeletedDays(days, context);
  return { deleted, warnings: warnOfEmptyDays(deletions, days, deleted) };
}

function checkRow({ table, advertiserId }: CellRow, onInvalid: (field: string, reason: string) => void): void {
  if (table === 'market' && advertiserId !== undefined) {
    onInvalid('advertiserId', 'must be absent for market, which belongs to no advertiser');
  }
}

/** @returns what may be in one row only: the day of a table, with or without an advertiser. Undefined if any other part is absent, or one is wrong. */
function dayKey({ experience, table, advertiserId, day }: CellRow, wrong: readonly string[]): UniqueKey | undefined {
  if (experience === undefined || table === undefined || day === undefined) return undefined;
  if (wrong.includes('advertiserId')) return undefined;
  const owner = advertiserId === undefined ? 'without advertiserId' : `with advertiserId ${advertiserId}`;
  const text = `${day} of ${experience} ${table} ${owner}`;
  return { field: 'day', key: text, text };
}

/** An advertiser that is no longer listed may have facts to be deleted; if it has none, it is a mistake. */
async function checkAdvertisers(
  { file, rows, places }: Deletions,
  { table, state, listedAdvertisers, advertisersWithFacts }: DeletionContext,
  problems: Problems,
): Promise<void> {
  if (listedAdvertisers === undefined) return;
  const isKnown = (id: number) => listedAdvertisers.has(id) || advertisersWithFacts.has(id);
  const unlisted = new Set(rows.flatMap(({ advertiserId: id }) => (id === undefined || isKnown(id) ? [] : [id])));
  const heads = await readFactHeads(table, [...unlisted], state);
  for (const [index, { advertiserId: id }] of rows.entries()) {
    if (id === undefined || !unlisted.has(id) || heads.has(id)) continue;
    const reason = `${id} is not among the advertisers and has no facts`;
    problems.add({ file, line: null, ...places[index], field: 'advertiserId', reason });
  }
}

/** @returns the owner of the rows, for messages; market has none */
function ownerOf({ table, advertiserId }: Partial<DeletionRow>): string {
  return table === 'market' || advertiserId === undefined ? '' : ` of advertiser ${advertiserId}`;
}

async function findDeletedDays(days: DeletedDays, context: DeletionContext): Promise<PartitionDays[]> {
  const { table, state, advertisersWithFacts } = context;
  const emptied: PartitionDays[] = [];
  for (const ids of inGroups(days.advertiserIds(advertisersWithFacts), BATCH_GET_KEYS)) {
    const refs: PartitionRef[] = [];
    for (const [advertiserId, head] of await readFactHeads(table, ids, state)) {
      for (const [experience, tables] of head.months) {
        for (const [factTable, months] of tables) {
          for (const month of months) refs.push({ advertiserId, experience, table: factTable, month });
        }
      }
    }
    const named = refs.filter((ref) => days.hasMonth(ref));
    for (const group of inGroups(named, BATCH_GET_KEYS)) {
      for (const { ref, days: stored } of await readManifests(table, group, state)) {
        const namedDays = stored.map(({ day }) => day).filter((day) => days.has(ref, day));
        if (namedDays.length > 0) emptied.push({ ref, days: namedDays });
      }
    }
  }
  return emptied;
}

/** Rows that name days without facts only warn, so that the same file can be loaded again. */
function warnOfEmptyDays(
  { file, rows, places }: Deletions,
  days: DeletedDays,
  emptied: readonly PartitionDays[],
): string[] {
  if (rows.length === 0) return [`${file}: no rows, so no day is emptied`];
  const emptying = new Set<number>();
  for (const { ref, days: own } of emptied) {
    for (const day of own) for (const row of days.rowsOf(ref, day)) emptying.add(row);
  }
  const empty = rows.flatMap((row, index) => (emptying.has(index) ? [] : [{ ...row, place: places[index] }]));
  const [first] = empty;
  if (first === undefined) return [];
  const { experience, table, day, place } = first;
  const reason = `${day} has no ${table} rows${ownerOf(first)} in ${experience}; ${empty.length} of ${rows.length} rows empty nothing`;
  return [formatProblem({ file, line: null, ...place, field: 'day', reason })];
}

/** The days that a deletions file names, by the partitions they are in. */
class DeletedDays {
  readonly #rows: readonly Partial<DeletionRow>[];
  /** The index of the first row by partition and day. The key of a row without an advertiser has no id. */
  readonly #days = new Map<string, number>();
  readonly #months = new Set<string>();

  /** @param rows rows without an experience, table or day are ignored */
  constructor(rows: readonly Partial<DeletionRow>[]) {
    this.#rows = rows;
    for (const [index, { experience, table, advertiserId, day }] of rows.entries()) {
      if (experience === undefined || table === undefined || day === undefined) continue;
      const month = keyOf({ experience, table, month: day.slice(0, 7) }, advertiserId);
      this.#months.add(month);
      const key = `${month}${day.slice(7)}`;
      if (!this.#days.has(key)) this.#days.set(key, index);
    }
  }

  /**
   * @param all the advertisers that a row without an advertiser applies to
   * @returns the advertisers (`PLATFORM_ID` for market) whose days may be named
   */
  advertiserIds(all: Iterable<number>): number[] {
    const ids = new Set<number>();
    let isForAll = false;
    for (const { table, advertiserId } of this.#rows) {
      if (table === 'market') ids.add(PLATFORM_ID);
      else if (advertiserId !== undefined) ids.add(advertiserId);
      else isForAll = true;
    }
    return [...(isForAll ? ids.union(new Set(all)) : ids)];
  }

  /** @returns whether a day of the partition is named */
  hasMonth(ref: PartitionRef): boolean {
    return this.#months.has(keyOf(ref, ref.advertiserId)) || this.#months.has(keyOf(ref, undefined));
  }

  /** @param day of the month. @returns whether a row names the day */
  has(ref: PartitionRef, day: number): boolean {
    return this.rowsOf(ref, day).length > 0;
  }

  /**
   * @param day of the month
   * @returns the indexes of the rows that name the day: at most one for its advertiser and one for every advertiser
   */
  rowsOf(ref: PartitionRef, day: number): number[] {
    const suffix = `-${String(day).padStart(2, '0')}`;
    return [ref.advertiserId, undefined].flatMap((id) => this.#days.get(`${keyOf(ref, id)}${suffix}`) ?? []);
  }
}

function keyOf(
  { experience, table, month }: Omit<PartitionRef, 'advertiserId'>,
  advertiserId: number | undefined,
): string {
  return `${experience}/${table}/${advertiserId ?? ''}/${month}`;
}
