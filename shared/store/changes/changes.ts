import { EXPERIENCES, FACT_TABLES } from '../../catalog/tables.ts';
import { allEnded } from '../../lib/concurrency.ts';
import type { CommitWriter, Snapshot } from '../commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../commit/encoded-tables.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { changesRef, lastChangesRef } from '../table/item-keys.ts';
import { BATCH_GET_KEYS, inGroups } from '../table/requests.ts';
import type { Table } from '../table/table.ts';
import {
  type AdvertiserChange,
  addChange,
  type ChangeLog,
  compareLists,
  decodeChangeLog,
  encodeChangeLog,
  type LoggedDays,
} from './change-log.ts';

const COLUMN = 'times';

/** Adds what the load changes to the logs of its advertisers, and of the platform. Call this at most once per load. */
export async function writeChanges(
  writer: CommitWriter,
  changes: ReadonlyMap<number, AdvertiserChange>,
): Promise<void> {
  if (changes.size === 0) return;
  const { at } = await writer.time();
  for (const ids of inGroups([...changes.keys()], BATCH_GET_KEYS)) {
    const logs = await readChangeLogs(writer.table, ids, writer.state);
    await allEnded(
      [...logs].map(([id, log]) => {
        const changed = addChange(log, at, changes.get(id) ?? {});
        return writeEncodedTable(writer, changesRef(id), encodeChangeLog(changed));
      }),
    );
  }
  const last = new Map(await readLastChanges(writer.table, writer.state));
  for (const id of changes.keys()) last.set(id, at);
  const groups = [...Map.groupBy(last.keys(), (id) => last.get(id) ?? 0)].sort(([a], [b]) => a - b);
  const columns = new Map([[COLUMN, compressJson(groups.map(([time, ids]) => [time, ids.sort((a, b) => a - b)]))]]);
  await writeEncodedTable(writer, lastChangesRef, { rows: last.size, columns });
}

/** Reads one item for all advertisers of the table: a few kilobytes of 1,000. @returns the times of the last changes, by advertiser (PLATFORM_ID: of what all may see) */
export async function readLastChanges(table: Table, snapshot: Snapshot): Promise<ReadonlyMap<number, number>> {
  const [stored] = await readEncodedTables(table, [lastChangesRef], snapshot);
  const bytes = stored?.columns.get(COLUMN);
  const groups: unknown = bytes === undefined ? [] : decompressJson(bytes, 'the times of changes');
  if (!Array.isArray(groups)) throw new Error('the times of changes are not a list');
  return new Map(groups.flatMap(([time, ids]: [unknown, unknown[]]) => ids.map((id) => [Number(id), Number(time)])));
}

/** @returns the logs of all the advertisers; empty ones of those without changes */
export async function readChangeLogs(
  table: Table,
  advertiserIds: readonly number[],
  snapshot: Snapshot,
): Promise<ReadonlyMap<number, ChangeLog>> {
  const stored = await readEncodedTables(table, advertiserIds.map(changesRef), snapshot);
  return new Map(advertiserIds.map((id, index) => [id, decodeChangeLog(stored[index])]));
}

/** Consecutive days of an advertiser that one load was the last to change. */
export interface ChangedRange extends Omit<LoggedDays, 'ranges'> {
  readonly advertiserId: number;
  readonly from: number;
  readonly to: number;
}

/** Where a list of changes begins, or goes on. */
export interface ChangePosition {
  /** Changes at this time were listed up to `last`, or all of them. */
  readonly at: number;
  readonly last?: readonly number[] | undefined;
}

/** @returns the position of the change among those of its time */
export const placeOf = ({ advertiserId, experience, table, from }: ChangedRange): readonly number[] => [
  advertiserId,
  EXPERIENCES.indexOf(experience) * FACT_TABLES.length + FACT_TABLES.indexOf(table),
  from,
];

/** @returns the changes after the position, up to the time `until`, ascending by time, advertiser, table and day */
export function listChangedRanges(
  logs: ReadonlyMap<number, ChangeLog>,
  { at, last }: ChangePosition,
  until: number,
): ChangedRange[] {
  const ranges = [...logs].flatMap(([advertiserId, { days }]) =>
    days
      .filter((own) => own.at <= until && (last === undefined ? own.at > at : own.at >= at))
      .flatMap(({ ranges: of, ...own }) => of.map(([from, to]) => ({ advertiserId, ...own, from, to }))),
  );
  const listed = ranges.filter((range) => range.at > at || compareLists(placeOf(range), last ?? []) > 0);
  return listed.sort((a, b) => a.at - b.at || compareLists(placeOf(a), placeOf(b)));
}
