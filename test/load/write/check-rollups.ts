import { expect } from 'vitest';
import { FACT_TABLES, type FactTable, TABLE_MEASURES } from '../../../shared/catalog/tables.ts';
import type { FactRows } from '../../../shared/columns/build-day.ts';
import { unpackTables } from '../../../shared/columns/rollup-tables.ts';
import { type FactHead, PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import { OF_ADVERTISER, ROLLUP_TABLES } from '../../../shared/layout/rollup-keys.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import { type Clock, systemClock } from '../../../shared/lib/clock.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { readOf } from '../../../shared/store/facts/stored-rollups.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { loadRows } from '../support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from '../support/network-rows.ts';
import { addUnidentified, omitEmpty, type Row, readStoredNetwork } from '../support/read-stored-network.ts';

export const openSource = async (table: Table) => openSegmentSource(table, await readCommit(table));

export const load = async (table: Table, rows: FolderRows, clock: Clock = systemClock) => {
  const { outcome, problems } = await loadRows(rows, table, { clock });
  expect(problems).toEqual([]);
  return outcome;
};

/** Rows of the rollup of every month, as they are stored, by experience, table, advertiser and month. */
export async function readStored(table: Table): Promise<Record<string, readonly Row[]>> {
  const source = await openSource(table);
  const found: Record<string, readonly Row[]> = {};
  for (const [advertiserId, { rollups = new Map() }] of await source.factHeads([PLATFORM_ID, 10, 11])) {
    for (const [experience, months] of rollups) {
      for (const [month, entry] of months) {
        const ref = { advertiserId, experience, month };
        for await (const { read, encoded } of source.rollups([readOf({ ref, entry })])) {
          const stored = unpackTables(OF_ADVERTISER, encoded, month);
          for (const [factTable, count] of read.entry.rows) {
            const rows = rollupRows(stored.get(factTable) ?? NO_FACTS);
            expect(rows.length).toBe(count);
            found[`${experience} ${factTable} ${advertiserId} ${month}`] = rows;
          }
        }
      }
    }
  }
  return found;
}

const NO_FACTS: FactRows = { rows: 0, keys: new Map(), measures: new Map() };

function rollupRows({ rows, keys, measures, shoppers }: FactRows): Row[] {
  return Array.from({ length: rows }, (_, row) =>
    omitEmpty({
      ...Object.fromEntries([...keys].map(([name, { dictionary, codes }]) => [name, dictionary[codes[row] ?? -1]])),
      ...Object.fromEntries([...measures].map(([name, values]) => [name, values[row]])),
      users:
        shoppers === undefined ? [] : [...shoppers.hashes.subarray(shoppers.offsets[row], shoppers.offsets[row + 1])],
    }),
  );
}

/** The same, summed over the stored facts of every day. */
export async function countPlainly(table: Table): Promise<Record<string, readonly Row[]>> {
  const { facts } = await readStoredNetwork(table);
  const found: Record<string, Row[]> = {};
  for (const [name, rows] of Object.entries(facts)) {
    const [experience, tableName, advertiserId, date = ''] = name.split(' ');
    const factTable = FACT_TABLES.find((candidate) => candidate === tableName);
    if (factTable === undefined || !ROLLUP_TABLES.includes(factTable)) continue;
    const dated = rows.map((row) => ({ ...addUnidentified(factTable, row, 1), date: Number(date.slice(8)) }));
    const month = `${experience} ${factTable} ${advertiserId} ${date.slice(0, 7)}`;
    found[month] = [...(found[month] ?? []), ...sumByAdGroup(factTable, dated)];
  }
  return found;
}

function sumByAdGroup(table: FactTable, rows: readonly Row[]): Row[] {
  const keys = [OF_ADVERTISER.key, 'date'];
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keys.map((key) => row[key])));
  return [...groups.values()].map((equal) => {
    const sum = (measure: string) => equal.reduce((total, row) => total + Number(row[measure] ?? 0), 0);
    const shoppers = equal.flatMap((row) => (Array.isArray(row.users) ? row.users.map(Number) : []));
    return omitEmpty({
      ...Object.fromEntries(keys.map((key) => [key, equal[0]?.[key] ?? null])),
      ...Object.fromEntries(Object.keys(TABLE_MEASURES[table]).map((measure) => [measure, sum(measure)])),
      users: [...new Set(shoppers)].sort((a, b) => a - b),
    });
  });
}

