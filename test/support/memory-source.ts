import type { DimensionTable } from '../../shared/catalog/definitions.ts';
import { AMOUNT_COLUMNS, DIMENSION_COLUMNS, PLATFORM_TABLES } from '../../shared/catalog/dimension-tables.ts';
import {
  DAY_COLUMNS,
  type Experience,
  FACT_TABLES,
  type FactTable,
  isDerived,
  KEY_COLUMNS,
  keyIn,
  type Measure,
  measuresOf,
  TABLE_KEYS,
  TABLE_MEASURES,
  TABLES_WITH_SHOPPERS,
  tableOf,
} from '../../shared/catalog/tables.ts';
import { type FactRows, sumDay } from '../../shared/columns/build-day.ts';
import { encodeKeys } from '../../shared/columns/coded-keys.ts';
import type { KeyValue, ShopperData } from '../../shared/columns/column.ts';
import { rollUpDay } from '../../shared/columns/rollup.ts';
import { packTables } from '../../shared/columns/rollup-tables.ts';
import { encodeRun, joinDays } from '../../shared/columns/runs.ts';
import { rangesOf } from '../../shared/layout/day-ranges.ts';
import type {
  DayList,
  DayRows,
  EncodedRollup,
  FactHead,
  MonthRef,
  PartitionRef,
  RollupEntry,
  RunColumns,
  RunEntry,
  StoredTable,
  UnmeasuredDays,
} from '../../shared/layout/partitions.ts';
import { DAY_LISTS, PLATFORM_ID } from '../../shared/layout/partitions.ts';
import { OF_ADVERTISER, ROLLUP_TABLES } from '../../shared/layout/rollup-keys.ts';
import type { SegmentSource } from '../../shared/layout/segment-reads.ts';
import { dayNumber } from '../../shared/lib/calendar.ts';
import { sortTexts } from '../../shared/lib/compare-text.ts';
import { deriveMeasures } from '../../shared/load/encode/derive-measures.ts';
import { latestDeliveryOf, mapDays } from '../../shared/store/facts/loaded-days.ts';
import { codeFacts } from './encode-fact-rows.ts';
import type { Cell, Dataset, DimensionRow, FactRow } from './facts.ts';
import { hashShopper } from './user-id-key.ts';

/** What was read from a source, to assert how much a report reads. */
export interface ReadLog {
  readonly days: { readonly ref: PartitionRef; readonly day: number; readonly columns: readonly string[] }[];
  readonly tables: DimensionTable[];
  readonly rollups: { readonly ref: MonthRef; readonly columns: readonly string[] }[];
}

interface Partition {
  readonly manifest: { readonly ref: PartitionRef; readonly runs: RunEntry[] };
  readonly bytes: Map<number, ReadonlyMap<string, Uint8Array>>;
}

/**
 * @param options with `rollups`, all months have rollups; with `separate`, the measures of rollups are stored separately; `daysPerRun` is 1 if absent
 * @returns a source in memory with the dataset encoded as the loader encodes it. `log` lists the days, dimension tables and rollups that were read.
 */
export function memorySource(
  data: Dataset,
  options: { readonly rollups?: boolean; readonly separate?: boolean; readonly daysPerRun?: number } = {},
): SegmentSource & { readonly log: ReadLog } {
  const { rollups: wanted = false, separate = false, daysPerRun = 1 } = options;
  const partitions = encodeFacts(data, daysPerRun);
  const rolled = wanted ? rollUpFacts(data, separate) : new Map<string, RolledMonth>();
  const log: ReadLog = { days: [], tables: [], rollups: [] };
  return {
    log,
    factHeads: async (advertiserIds) => headsOf(partitions, new Set(advertiserIds), rolled),
    async *rollups(reads) {
      for (const read of reads) {
        const { ref, columns } = read;
        if ('shard' in ref) throw new Error('there are no shards');
        const stored = rolled.get(monthKey(ref));
        if (stored === undefined) throw new Error(`no rollup of ${monthKey(ref)}`);
        log.rollups.push({ ref, columns });
        const found = [...stored.encoded.columns].filter(([name]) => columns.includes(name));
        yield { read, encoded: { ...stored.encoded, columns: new Map(found) } };
      }
    },
    advertiserShards: async () => [],
    manifests: async (refs) => refs.flatMap((ref) => partitions.get(partitionKey(ref))?.manifest ?? []),
    async *runs(reads): AsyncGenerator<RunColumns> {
      for (const { ref, run, columns } of reads.flatMap((read) => read.runs.map((run) => ({ ...read, run })))) {
        const stored = partitions.get(partitionKey(ref))?.bytes.get(run.day);
        if (stored === undefined) throw new Error(`no day ${run.day} in ${partitionKey(ref)}`);
        log.days.push({ ref, day: run.day, columns });
        yield { ref, run, columns: pick(stored, columns) };
      }
    },
    dimensionTables: async (table, advertiserIds, columns) => {
      log.tables.push(table);
      return encodeDimensions(data, table, advertiserIds, columns);
    },
  };
}

