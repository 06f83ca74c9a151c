import { expect } from 'vitest';
import { TABLE_MEASURES } from '../../../shared/catalog/tables.ts';
import type { FactRows } from '../../../shared/columns/build-day.ts';
import { unpackTables } from '../../../shared/columns/rollup-tables.ts';
import { packOf } from '../../../shared/columns/runs.ts';
import type { MonthRef, Rollups, ShardRef } from '../../../shared/layout/partitions.ts';
import { type Grain, OF_ADVERTISER, OF_SHARD, ROLLUP_TABLES } from '../../../shared/layout/rollup-keys.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import { type Clock, systemClock } from '../../../shared/lib/clock.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { readOf, rollupChunkKeys, type StoredRollup } from '../../../shared/store/facts/stored-rollups.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import type { TestTable } from '../../support/table.ts';
import { loadRows } from '../support/load-rows.ts';
import { type FolderRows, NETWORK } from '../support/network-rows.ts';
import { addUnidentified, omitEmpty, type Row, readDays, readPartitions } from '../support/read-stored-network.ts';

export const openSource = async (table: Table) => openSegmentSource(table, await readCommit(table));

export const load = async (table: Table, rows: FolderRows, clock: Clock = systemClock) => {
  const { outcome, problems } = await loadRows(rows, table, { clock });
  expect(problems).toEqual([]);
  return outcome;
};

/** Expects that the rollups of the advertisers, and those of the shards that they are in, have the sums of their stored days. */
export async function checkRollups(source: SegmentSource, advertiserIds: readonly number[], place = ''): Promise<void> {
  const days = await readDays(source, advertiserIds);
  const heads = [...(await source.factHeads(advertiserIds)).values()];
  const rollups = await readRollups(
    source,
    OF_ADVERTISER,
    heads.flatMap(({ advertiserId, rollups }) => rollupsOf({ advertiserId }, rollups)),
  );
  expect(sorted(rollups), `${place} rollups`).toEqual(sorted(sumDays(days, 'ad_group_id')));
  const shards = (await source.advertiserShards()).flatMap(({ shard, rollups }) => rollupsOf({ shard }, rollups));
  expect(sorted(await readRollups(source, OF_SHARD, shards)), `${place} shards`).toEqual(
    sorted(sumDays(days, 'advertiser')),
  );
}

/** @returns the rollups of an advertiser or shard */
function rollupsOf<Owner extends { advertiserId: number } | { shard: number }>(
  owner: Owner,
  rollups: Rollups = new Map(),
) {
  return [...rollups].flatMap(([experience, months]) =>
    [...months].map(([month, entry]) => ({ ref: { ...owner, experience, month }, entry })),
  );
}

/** @returns the rows of the rollups, by experience and table */
async function readRollups(source: SegmentSource, grain: Grain, stored: readonly StoredRollup<MonthRef | ShardRef>[]) {
  const found: Record<string, Row[]> = {};
  for await (const { read, encoded } of source.rollups(stored.map(readOf))) {
    const { experience, month } = read.ref;
    const tables = unpackTables(grain, encoded, month);
    expect(new Map([...tables].map(([table, { rows }]) => [table, rows]))).toEqual(read.entry.rows);
    for (const [table, facts] of tables) {
      found[`${experience} ${table}`] ??= [];
      found[`${experience} ${table}`]?.push(...rollupRows(facts, month));
    }
  }
  return found;
}

function rollupRows({ rows, keys, measures, shoppers }: FactRows, month: string): Row[] {
  return Array.from({ length: rows }, (_, row) =>
    omitEmpty({
      month,
      ...Object.fromEntries([...keys].map(([name, { dictionary, codes }]) => [name, dictionary[codes[row] ?? -1]])),
      ...Object.fromEntries([...measures].map(([name, values]) => [name, values[row]])),
      users:
        shoppers === undefined ? [] : [...shoppers.hashes.subarray(shoppers.offsets[row], shoppers.offsets[row + 1])],
    }),
  );
}

