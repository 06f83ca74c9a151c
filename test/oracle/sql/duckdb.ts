import { DOUBLE, type DuckDBConnection, DuckDBInstance, DuckDBScalarFunction, VARCHAR } from '@duckdb/node-api';
import { CUSTOM_FIELDS, customListingColumns } from '../../../shared/catalog/custom-fields.ts';
import type { MetricName } from '../../../shared/catalog/metrics.ts';
import { WEEKDAYS } from '../../../shared/lib/calendar.ts';
import type { ReportQuery, ReportScope, ReportSettings, ReportValue } from '../../../shared/report/query/query.ts';
import type { Cell, Dataset, DimensionRow, FactRow } from '../../support/facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { compareSql } from './compare-sql.ts';
import { countsUsers, partsOf, SPLIT, SUMS } from './metric-sql.ts';
import { type Fraction, nearestChange, nearestQuotient, parseFractions } from './nearest-double.ts';
import { groupFilters, reportSql, type SqlSettings } from './report-sql.ts';

export interface OracleResult {
  readonly data: readonly Readonly<Record<string, ReportValue>>[];
  readonly totalCount: number;
  readonly totals: Readonly<Record<string, ReportValue>>;
  readonly dataCompleteThrough: string | null;
  readonly from: ReportValue;
  readonly through: ReportValue;
  readonly missingDays: readonly string[];
  readonly gapDays: readonly string[];
  /** Of each of the other tables with rows: its name, latest day, number of missing days, and the first of these. */
  readonly tables: ReportValue;
  /** With a compared period. */
  readonly comparedTotals?: Readonly<Record<string, ReportValue>>;
  readonly comparedMissingDays?: readonly string[];
  readonly comparedGapDays?: readonly string[];
  readonly comparedTables?: ReportValue;
}

/** Today is after all facts by default. */
type OracleSettings = Pick<ReportSettings, 'marketMinOthers' | 'weekStartsOn' | 'minUsers'> & {
  readonly today?: string;
};

/** Computes reports by SQL, over the same rows as the engine. */
export interface Oracle {
  run(query: ReportQuery, scope: ReportScope, settings?: OracleSettings): Promise<OracleResult>;
  /** @returns the rows of any statement, by column name */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  close(): void;
}

type Columns = Readonly<Record<string, string>>;

const KEYS: Columns = {
  experience: 'VARCHAR',
  advertiser_id: 'BIGINT',
  day: 'DATE',
  hour: 'INTEGER',
  ad_group_id: 'BIGINT',
  placement_id: 'BIGINT',
  division_banner: 'VARCHAR',
  keyword: 'VARCHAR',
  entity_id: 'VARCHAR',
  creative_key: 'VARCHAR',
  match_type: 'VARCHAR',
  search_term: 'VARCHAR',
  conversion_source: 'VARCHAR',
  purchased_entity_id: 'VARCHAR',
};

const CUSTOM_KEYS: Columns = Object.fromEntries(
  Object.entries(CUSTOM_FIELDS.dimensions).flatMap(([name, { tables }]) => (tables ? [[name, 'VARCHAR']] : [])),
);

const SCALES = { ...SUMS, market: { market_impressions: 1, market_advertisers: 1 } } as const;