function pick(stored: ReadonlyMap<string, Uint8Array>, columns: readonly string[]): Map<string, Uint8Array> {
  return new Map(
    columns.flatMap((name) => {
      const bytes = stored.get(name);
      if (bytes !== undefined) return [[name, bytes] as const];
      if ([...FACT_TABLES.flatMap(measuresOf), ...KEY_COLUMNS].some((known) => known === name)) return []; // as the store returns it
      throw new Error(`no column ${name}`);
    }),
  );
}

function partitionKey(ref: PartitionRef): string {
  return `${ref.advertiserId}/${ref.experience}/${ref.table}/${ref.month}`;
}

function encodeFacts(data: Dataset, daysPerRun: number): Map<string, Partition> {
  const partitions = new Map<string, Partition>();
  for (const table of FACT_TABLES) {
    const months = Map.groupBy(
      data.facts[table],
      (row) => `${row.advertiserId}/${row.experience}/${row.date.slice(0, 7)}`,
    );
    for (const rows of months.values()) {
      const [first] = rows;
      if (first === undefined) continue;
      const { advertiserId, experience, date } = first;
      const ref: PartitionRef = { advertiserId, experience, table, month: date.slice(0, 7) };
      partitions.set(partitionKey(ref), encodeMonth(data, ref, rows, daysPerRun));
    }
  }
  return partitions;
}

function encodeMonth(data: Dataset, ref: PartitionRef, rows: readonly FactRow[], daysPerRun: number): Partition {
  const partition: Partition = { manifest: { ref, runs: [] }, bytes: new Map() };
  const days = [...Map.groupBy(rows, ({ date }) => Number(date.slice(8)))].sort(([a], [b]) => a - b);
  const encoded = days.map(([day, ofDay]) => {
    const facts = sumDay(ref.table, columnsOf(data, ref.table, ofDay));
    return {
      day,
      rows: facts.rows,
      isDelivered: facts.measures.get('impressions')?.some((impressions) => impressions !== 0) ?? true,
      hours: facts.keys.get('hour')?.dictionary.filter((hour) => hour !== null).length ?? 0,
      facts,
    };
  });
  while (encoded.length > 0) {
    const namesOf = (facts?: FactRows) => [...(facts?.keys.keys() ?? []), ...(facts?.measures.keys() ?? [])].join();
    const names = namesOf(encoded[0]?.facts);
    const other = encoded.findIndex(({ facts }) => namesOf(facts) !== names);
    const built = encoded.splice(0, Math.min(daysPerRun, other === -1 ? encoded.length : other));
    const { columns, rows: count } = encodeRun(
      joinDays(
        ref.table,
        built.map(({ facts }) => facts),
      ),
    );
    const entries = [...columns].map(
      ([name, { bytes, distinct }]) => [name, { chunks: 1, bytes: bytes.length, distinct }] as const,
    );
    const day = built[0]?.day ?? 0;
    partition.manifest.runs.push({
      day,
      version: 1,
      rows: count,
      days: built,
      columns: new Map(entries),
    });
    partition.bytes.set(day, new Map([...columns].map(([name, { bytes }]) => [name, bytes])));
  }
  return partition;
}

function monthKey(ref: MonthRef): string {
  return `${ref.advertiserId}/${ref.experience}/${ref.month}`;
}

/** The rollup of one month. */
interface RolledMonth {
  readonly ref: MonthRef;
  readonly entry: RollupEntry;
  readonly encoded: EncodedRollup;
}