const textOf = (row: Row) => JSON.stringify(Object.entries(row).sort());
export const sorted = (months: Record<string, readonly Row[]>) =>
  Object.fromEntries(
    Object.entries(months)
      .filter(([, rows]) => rows.length > 0)
      .map(([name, rows]) => [name, rows.map(textOf).sort()]),
  );

const ROWS_OF_LARGE_DAY = 4_000;

/** Rows of one day: each has a keyword of its own; without it they have 120 keys, 24 hours × 5 banners, because ad group and placement follow from the hour. */
export function delivery(day: number, rows = ROWS_OF_LARGE_DAY): FolderRows[string] {
  return Array.from({ length: rows }, (_, row) => ({
    ...{ daily_date: `2026-03-${String(day).padStart(2, '0')}`, hour: row % 24, ad_group_id: 1000 + (row % 2) },
    ...{
      placement_id: 1 + (row % 2),
      division_banner: `b${row % 5}`,
      keyword: `word ${(row * 7_919) % 100_003}`,
      impressions: 1 + ((row * row) % 97),
    },
    ...{ clicks: row % 2, cost: (((row * 31) % 89) - 10) / 8, users: [`u${row % 50}`] },
  }));
}

export const conversions = (day: number): FolderRows[string] =>
  (FACTS['facts/pla/conversions'] ?? []).map((row) => ({
    ...row,
    daily_date: `2026-03-${String(day).padStart(2, '0')}`,
  }));

export const DAYS = [2, 3, 4];
export const LARGE_MONTH: FolderRows = {
  ...NETWORK,
  'facts/pla/delivery': DAYS.flatMap((day) => delivery(day)),
  'facts/pla/conversions': DAYS.flatMap(conversions),
};
const scope = { accountIds: new Set([1]), advertiserIds: [10], ownAdvertiserIds: [10] };

/** Compares the stored rollups with the sums of the days, and reports that read rollups with the same reports from days. */
export async function checkMonth(table: Table): Promise<void> {
  expect(sorted(await readStored(table))).toEqual(sorted(await countPlainly(table)));
  const source = await openSource(table);
  const withoutRollups = ({ rollups: _, ...head }: FactHead): FactHead => head;
  const days: SegmentSource = {
    ...source,
    factHeads: async (ids) =>
      new Map([...(await source.factHeads(ids))].map(([id, head]) => [id, withoutRollups(head)])),
  };
  for (const key of ['hour', 'division_banner', 'keyword', undefined] as const) {
    for (const [startDate, endDate] of [
      ['2026-03-03', '2026-03-03'],
      ['2026-02-20', '2026-03-31'],
    ] as const) {
      const query: ReportQuery = {
        ...{ experience: 'pla', startDate, endDate, sort: [], pagination: { offset: 0, size: 10_000 } },
        dimensions: ['daily_date', 'ad_group_name', ...(key === undefined ? [] : [key])],
        metrics: ['impressions', 'cost', 'click_through_rate', 'halo_units', 'halo_roas', 'unique_user_impressions'],
        filters: key === 'hour' ? [{ field: 'hour', operator: 'LESS_THAN', values: ['13'] }] : [],
      };
      const withoutShoppers = query.metrics.slice(0, 5);
      for (const metrics of [query.metrics, withoutShoppers]) {
        const input = { query: { ...query, metrics }, scope, settings: SETTINGS };
        expect(await runReport({ ...input, source })).toEqual(await runReport({ ...input, source: days }));
      }
    }
  }
}