/** Columns of both campaigns and ad groups. */
const FLIGHT_AND_BUDGET: Columns = {
  startDate: 'DATE',
  endDate: 'DATE',
  budget: 'DECIMAL(18, 6)',
  budgetType: 'VARCHAR',
  budgets: 'VARCHAR',
  status: 'VARCHAR',
  archived: 'INTEGER',
};
const TABLES: Readonly<Record<keyof Dataset['tables'], Columns>> = {
  accounts: { id: 'BIGINT', name: 'VARCHAR' },
  advertisers: {
    ...{ id: 'BIGINT', name: 'VARCHAR', advertiserType: 'VARCHAR', accountId: 'BIGINT' },
    ...{ brandNames: 'VARCHAR[]', accountIds: 'BIGINT[]' },
  },
  placements: { id: 'BIGINT', name: 'VARCHAR' },
  campaigns: { id: 'BIGINT', advertiserId: 'BIGINT', shortId: 'VARCHAR', name: 'VARCHAR', ...FLIGHT_AND_BUDGET },
  ad_groups: {
    ...{ id: 'BIGINT', advertiserId: 'BIGINT', campaignId: 'BIGINT', shortId: 'VARCHAR', name: 'VARCHAR' },
    segmentIds: 'VARCHAR[]',
    products: 'VARCHAR[]',
    experience: 'VARCHAR',
    ...FLIGHT_AND_BUDGET,
  },
  creatives: { key: 'VARCHAR', advertiserId: 'BIGINT', name: 'VARCHAR' },
  insertion_orders: {
    ...{ campaignId: 'BIGINT', billings: 'VARCHAR', purchaseOrderNumber: 'VARCHAR', ioName: 'VARCHAR' },
    ...{
      ioNumber: 'VARCHAR',
      ioTotalAmount: 'DECIMAL(18, 6)',
      ioRemainingAmount: 'DECIMAL(18, 6)',
      ioLineItemName: 'VARCHAR',
    },
    ...{ ioLineItemNumber: 'VARCHAR', ioLineItemAmount: 'DECIMAL(18, 6)' },
  },
  products: {
    ...{ upc: 'VARCHAR', advertiserId: 'BIGINT', name: 'VARCHAR', brand: 'VARCHAR', department: 'VARCHAR' },
    ...{ departmentId: 'VARCHAR', commodity: 'VARCHAR', commodityId: 'VARCHAR', subCommodity: 'VARCHAR' },
    ...{ subCommodityId: 'VARCHAR', entityGroup: 'VARCHAR', entityGroupId: 'VARCHAR' },
  },
  freshness: { experience: 'VARCHAR', advertiserId: 'BIGINT', table: 'VARCHAR', completeThrough: 'DATE' },
};

/** SQL functions of integers or sums of fractions (`5/7+10/31`) that compute exactly and round once; null where a divisor is 0 or an argument is null. */
const FUNCTIONS = [
  exactFunction('quotient', 2, ([a, b]) => (a && b ? nearestQuotient(a, b) : null)),
  exactFunction('change_of', 4, (parts) => nearestChange(parts, false)),
  exactFunction('relative_change_of', 4, (parts) => nearestChange(parts, true)),
];

function exactFunction(name: string, count: number, compute: (parts: readonly Fraction[]) => number | null) {
  return DuckDBScalarFunction.create({
    name,
    returnType: DOUBLE,
    parameterTypes: new Array(count).fill(VARCHAR),
    mainFunction: (_info, input, output) => {
      const vectors = Array.from({ length: count }, (_, at) => input.getColumnVector(at));
      for (let row = 0; row < input.rowCount; row++) {
        const texts = vectors.map((vector) => vector.getItem(row)).filter((text) => typeof text === 'string');
        output.setItem(row, texts.length === count ? compute(texts.map(parseFractions)) : null);
      }
      output.flush();
    },
  });
}

