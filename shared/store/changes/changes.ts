import { formatDay } from '../../lib/calendar.ts';
import { compareText } from '../../lib/compare-text.ts';
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
  readonly from: string;
  readonly to: string;
  /** Its place among the changes of its time, which are listed in the order of this text. */
  readonly place: string;
}

/** @returns the changes after the time `at`, or of this time those after the place; up to the time `until`, ascending by time, advertiser, table and day */
export function listChangedRanges(
  logs: ReadonlyMap<number, ChangeLog>,
  { at, place, until }: { readonly at: number; readonly place?: string | undefined; readonly until: number },
): ChangedRange[] {
  const ranges = [...logs].flatMap(([advertiserId, { days }]) =>
    days.flatMap(({ ranges: own, ...entry }) =>
      own.map(([first, last]) => {
        const [from, to] = [formatDay(first), formatDay(last)];
        const order = `${String(advertiserId).padStart(16, '0')}/${entry.table}/${from}`;
        return { advertiserId, ...entry, from, to, place: order };
      }),
    ),
  );
  const isAfter = (range: ChangedRange) =>
    range.at > at || (range.at === at && place !== undefined && range.place > place);
  return ranges
    .filter((range) => isAfter(range) && range.at <= until)
    .sort((a, b) => a.at - b.at || compareText(a.place, b.place));
}
