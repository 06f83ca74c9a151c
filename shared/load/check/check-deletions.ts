import { daysIn, type PartitionRef, PLATFORM_ID } from '../../layout/partitions.ts';
import type { CommitState } from '../../store/commit/commits.ts';
import { readFactHeads, readManifests } from '../../store/facts/manifests.ts';
import { BATCH_GET_KEYS, inGroups } from '../../store/table/requests.ts';
import type { Table } from '../../store/table/table.ts';
import { type CellRow, checkUnique, type Place, parseRows, type RowReading } from '../listings/parse-rows.ts';
import { DELETION_COLUMNS, type DeletionRow } from '../schema/file-columns.ts';
import { formatProblem } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import type { RowFiles } from '../source/find-files.ts';
import type { PartitionDays } from './replacement.ts';

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

/** The days to be emptied that have rows before the load, of which the folder may have other rows; none if there are problems. */
export interface CheckedDeletions {
  readonly deleted: readonly PartitionDays[];
  readonly warnings: readonly string[];
}

const NO_DELETIONS: CheckedDeletions = { deleted: [], warnings: [] };

/**
 * Checks the folder's deletions file and finds the days that it names. Reads the fact heads of the advertisers that the file
 * applies to, and the manifests of the months that it names: about one read unit each.
 */
export async function checkDeletions(
  reading: RowReading,
  found: RowFiles | undefined,
  context: DeletionContext,
): Promise<CheckedDeletions> {
  if (found === undefined) return NO_DELETIONS;
  const { problems } = reading;
  const firstPlaces = new Map<Cell, Place>();
  const parsed = await parseRows(reading, found, DELETION_COLUMNS, (row, wrong, place, onInvalid) => {
    if (row.table === 'market' && row.advertiserId !== undefined)
      onInvalid('advertiserId', 'must be absent for market, which belongs to no advertiser');
    checkUnique(dayKey(row, wrong), firstPlaces, row, place, onInvalid);
  });
  const deletions: Deletions = { file: found.name, ...parsed }; // each cell was parsed by the spec that makes the type
  await checkAdvertisers(deletions, context, reading);
  if (problems.count > 0) return NO_DELETIONS;
  const rowsOf = indexRows(deletions.rows);
  const deleted = await findDeletedDays(deletions.rows, rowsOf, context);
  return { deleted, warnings: warnOfEmptyDays(deletions, rowsOf, deleted) };
}

/** @returns what may be in one row only: the day of a table, with or without an advertiser. Undefined if any other part is absent, or one is wrong. */
function dayKey({ experience, table, advertiserId, day }: CellRow, wrong: readonly string[]) {
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
  { problems }: RowReading,
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

async function findDeletedDays(
  rows: Deletions['rows'],
  rowsOf: ReturnType<typeof indexRows>,
  { table, state, advertisersWithFacts }: DeletionContext,
): Promise<PartitionDays[]> {
  const named = new Set(rows.flatMap((row) => (row.table === 'market' ? PLATFORM_ID : (row.advertiserId ?? []))));
  const isForAll = rows.some((row) => row.table !== 'market' && row.advertiserId === undefined);
  const emptied: PartitionDays[] = [];
  for (const ids of inGroups([...(isForAll ? named.union(advertisersWithFacts) : named)], BATCH_GET_KEYS)) {
    const refs: PartitionRef[] = [];
    for (const [advertiserId, head] of await readFactHeads(table, ids, state)) {
      for (const [experience, tables] of head.months) {
        for (const [factTable, months] of tables) {
          for (const month of months) refs.push({ advertiserId, experience, table: factTable, month });
        }
      }
    }
    const months = refs.filter((ref) => rowsOf(ref).length > 0);
    for (const group of inGroups(months, BATCH_GET_KEYS)) {
      for (const { ref, runs } of await readManifests(table, group, state)) {
        const days = daysIn(runs)
          .map(({ day }) => day)
          .filter((day) => rowsOf(ref, day).length > 0);
        if (days.length > 0) emptied.push({ ref, days });
      }
    }
  }
  return emptied;
}

/** Rows that name days without facts only warn, so that the same file can be loaded again. */
function warnOfEmptyDays(
  { file, rows, places }: Deletions,
  rowsOf: ReturnType<typeof indexRows>,
  emptied: readonly PartitionDays[],
): string[] {
  if (rows.length === 0) return [`${file}: no rows, so no day is emptied`];
  const emptying = new Set<number>();
  for (const { ref, days: own } of emptied) {
    for (const day of own) for (const row of rowsOf(ref, day)) emptying.add(row);
  }
  const empty = rows.flatMap((row, index) => (emptying.has(index) ? [] : [{ ...row, place: places[index] }]));
  const [first] = empty;
  if (first === undefined) return [];
  const { experience, table, day, place } = first;
  const reason = `${day} has no ${table} rows${ownerOf(first)} in ${experience}; ${empty.length} of ${rows.length} rows empty nothing`;
  return [formatProblem({ file, line: null, ...place, field: 'day', reason })];
}

/** @returns a function that returns the indexes of the rows that name a day of the month, or any of its days if `day` is absent */
function indexRows(rows: Deletions['rows']) {
  const indexes = new Map<string, number[]>();
  for (const [index, { experience, table, advertiserId = '', day = '' }] of rows.entries()) {
    for (const date of [day, day.slice(0, 'YYYY-MM'.length)]) {
      const key = `${experience}/${table}/${advertiserId}/${date}`;
      indexes.set(key, [...(indexes.get(key) ?? []), index]);
    }
  }
  return ({ experience, table, advertiserId, month }: PartitionRef, day?: number): number[] => {
    const date = day === undefined ? month : `${month}-${String(day).padStart(2, '0')}`;
    return [advertiserId, ''].flatMap((id) => indexes.get(`${experience}/${table}/${id}/${date}`) ?? []);
  };
}