/** @returns an in-memory DuckDB with the dataset: dimension tables, fact tables with a row id `rid`, and their users by `rid` */
export async function openOracle(data: Dataset): Promise<Oracle> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run('SET threads = 1'); // the tables are small: more threads are slower
  for (const exact of FUNCTIONS) connection.registerScalarFunction(exact);
  for (const [table, columns] of Object.entries(TABLES)) {
    const custom = customListingColumns(table).map(({ name }) => [name, 'VARCHAR']);
    await createTable(connection, table, { ...columns, ...Object.fromEntries(custom) }, tableRows(data, table));
  }
  const lacks = Map.groupBy(Object.values(data.facts).flat(), ownerOf);
  const outside = outsideOf(data);
  for (const table of ['delivery', 'conversions', 'activity', 'market'] as const) {
    await createFacts(connection, table, data.facts[table], lacks, outside);
  }
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS();
  const run = async (
    query: ReportQuery,
    scope: ReportScope,
    settings: OracleSettings = SETTINGS,
  ): Promise<OracleResult> => {
    const { weekStartsOn, minUsers = 0, today = '9999-12-31' } = settings;
    await connection.run(`SET VARIABLE min_users = ${minUsers}`);
    const of = { ...settings, today };
    const start = WEEKDAYS.indexOf(weekStartsOn) + 1;
    await connection.run(`CREATE OR REPLACE MACRO week_of(day) AS day - ((isodow(day) + 7 - ${start}) % 7)::INTEGER`);
    const { compare, ...alone } = query;
    return compare === undefined ? runOne(query, scope, of) : runCompared(alone, compare, scope, of);
  };
  /** Sorting by a change needs both periods. */
  const runCompared = async (
    query: ReportQuery,
    compare: NonNullable<ReportQuery['compare']>,
    scope: ReportScope,
    settings: SqlSettings,
  ): Promise<OracleResult> => {
    const summary = { ...query, sort: [], pagination: { offset: 0, size: 1 } };
    const now = await runOne(summary, scope, settings);
    const before = await runOne({ ...summary, ...compare }, scope, settings);
    const sql = compareSql(query, compare, scope, settings);
    for (const statement of sql.tables) await connection.run(statement);
    const [count] = await rows('SELECT count(*) AS count FROM kept');
    const totalsOf = async (statement: string) => only(reportRow((await rows(statement))[0] ?? {}), query.metrics);
    const isFiltered = groupFilters(query).length > 0;
    const totals = isFiltered ? await totalsOf(sql.totals[0]) : now.totals;
    const compared = isFiltered ? await totalsOf(sql.totals[1]) : before.totals;
    const isHidden = (name: MetricName) => settings.minUsers && countsUsers(name) && totals[name] === null;
    const shown = query.metrics.map((name) => [name, isHidden(name) ? null : (compared[name] ?? null)] as const);
    return {
      ...now,
      data: (await rows(sql.rows)).map(reportRow),
      totalCount: Number(count?.count),
      totals,
      comparedTotals: Object.fromEntries(shown),
      comparedMissingDays: before.missingDays,
      comparedGapDays: before.gapDays,
      comparedTables: before.tables,
    };
  };
  const runOne = async (query: ReportQuery, scope: ReportScope, settings: SqlSettings): Promise<OracleResult> => {
    const data = (await rows(reportSql(query, scope, settings))).map(reportRow);
    const last = data.pop();
    if (last === undefined) throw new Error('the count is missing');
    const { total_count: totalCount, complete_through: through } = last;
    if (typeof totalCount !== 'number' || typeof through === 'number') throw new Error('not a count and a date');
    return {
      data: data.map((row) => only(row, [...query.dimensions, ...query.metrics])),
      totalCount,
      totals: groupFilters(query).length > 0 ? only(last, query.metrics) : await oneRow(query, scope, settings),
      dataCompleteThrough: through ?? null,
      from: last.data_from ?? null,
      through: last.data_through ?? null,
      missingDays: listOf(last.missing_days),
      gapDays: listOf(last.gap_days),
      tables: last.tables ?? null,
    };
  };
  const oneRow = async (
    query: ReportQuery,
    scope: ReportScope,
    settings: SqlSettings,
  ): Promise<OracleResult['totals']> => {
    if (query.metrics.length === 0) return {};
    const totalsQuery: ReportQuery = { ...query, dimensions: [], sort: [], pagination: { offset: 0, size: 1 } };
    const [row] = await rows(reportSql(totalsQuery, scope, settings));
    if (row === undefined) throw new Error('the one-row report has no row');
    return only(reportRow(row), query.metrics);
  };
  return {
    rows,
    run,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function tableRows(data: Dataset, table: string): readonly DimensionRow[] {
  return Object.entries(data.tables).find(([name]) => name === table)?.[1] ?? [];
}

/** Whether the purchased product is the advertised one, or of the ad group, or of its advertiser; null if that is not known. */
const IS_DIRECT = `CASE
  WHEN entity_id IS NOT NULL THEN purchased_entity_id = entity_id
  WHEN (SELECT len(products) FROM ad_groups ag WHERE ag.id = ad_group_id) > 0
    THEN purchased_entity_id IN (SELECT unnest(products) FROM ad_groups ag WHERE ag.id = ad_group_id)
  WHEN EXISTS (FROM products pr WHERE pr.advertiserId = advertiser_id)
    THEN purchased_entity_id IN (SELECT upc FROM products pr WHERE pr.advertiserId = advertiser_id)
  END`;
const SPLIT_SQL = `UPDATE conversions SET ${SPLIT.map(
  (of) => `direct_${of} = coalesce((${IS_DIRECT})::INTEGER, 0) * halo_${of},
    other_${of} = coalesce((NOT ${IS_DIRECT})::INTEGER, 0) * halo_${of}`,
).join(', ')}`;

/** What a row without users has; null where no file has it. */
const UNIDENTIFIED: Partial<Readonly<Record<keyof typeof SCALES, string>>> = {
  delivery: 'unidentified_impressions = impressions',
  conversions:
    'unidentified_transactions = CASE WHEN halo_exposed_transactions < 0 THEN 0 ELSE halo_exposed_transactions END',
};

/** @returns the name of the measure or key in SQL: of a custom measure, that of its field */
function sqlName(column: string): string {
  const name = column.replace('own.', '');
  return Object.keys(CUSTOM_FIELDS.measures).find((field) => fileName(field) === name) ?? name;
}

const fileName = (field: string): string => CUSTOM_FIELDS.measures[field]?.column ?? field;

const ownerOf = ({ experience, advertiserId, date }: FactRow): string => `${experience}/${advertiserId}/${date}`;

/** Measures that are not 0 where an advertiser has no rows, before its first day with them. */
const OPTIONAL = new RegExp(
  [
    '^(measurable|viewable)_impressions$',
    '^new_to_brand_',
    ...Object.keys(CUSTOM_FIELDS.measures).map((name) => `^${name}$`),
  ].join('|'),
);

/**
 * @returns a function that returns the measures of the tables that nobody has in the experience of the row until its day, or from it on, unless freshness states a
 * later one, and those that few networks have before the advertiser's first day with them
 */
function outsideOf({ facts, tables: { freshness } }: Dataset): (row: FactRow) => string[] {
  const tables = (['delivery', 'conversions', 'activity'] as const).map((table) => {
    const days = Map.groupBy(facts[table], ({ experience }) => experience);
    const spans = [...days].map(([experience, rows]) => {
      const dates = rows.map(({ date }) => date).sort();
      const stated = freshness.filter((row) => row.experience === experience && row.table === table);
      const ends = [...dates, ...stated.map(({ completeThrough }) => String(completeThrough))].sort();
      return [experience, [dates[0] ?? '', ends.at(-1) ?? '']] as const;
    });
    return { table, spans: new Map(spans) };
  });
  const begins = new Map<string, string>();
  for (const table of ['delivery', 'conversions', 'activity'] as const)
    for (const { experience, advertiserId, date, unmeasured } of facts[table])
      for (const measure of Object.keys(SUMS[table]).filter((name) => OPTIONAL.test(name))) {
        const of = `${experience}/${advertiserId}/${measure}`;
        const lacks = unmeasured?.some((column) => sqlName(column) === measure);
        if (!lacks && date < (begins.get(of) ?? '9')) begins.set(of, date);
      }
  const optional = Object.values(SUMS).flatMap((sums) => Object.keys(sums).filter((name) => OPTIONAL.test(name)));
  return ({ experience, advertiserId, date }) => [
    ...tables.flatMap(({ table, spans }) => {
      const [first = '9', last = ''] = spans.get(experience) ?? [];
      return date < first || date > last ? Object.keys(SUMS[table]) : [];
    }),
    ...optional.filter((measure) => date < (begins.get(`${experience}/${advertiserId}/${measure}`) ?? '9')),
  ];
}

/** @param byDay all rows of all tables by advertiser, experience and day: `lacks` has the measures that these lack in any table */
async function createFacts(
  connection: DuckDBConnection,
  table: keyof typeof SCALES,
  facts: readonly FactRow[],
  byDay: ReadonlyMap<string, readonly FactRow[]>,
  outside: (row: FactRow) => readonly string[],
): Promise<void> {
  const lackedOn = new Map(
    [...byDay].map(([day, rows]) => {
      const columns = new Set(rows.flatMap((row) => (row.unmeasured ?? []).map(sqlName)));
      return [day, [...columns].flatMap((name): string[] => [name, ...partsOf(name)])];
    }),
  );
  const measures = Object.fromEntries(Object.keys(SCALES[table]).map((measure) => [measure, 'BIGINT']));
  const rows = facts.map((row, rid) => {
    const { users: _users, unmeasured: _unmeasured, advertiserId, date, ...rest } = row;
    const loaded: DimensionRow = rest;
    const lacks = [...(lackedOn.get(ownerOf(row)) ?? []), ...outside(row)];
    const scaled = Object.entries(SCALES[table]).map(([name, scale]) => [
      name,
      lacks.some((measure) => measure === name) ? null : Math.round(Number(loaded[fileName(name)] ?? 0) * scale),
    ]);
    return { ...rest, rid, lacks, advertiser_id: advertiserId, day: date, ...Object.fromEntries(scaled) };
  });
  await createTable(
    connection,
    table,
    { rid: 'INTEGER', lacks: 'VARCHAR[]', ...KEYS, ...CUSTOM_KEYS, ...measures },
    rows,
  );
  if (table === 'conversions') await connection.run(SPLIT_SQL);
  const users = facts.flatMap(({ users }, rid) => [...new Set(users ?? [])].map((user_id) => ({ rid, user_id })));
  await createTable(connection, `${table}_users`, { rid: 'INTEGER', user_id: 'VARCHAR' }, users);
  const unidentified = UNIDENTIFIED[table];
  if (unidentified !== undefined)
    await connection.run(`UPDATE ${table} SET ${unidentified} WHERE rid NOT IN (SELECT rid FROM ${table}_users)`);
}

/** Creates a table from rows. All cells are appended as text and then cast to the column's type. */
async function createTable(
  connection: DuckDBConnection,
  table: string,
  columns: Columns,
  rows: readonly DimensionRow[],
): Promise<void> {
  const names = Object.keys(columns);
  await connection.run(`CREATE TABLE raw (${names.map((name) => `"${name}" VARCHAR`).join(', ')})`);
  const appender = await connection.createAppender('raw');
  for (const row of rows) {
    for (const name of names) {
      const cell = asText(row[name]);
      if (cell === null) appender.appendNull();
      else appender.appendVarchar(cell);
    }
    appender.endRow();
  }
  appender.closeSync();
  const typed = Object.entries(columns).map(([name, type]) =>
    type.endsWith('[]')
      ? `from_json("${name}", '["${type.slice(0, -2)}"]') AS "${name}"`
      : `CAST("${name}" AS ${type}) AS "${name}"`,
  );
  await connection.run(`CREATE TABLE ${table} AS SELECT ${typed.join(', ')} FROM raw`);
  await connection.run('DROP TABLE raw');
}

function asText(cell: Cell | undefined): string | null {
  if (cell === undefined || cell === null) return null;
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return String(cell);
  return cell.length === 0 ? null : JSON.stringify(cell);
}

function reportRow(row: Readonly<Record<string, unknown>>): Record<string, ReportValue> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value === 'bigint') return [name, Number(value)];
      if (value === null || typeof value === 'string' || typeof value === 'number') return [name, value];
      throw new Error(`${name} has the type ${typeof value}`);
    }),
  );
}

function only(row: Readonly<Record<string, ReportValue>>, names: readonly string[]): Record<string, ReportValue> {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

const listOf = (text: ReportValue | undefined): string[] =>
  String(text ?? '')
    .split(',')
    .filter((part) => part !== '');
