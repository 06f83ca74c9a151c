import { columnName } from '../../shared/catalog/custom-fields.ts';
import type { DimensionTable } from '../../shared/catalog/definitions.ts';
import { AMOUNT_COLUMNS, DIMENSION_COLUMNS, PLATFORM_TABLES } from '../../shared/catalog/dimension-tables.ts';
import {
  FACT_TABLES,
  type FactTable,
  keyIn,
  type Measure,
  measureOf,
  measuresOf,
  TABLE_KEYS,
  TABLES_WITH_SHOPPERS,
} from '../../shared/catalog/tables.ts';
import { type FactRows, sumDay } from '../../shared/columns/build-day.ts';
import { encodeKeys } from '../../shared/columns/coded-keys.ts';
import type { KeyValue, ShopperData } from '../../shared/columns/column.ts';
import { rollUpDay } from '../../shared/columns/rollup.ts';
import { packTables } from '../../shared/columns/rollup-tables.ts';
import { buildDay } from '../../shared/columns/runs.ts';
import { type MonthRef, type PartitionRef, PLATFORM_ID, type RollupRead } from '../../shared/layout/partitions.ts';
import { OF_ADVERTISER, ROLLUP_TABLES } from '../../shared/layout/rollup-keys.ts';
import type { SegmentSource } from '../../shared/layout/segment-reads.ts';
import { sortTexts } from '../../shared/lib/compare-text.ts';
import { keysOf } from '../../shared/lib/keys-of.ts';
import { deriveMeasures } from '../../shared/load/encode/derive-measures.ts';
import { beginCommit, type CommitWriter, readCommit } from '../../shared/store/commit/commits.ts';
import { writeDimensionTable } from '../../shared/store/facts/dimension-items.ts';
import { FactWriter } from '../../shared/store/facts/fact-writer.ts';
import { openSegmentSource } from '../../shared/store/segment-source.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { codeFacts } from './encode-fact-rows.ts';
import type { Cell, Dataset, DimensionRow, FactRow } from './facts.ts';
import { openMemoryTable } from './memory-table.ts';
import { hashShopper } from './user-id-key.ts';

/** The same for all, because reports state it. */
const LOADED_AT = Date.parse('2026-01-01T00:00:00Z');

/** Days of this size, in rows, do not share a run (`fitsRun`). */
const MAX_RUN_SIZE = 8_192;

interface StoreOptions {
  /** Whether months have rollups, as after a load, and `separate`: as those of large months, whose measures are stored separately. Default: true. */
  readonly rollups?: boolean | 'separate';
  /** The maximum number of days that share a run. By default, they share it as far as they fit. */
  readonly daysPerRun?: number;
  /** An empty table; default: one in memory. */
  readonly table?: Table;
}

/** What was read from a source, to assert how much a report reads. */
export interface ReadLog {
  /** The runs, by their first day. */
  readonly days: { readonly ref: PartitionRef; readonly day: number; readonly columns: readonly string[] }[];
  readonly rollups: RollupRead['ref'][];
}

export type LoggedSource = SegmentSource & { readonly log: ReadLog };

/** @returns the store's source of a table into which the dataset is written; `log` lists what was read */
export async function storedSource(data: Dataset, options?: StoreOptions): Promise<LoggedSource> {
  const open = await storeDataset(data, options);
  return open();
}

/**
 * Writes the dataset as a load does: with the store's writers, under one commit.
 * @returns a function that opens a source, as a new instance does, which has cached nothing
 */
export async function storeDataset(data: Dataset, options: StoreOptions = {}): Promise<() => LoggedSource> {
  const { table = openMemoryTable('test').table } = options;
  const writer = await beginCommit(table, { owner: 'the test', clock: () => LOADED_AT });
  for (const name of keysOf(data.tables)) {
    const isShared = (PLATFORM_TABLES as readonly DimensionTable[]).includes(name);
    const owned = Map.groupBy(data.tables[name], (row) => (isShared ? PLATFORM_ID : Number(row.advertiserId)));
    for (const [id, rows] of owned) {
      const columns = DIMENSION_COLUMNS[name].map(
        (column) => [column, encodeKeys(rows.map((row) => storedCell(column, cellOf(name, row, column))))] as const,
      );
      await writeDimensionTable(writer, name, id, { rows: rows.length, columns: new Map(columns) });
    }
  }
  await writeFacts(writer, data, options);
  await writer.finish();
  const state = await readCommit(table);
  return () => logReads(openSegmentSource(table, state));
}