/** @returns the rollups of all months of all advertisers, made as the loader makes them: day by day, then joined */
function rollUpFacts(data: Dataset, separate: boolean): Map<string, RolledMonth> {
  const months = new Map<string, { ref: MonthRef; parts: Map<FactTable, FactRows[]> }>();
  for (const table of ROLLUP_TABLES) {
    const days = Map.groupBy(data.facts[table], (row) => `${row.advertiserId}/${row.experience}/${row.date}`);
    for (const rows of days.values()) {
      const [first] = rows;
      if (first === undefined) continue;
      const { advertiserId, experience, date } = first;
      const ref: MonthRef = { advertiserId, experience, month: date.slice(0, 7) };
      const month = months.get(monthKey(ref)) ?? { ref, parts: new Map<FactTable, FactRows[]>() };
      months.set(monthKey(ref), month);
      const rolled = rollUpDay(Number(date.slice(8)), sumDay(table, columnsOf(data, table, rows)));
      month.parts.set(table, [...(month.parts.get(table) ?? []), rolled]);
    }
  }
  return new Map([...months].map(([key, { ref, parts }]) => [key, { ref, ...encodeTables(parts, separate) }]));
}

function encodeTables(tables: ReadonlyMap<FactTable, readonly FactRows[]>, separate: boolean) {
  const data = packTables({ ...OF_ADVERTISER, ...(separate && { maxPackedRows: 0 }) }, tables);
  if (data === undefined) throw new Error('a month without rows has no rollup');
  const sizes = new Map([...data.columns].map(([name, bytes]) => [name, bytes.length]));
  return { entry: { version: 1, rows: data.rows, bytes: data.packed.length, columns: sizes }, encoded: data };
}