/** @returns the sums of the days by the key and day, by experience and table; users of ad groups only */
function sumDays(days: Readonly<Record<string, readonly Row[]>>, key: Grain['key']): Record<string, Row[]> {
  const found: Record<string, Row[]> = {};
  for (const [name, rows] of Object.entries(days)) {
    const [experience, tableName, advertiser, date = ''] = name.split(' ');
    const table = ROLLUP_TABLES.find((candidate) => candidate === tableName);
    if (table === undefined) continue;
    const keys = { month: date.slice(0, 7), date: Number(date.slice(8)), advertiser: Number(advertiser) };
    const groups = Map.groupBy(rows, (row) => (key === 'advertiser' ? keys.advertiser : row[key]));
    const sums = [...groups].map(([value, equal]) => {
      const measured = equal.map((row) => addUnidentified(table, row, 1));
      const shoppers = equal.flatMap((row) => (Array.isArray(row.users) ? row.users.map(Number) : []));
      const measures = Object.keys(TABLE_MEASURES[table]).map((measure) => [
        measure,
        measured.reduce((total, row) => total + Number(row[measure] ?? 0), 0),
      ]);
      return omitEmpty({
        ...{ month: keys.month, date: keys.date, [key]: value },
        ...Object.fromEntries(measures),
        users: key === 'advertiser' ? [] : [...new Set(shoppers)].sort((a, b) => a - b),
      });
    });
    found[`${experience} ${table}`] = [...(found[`${experience} ${table}`] ?? []), ...sums];
  }
  return found;
}

/** Deletes what loads have superseded, as a load does an hour later, and expects that of facts the table has only the items of stored days and rollups. */
export async function checkItems(
  { table, content }: Pick<TestTable, 'table' | 'content'>,
  advertiserIds: readonly number[],
): Promise<void> {
  await load(table, { accounts: NETWORK.accounts ?? [] }, () => Date.now() + 3_600_000);
  const source = await openSource(table);
  const heads = [...(await source.factHeads(advertiserIds)).values()];
  const rollups = [
    ...heads.flatMap(({ advertiserId, rollups }) => rollupsOf({ advertiserId }, rollups)),
    ...(await source.advertiserShards()).flatMap(({ shard, rollups }) => rollupsOf({ shard }, rollups)),
  ];
  const stored = (await content()).map(({ pk, sk }) => `${pk} ${sk}`);
  const keysOf = rollups.flatMap(rollupChunkKeys).map(({ pk, sk }) => `${pk} ${sk}`);
  expect(stored.filter((key) => /^(ROLLUP|SHARD)#\d/.test(key))).toEqual(keysOf.sort());
  const runs = (await source.manifests(await readPartitions(source, advertiserIds))).flatMap(({ runs }) => runs);
  const counts = runs.map(({ columns }) => {
    const packs = new Set([...columns].flatMap(([name, { chunks }]) => (chunks === 0 ? packOf(name) : [])));
    return [...columns.values()].reduce((count, { chunks }) => count + chunks, packs.size);
  });
  const segments = stored.filter((key) => /^FACTS#\d+#\w+#\w+#[\d-]+#/.test(key));
  expect(segments.length).toBe(counts.reduce((sum, count) => sum + count, 0));
}

const textOf = (row: Row) => JSON.stringify(Object.entries(row).sort());
export const sorted = (months: Record<string, readonly Row[]>) =>
  Object.fromEntries(
    Object.entries(months)
      .filter(([, rows]) => rows.length > 0)
      .map(([name, rows]) => [name, rows.map(textOf).sort()]),
  );

/** @returns a source that reads advertisers one by one */
export const withoutShards = (source: SegmentSource): SegmentSource => ({
  ...source,
  advertiserShards: async () => [],
});

/** @returns a source that reads day by day */
export const withoutRollups = (source: SegmentSource): SegmentSource => ({
  ...withoutShards(source),
  factHeads: async (ids) =>
    new Map([...(await source.factHeads(ids))].map(([id, { rollups: _, ...head }]) => [id, head])),
});