/** Writes days and rollups in the order in which `shared/load/write/write-facts.ts` does. There are no shards, which reports of a few advertisers do not read. */
async function writeFacts(
  writer: CommitWriter,
  data: Dataset,
  { rollups, daysPerRun = 31 }: StoreOptions,
): Promise<void> {
  const facts = new FactWriter(writer);
  const grain = { ...OF_ADVERTISER, ...(rollups === 'separate' && { maxPackedRows: 0 }) };
  const minSize = Math.floor(MAX_RUN_SIZE / daysPerRun);
  const all = FACT_TABLES.flatMap((table) => data.facts[table].map((row) => ({ table, row })));
  const months = Map.groupBy(all, ({ row }) => `${row.advertiserId} ${row.experience} ${row.date.slice(0, 7)}`);
  for (const ofMonth of months.values()) {
    const [first] = ofMonth;
    if (first === undefined) continue;
    const { advertiserId, experience, date } = first.row;
    const month: MonthRef = { advertiserId, experience, month: date.slice(0, 7) };
    const rolled = new Map<FactTable, FactRows[]>(ROLLUP_TABLES.map((table) => [table, []]));
    for (const [table, ofTable] of Map.groupBy(ofMonth, (fact) => fact.table)) {
      for (const [day, ofDay] of Map.groupBy(ofTable, ({ row }) => Number(row.date.slice(8)))) {
        const rows = ofDay.map(({ row }) => row);
        const summed = sumDay(table, columnsOf(data, table, rows));
        const built = buildDay(summed);
        await facts.writeDay({ ...month, table }, day, { ...built, size: Math.max(built.size, minSize) });
        if (ROLLUP_TABLES.includes(table)) rolled.get(table)?.push(rollUpDay(day, summed));
      }
    }
    const rollup = rollups === false ? undefined : packTables(grain, rolled);
    if (rollup !== undefined) await facts.writeRollup(month, rollup);
    await facts.closeMonth(month);
  }
  await facts.finish();
}

function columnsOf(data: Dataset, table: FactTable, rows: readonly FactRow[]): FactRows {
  const keys = new Map(
    TABLE_KEYS[table]
      .filter((name) => name !== 'date' && !rows.some(({ unmeasured }) => unmeasured?.includes(keyIn(table, name))))
      .map((name) => [name, rows.map((row): KeyValue => Object(row)[columnName(name)] ?? null)] as const),
  );
  const measures = new Map<Measure, Float64Array>();
  for (const measure of measuresOf(table)) {
    const { scale } = measureOf(measure);
    if (rows.some(({ unmeasured }) => unmeasured?.includes(measure))) continue;
    measures.set(
      measure,
      Float64Array.from(rows, (row) => Math.round((Object(row)[columnName(measure)] ?? 0) * scale)),
    );
  }
  const withShoppers: readonly FactTable[] = TABLES_WITH_SHOPPERS;
  const facts = codeFacts({
    rows: rows.length,
    keys,
    measures,
    ...(withShoppers.includes(table) ? { shoppers: shoppersOf(rows) } : {}),
  });
  const advertisers = Float64Array.from(rows, ({ advertiserId }) => advertiserId);
  return deriveMeasures(facts, advertisers, productsOf(data));
}

/** The products of advertisers, and of the ad groups with `products`, a list of UPCs. */
function productsOf({ tables }: Dataset) {
  const owned = Map.groupBy(tables.products, ({ advertiserId }) => Number(advertiserId));
  const chosen = tables.ad_groups.flatMap(({ id, products }) =>
    Array.isArray(products) ? [[Number(id), new Set(products.map(String))] as const] : [],
  );
  return {
    products: new Map([...owned].map(([id, rows]) => [id, new Set(rows.map(({ upc }) => String(upc)))])),
    chosenProducts: new Map(chosen),
  };
}

function shoppersOf(rows: readonly FactRow[]): ShopperData {
  const offsets = new Uint32Array(rows.length + 1);
  const hashes: number[] = [];
  for (const [row, { users }] of rows.entries()) {
    const distinct = new Set((users ?? []).map(hashShopper));
    hashes.push(...[...distinct].toSorted((a, b) => a - b));
    offsets[row + 1] = hashes.length;
  }
  return { rows: rows.length, offsets, hashes: Float64Array.from(hashes) };
}

/** @returns the cell of the row; the key of a freshness row is made as the loader makes it */
function cellOf(table: DimensionTable, row: DimensionRow, column: string): Cell | undefined {
  if (table !== 'freshness' || column !== 'key') return row[columnName(column)];
  return `${row.experience}/${row.advertiserId ?? ''}${row.table ? `/${row.table}` : ''}`;
}

/** @returns the cell as it is stored: amounts in micros; members of lists sorted and joined, ids by "," and texts by ", "; an empty list is null */
function storedCell(column: string, cell: Cell | undefined): KeyValue {
  if (cell === undefined || cell === null) return null;
  if (AMOUNT_COLUMNS.has(column)) return Number(`${cell}e6`);
  if (typeof cell === 'string' || typeof cell === 'number') return cell;
  if (cell.length === 0) return null;
  return sortTexts(cell.map(String)).join(column === 'accountIds' ? ',' : ', ');
}

function logReads(source: SegmentSource): LoggedSource {
  const log: ReadLog = { days: [], rollups: [] };
  return {
    ...source,
    log,
    async *runs(reads) {
      const columnsOf = new Map(reads.flatMap(({ runs, columns }) => runs.map((run) => [run, columns] as const)));
      for await (const found of source.runs(reads)) {
        log.days.push({ ref: found.ref, day: found.run.day, columns: columnsOf.get(found.run) ?? [] });
        yield found;
      }
    },
    async *rollups(reads) {
      for await (const found of source.rollups(reads)) {
        log.rollups.push(found.read.ref);
        yield found;
      }
    },
  };
}