function columnsOf(data: Dataset, table: FactTable, rows: readonly FactRow[]): FactRows {
  const keys = new Map(
    TABLE_KEYS[table]
      .filter((name) => name !== 'date' && !rows.some(({ unmeasured }) => unmeasured?.includes(keyIn(table, name))))
      .map((name) => [name, rows.map((row): KeyValue => Object(row)[name] ?? null)] as const),
  );
  const measures = new Map<Measure, Float64Array>();
  for (const [name, scale] of Object.entries(TABLE_MEASURES[table])) {
    const measure = name as Measure; // the keys of TABLE_MEASURES are the Measure union itself
    if (rows.some(({ unmeasured }) => unmeasured?.includes(measure))) continue;
    measures.set(
      measure,
      Float64Array.from(rows, (row) => Math.round((Object(row)[measure] ?? 0) * scale)),
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

/** @returns the heads of those of the given advertisers that have facts; the platform's head has the days of any advertiser */
function headsOf(
  partitions: ReadonlyMap<string, Partition>,
  advertiserIds: ReadonlySet<number>,
  rolled: ReadonlyMap<string, RolledMonth>,
): Map<number, FactHead> {
  const manifests = [...partitions.values()].map(({ manifest }) => manifest);
  const owned = Map.groupBy(manifests, ({ ref }) => ref.advertiserId);
  const daysIn = (list: typeof manifests) =>
    mapDays(DAY_LISTS, (experience, name) =>
      rangesOf(
        list.flatMap((manifest) => {
          const { ref, runs } = manifest;
          if (ref.experience !== experience) return [];
          if (name !== 'delivery' && name !== 'undelivered') return ref.table === name ? daysOf(manifest) : [];
          const own = runs.map((run) => ({ ...run, days: run.days.filter((day) => listOf(day) === name) }));
          return ref.table === 'delivery' ? daysOf({ ref, runs: own }) : [];
        }),
      ),
    );
  const days = daysIn(manifests);
  if (days.size > 0 && !owned.has(PLATFORM_ID)) owned.set(PLATFORM_ID, []);
  return new Map<number, FactHead>(
    [...owned]
      .filter(([advertiserId]) => advertiserIds.has(advertiserId))
      .map(([advertiserId, own]) => {
        const months = new Map<Experience, Map<FactTable, string[]>>();
        for (const { ref } of own.toSorted((a, b) => (a.ref.month < b.ref.month ? -1 : 1))) {
          const byTable = months.get(ref.experience) ?? new Map<FactTable, string[]>();
          months.set(ref.experience, byTable.set(ref.table, [...(byTable.get(ref.table) ?? []), ref.month]));
        }
        const mine = [...rolled.values()].filter(({ ref }) => ref.advertiserId === advertiserId);
        const byExperience = Map.groupBy(mine, ({ ref }) => ref.experience);
        const rollups = new Map([...byExperience].map(([experience, list]) => [experience, entriesOf(list)]));
        const versions = new Map([...months.keys()].map((experience) => [experience, 1]));
        const known = advertiserId === PLATFORM_ID ? days : daysIn(own);
        const unmeasured = unmeasuredIn(own);
        const latestDelivery = latestDeliveryOf(known);
        const head = { advertiserId, months, versions, rollups, latestDelivery, days: known, unmeasured };
        return [advertiserId, advertiserId === PLATFORM_ID ? { ...head, advertisers: countOwners(manifests) } : head];
      }),
  );
}

/** @returns the list of `LoadedDays` that has a day of delivery */
const listOf = (day: DayRows): DayList =>
  'isDelivered' in day && day.isDelivered === false ? 'undelivered' : 'delivery';

/** @returns the number of advertisers that have facts, by experience */
function countOwners(manifests: readonly Partition['manifest'][]): Map<Experience, number> {
  const owned = manifests.filter(({ ref }) => ref.advertiserId !== PLATFORM_ID);
  const byExperience = Map.groupBy(owned, ({ ref }) => ref.experience);
  return new Map([...byExperience].map(([name, own]) => [name, new Set(own.map(({ ref }) => ref.advertiserId)).size]));
}

const daysOf = ({ ref, runs }: Partition['manifest']) =>
  runs.flatMap((run) => run.days).map(({ day }) => dayNumber(`${ref.month}-${String(day).padStart(2, '0')}`));

/** @returns the days of an advertiser that lack a measure, as `FactHead.unmeasured` has them */
function unmeasuredIn(manifests: readonly Partition['manifest'][]): UnmeasuredDays {
  return mapDays(DAY_COLUMNS, (experience, column) => {
    const name = column.replace(/^.*\//, '');
    if (name === 'date') return [];
    const ofTable = manifests.filter(({ ref }) => ref.experience === experience && ref.table === tableOf(column));
    return rangesOf(
      ofTable.flatMap(({ ref, runs }) =>
        daysOf({ ref, runs: runs.filter(({ columns }) => columns.has(name) === isDerived(name)) }),
      ),
    );
  });
}

const entriesOf = (months: readonly RolledMonth[]) => new Map(months.map(({ ref, entry }) => [ref.month, entry]));

function encodeDimensions(
  data: Dataset,
  table: DimensionTable,
  advertiserIds: readonly number[],
  columns: readonly string[],
): Map<number, StoredTable> {
  const known: readonly string[] = DIMENSION_COLUMNS[table];
  for (const name of columns) if (!known.includes(name)) throw new Error(`${table} has no column ${name}`);
  const platform: readonly DimensionTable[] = PLATFORM_TABLES;
  const owner = (row: DimensionRow): number => (platform.includes(table) ? PLATFORM_ID : Number(row.advertiserId));
  const owned = Map.groupBy(data.tables[table], owner);
  return new Map(
    advertiserIds.flatMap((id) => {
      const rows = owned.get(id);
      if (rows === undefined) return [];
      const encoded = columns.map(
        (name) => [name, encodeKeys(rows.map((row) => storedCell(name, cellOf(table, row, name))))] as const,
      );
      return [[id, { rows: rows.length, version: 1, columns: new Map(encoded) }]];
    }),
  );
}

/** @returns the cell of the row; the key of a freshness row is made as the loader makes it */
function cellOf(table: DimensionTable, row: DimensionRow, column: string): Cell | undefined {
  if (table !== 'freshness' || column !== 'key') return row[column];
  return `${row.experience}/${row.advertiserId ?? ''}${row.table ? `/${row.table}` : ''}`;
}

/** @returns the cell as it is stored. Members of lists are sorted and joined, ids by "," and texts by ", "; an empty list is null. */
function storedCell(column: string, cell: Cell | undefined): KeyValue {
  if (cell === undefined || cell === null) return null;
  if (AMOUNT_COLUMNS.has(column)) return Number(`${cell}e6`);
  if (typeof cell === 'string' || typeof cell === 'number') return cell;
  if (cell.length === 0) return null;
  return sortTexts(cell.map(String)).join(column === 'accountIds' ? ',' : ', ');
}
