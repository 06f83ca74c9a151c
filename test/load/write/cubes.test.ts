import { expect, test } from 'vitest';
import { type Cube, cubeKeys, cubesOf } from '../../../shared/catalog/cubes.ts';
import { type CubeEntry, type FactHead, PLATFORM_ID } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-source.ts';
import { FACT_TABLES, type FactTable, TABLE_MEASURES } from '../../../shared/catalog/tables.ts';
import { unpackColumns } from '../../../shared/columns/pack.ts';
import { decodeCube } from '../../../shared/columns/rollup.ts';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import type { LoadLimits } from '../../../shared/load/open-resources.ts';
import type { ReportQuery } from '../../../shared/report/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { readsOf } from '../../../shared/store/facts/rollups.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { factHeadKey } from '../../../shared/store/table/keys.ts';
import { compressJson } from '../../../shared/store/table/zstd.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useEngine } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { folderOf } from '../folder.ts';
import { FACTS, type FolderRows, NETWORK } from '../network-rows.ts';
import { omitEmpty, type Row, readStoredNetwork } from '../read-stored-network.ts';

const engine = useEngine();

const openSource = async (table: Table) => openSegmentSource(table, await readCommit(table));

const load = async (table: Table, rows: FolderRows, limits: LoadLimits = {}) => {
  using folder = folderOf(rows);
  return (await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC', limits })).outcome;
};

/** Rows of every cube of every month, as they are stored, by experience, cube, table, advertiser and month. */
async function readStored(table: Table): Promise<Record<string, readonly Row[]>> {
  const source = await openSource(table);
  const found: Record<string, readonly Row[]> = {};
  for (const [advertiserId, { rollups = new Map() }] of await source.factHeads([PLATFORM_ID, 10, 11])) {
    for (const [experience, months] of rollups) {
      for (const [month, entry] of months) {
        const ref = { advertiserId, experience, month };
        for await (const { read, encoded } of source.cubes(readsOf({ ref, entry }))) {
          const columns = new Map([...unpackColumns(encoded.packed, month), ...encoded.columns]);
          for (const [factTable, count] of read.entry.rows) {
            const rows = cubeRows(read.cube, factTable, columns);
            expect(rows.length).toBe(count);
            found[`${experience} ${read.cube} ${factTable} ${advertiserId} ${month}`] = rows;
          }
        }
      }
    }
  }
  return found;
}

function cubeRows(cube: Cube, table: FactTable, all: ReadonlyMap<string, Uint8Array>): Row[] {
  const own = [...all].filter(([name]) => name.startsWith(`${table}/`));
  const columns = new Map(own.map(([name, bytes]) => [name.slice(table.length + 1), bytes]));
  const { rows, keys, measures, users } = decodeCube(cube, table, columns, cube);
  return Array.from({ length: rows }, (_, row) =>
    omitEmpty({
      ...Object.fromEntries([...keys].map(([name, { dictionary, codes }]) => [name, dictionary[codes[row] ?? -1]])),
      ...Object.fromEntries([...measures].map(([name, values]) => [name, values[row]])),
      users: users === undefined ? [] : [...users.hashes.subarray(users.offsets[row], users.offsets[row + 1])],
    }),
  );
}

/** The same for every cube that could be stored, counted plainly over the facts of every day. */
async function countPlainly(table: Table): Promise<Record<string, readonly Row[]>> {
  const { facts } = await readStoredNetwork(table);
  const found: Record<string, Row[]> = {};
  for (const [name, rows] of Object.entries(facts)) {
    const [experience, tableName, advertiserId, date = ''] = name.split(' ');
    const factTable = FACT_TABLES.find((candidate) => candidate === tableName);
    const dated = rows.map((row) => ({ ...row, date: Number(date.slice(8)) }));
    for (const cube of factTable === undefined ? [] : cubesOf(factTable)) {
      const month = `${experience} ${cube} ${factTable} ${advertiserId} ${date.slice(0, 7)}`;
      found[month] = [...(found[month] ?? []), ...sumBy(cube, factTable ?? 'delivery', dated)];
    }
  }
  return found;
}

function sumBy(cube: Cube, table: FactTable, rows: readonly Row[]): Row[] {
  const keys = cubeKeys(cube);
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keys.map((key) => row[key])));
  return [...groups.values()].map((equal) => {
    const sum = (measure: string) => equal.reduce((total, row) => total + Number(row[measure] ?? 0), 0);
    const users =
      cube === 'ad_group_id' ? equal.flatMap((row) => (Array.isArray(row.users) ? row.users.map(Number) : [])) : [];
    return omitEmpty({
      ...Object.fromEntries(keys.map((key) => [key, equal[0]?.[key] ?? null])),
      ...Object.fromEntries(Object.keys(TABLE_MEASURES[table]).map((measure) => [measure, sum(measure)])),
      users: [...new Set(users)].sort((a, b) => a - b),
    });
  });
}

const textOf = (row: Row) => JSON.stringify(Object.entries(row).sort());
const sorted = (months: Record<string, readonly Row[]>, isCompared = (_: string) => true) =>
  Object.fromEntries(
    Object.entries(months)
      .filter(([name, rows]) => rows.length > 0 && isCompared(name))
      .map(([name, rows]) => [name, rows.map(textOf).sort()]),
  );

test('after every load the rollups of each month are the sums of its days, with the users of its days', async () => {
  const { table } = await engine.createTable();
  const row = { ...FACTS['facts/pla/delivery']?.[0], users: ['zoe', 'ann'] };
  const market = { daily_date: '2026-03-02', hour: 9, placement_id: 2, keyword: 'oat milk', impressions: 3 };
  const steps: FolderRows[] = [
    { ...NETWORK, ...FACTS },
    {
      'facts/pla/delivery': [
        { ...row, hour: 3 },
        { ...row, hour: 4, ad_group_id: 1000 },
      ],
    },
    {
      'facts/pla/delivery': [
        { ...row, daily_date: '2026-03-31' },
        { ...row, daily_date: '2026-04-01' },
      ],
    },
    { 'facts/pla/market': [market], 'facts/toa/activity': [...(FACTS['facts/pla/activity'] ?? [])] },
    { ...FACTS },
    {
      deletions: [
        { experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-02' },
        { experience: 'pla', table: 'conversions', day: '2026-03-03' },
        { experience: 'pla', table: 'market', day: '2026-03-03' },
        { experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-04-01' },
      ],
      'facts/pla/delivery': [{ ...row, daily_date: '2026-03-31', hour: 5 }],
    },
  ];
  for (const rows of steps) {
    expect(await load(table, rows)).toBe('loaded');
    const expected = sorted(await countPlainly(table), (name) => name.includes(' ad_group_id ')); // months this small have no other cube
    expect(Object.keys(expected).length).toBeGreaterThan(4);
    expect(sorted(await readStored(table))).toEqual(expected);
  }
});

const ROWS_OF_LARGE_DAY = 4_000;

/** Rows of one day: 2 ad groups × 24 hours × 2 placements × 5 banners, and far more keywords; for a small day, as many of the rows. */
function delivery(day: number, rows = ROWS_OF_LARGE_DAY): FolderRows[string] {
  return Array.from({ length: rows }, (_, row) => ({
    ...{ daily_date: `2026-03-${String(day).padStart(2, '0')}`, hour: row % 24, ad_group_id: 1000 + (row % 2) },
    ...{
      placement_id: 1 + (row % 2),
      division_banner: `b${row % 5}`,
      keyword: `word ${(row * 7_919) % 100_003}`,
      impressions: 1 + ((row * row) % 97),
    },
    ...{ clicks: row % 2, cost: ((row * 31) % 89) / 8, users: [`u${row % 50}`] },
  }));
}

const conversions = (day: number): FolderRows[string] =>
  (FACTS['facts/pla/conversions'] ?? []).map((row) => ({
    ...row,
    daily_date: `2026-03-${String(day).padStart(2, '0')}`,
  }));

const DAYS = [2, 3, 4];
const LARGE_MONTH: FolderRows = {
  ...NETWORK,
  'facts/pla/delivery': DAYS.flatMap((day) => delivery(day)),
  'facts/pla/conversions': DAYS.flatMap(conversions),
};
const KEPT = ['creative_key', 'division_banner', 'entity_id', 'hour', 'placement_id'];

const scope = { accountIds: new Set([1]), advertiserIds: [10], ownAdvertiserIds: [10] };

/** @returns the cubes of the month, after a comparison of its cubes, and of reports by each key and by some pairs, with its days */
async function checkMonth(table: Table, compared: 'sums' | 'all' = 'all'): Promise<string[]> {
  const comparedRows = (rows: readonly Row[]) =>
    compared === 'all' ? rows : rows.map(({ users: _, ...sums }) => sums);
  const comparedOf = (months: Record<string, readonly Row[]>) =>
    Object.fromEntries(Object.entries(months).map(([name, rows]) => [name, comparedRows(rows)]));
  const [stored, plain] = [comparedOf(await readStored(table)), comparedOf(await countPlainly(table))];
  const march = Object.keys(stored).filter((name) => name.endsWith('2026-03'));
  expect(sorted(stored)).toEqual(sorted(plain, (name) => name in stored));
  const source = await openSource(table);
  const withoutCubes = ({ rollups: _, ...head }: FactHead): FactHead => head;
  const days: SegmentSource = {
    ...source,
    factHeads: async (ids) => new Map([...(await source.factHeads(ids))].map(([id, head]) => [id, withoutCubes(head)])),
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
      for (const metrics of [query.metrics, query.metrics.slice(0, 5)]) {
        const input = { query: { ...query, metrics }, scope, settings: SETTINGS };
        expect(await runReport({ ...input, source })).toEqual(await runReport({ ...input, source: days }));
      }
    }
  }
  return [
    ...new Set(
      march.flatMap((name) => (name.startsWith('pla') && name.includes(' 10 ') ? [name.split(' ')[1] ?? ''] : [])),
    ),
  ].sort();
}

test('a month has the cubes that shrink its rows, and these equal its days through patches and deletions', async () => {
  const { table } = await engine.createTable();
  const cubesAfter = async (rows: FolderRows) => {
    expect(await load(table, rows)).toBe('loaded');
    return checkMonth(table);
  };
  const all = ['ad_group_id', ...KEPT];
  expect(await cubesAfter(LARGE_MONTH)).toEqual(all);
  // a day is replaced, one is added, one is emptied
  expect(await cubesAfter({ 'facts/pla/delivery': delivery(3).slice(7) })).toEqual(all);
  expect(await cubesAfter({ 'facts/pla/delivery': delivery(20), 'facts/pla/conversions': conversions(21) })).toEqual(
    all,
  );
  const emptied = [{ experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-02' }];
  expect(await cubesAfter({ deletions: emptied })).toEqual(all);
  // activity comes to the month only now: it is part of the cubes that have it
  const activity = [{ daily_date: '2026-03-05', hour: 4, ad_group_id: 1000, live_seconds: 60 }];
  expect(await cubesAfter({ 'facts/pla/activity': activity })).toEqual(all);
  // of small days, the rollup is enough; the other cubes cannot come back with one day
  const small = [3, 4, 20].flatMap((day) => delivery(day, 100));
  expect(await cubesAfter({ 'facts/pla/delivery': small })).toEqual(['ad_group_id']);
  expect(await cubesAfter({ 'facts/pla/delivery': delivery(25) })).toEqual(['ad_group_id']);
  expect(await cubesAfter(LARGE_MONTH)).toEqual(['ad_group_id']); // days 20 and 25 are not in the folder
  const rest = [2, 3, 4, 20, 25].flatMap((day) => delivery(day, ROWS_OF_LARGE_DAY - 1));
  expect(
    await cubesAfter({ 'facts/pla/delivery': rest, 'facts/pla/conversions': [...DAYS, 21].flatMap(conversions) }),
  ).toEqual(all);
});

test('a month that is loaded day by day has its cubes from the first day on', async () => {
  const { table } = await engine.createTable();
  for (const day of DAYS) {
    const facts = { 'facts/pla/delivery': delivery(day), 'facts/pla/conversions': conversions(day) };
    expect(await load(table, day === DAYS[0] ? { ...NETWORK, ...facts } : facts)).toBe('loaded');
    expect(await checkMonth(table)).toEqual(['ad_group_id', ...KEPT]);
  }
});

test('a month whose users take too much memory has a rollup without users, which reports read by day, until a load has all of its days', async () => {
  const { table } = await engine.createTable();
  const manyUsers = (day: number) => (delivery(day) ?? []).map((row, user) => ({ ...row, users: [`u${user}`] }));
  const all = ['ad_group_id', ...KEPT];
  const limits = { rollupBytes: 700_000 };
  const after = async (rows: FolderRows, given: LoadLimits = {}) => {
    expect(await load(table, rows, given)).toBe('loaded');
    const cubes = await checkMonth(table, 'sums');
    const head = (await (await openSource(table)).factHeads([10])).get(10);
    const months = [...(head?.rollups?.get('pla') ?? [])];
    const hasUsers = months.map(([month, entry]) => {
      const columns = [...(entry.cubes.get('ad_group_id')?.columns.keys() ?? [])];
      return [month, columns.some((name) => name.startsWith('delivery/users'))];
    });
    return { cubes, users: Object.fromEntries(hasUsers) };
  };
  // the users of the loaded days are too many
  const large = { ...LARGE_MONTH, 'facts/pla/delivery': DAYS.flatMap(manyUsers) };
  expect(await after(large, limits)).toEqual({ cubes: all, users: { '2026-03': false } });
  // the users of one more day do not make those of the month complete
  expect(await after({ 'facts/pla/delivery': delivery(5) })).toEqual({ cubes: all, users: { '2026-03': false } });
  // another month has its users
  const april = (delivery(1, 20) ?? []).map((row) => ({ ...row, daily_date: '2026-04-01' }));
  const both = { '2026-03': false, '2026-04': true };
  expect(await after({ 'facts/pla/delivery': april }, limits)).toEqual({ cubes: all, users: both });
  // with enough memory, all days of the month bring the users back; with too little, they are dropped before the stored ones are decoded
  const rest = [...DAYS, 5].flatMap((day) => manyUsers(day).slice(1));
  const complete = { '2026-03': true, '2026-04': true };
  const facts = { 'facts/pla/delivery': rest, 'facts/pla/conversions': [...DAYS, 5].flatMap(conversions) };
  expect(await after(facts)).toEqual({ cubes: all, users: complete });
  expect(await after({ 'facts/pla/delivery': delivery(4, 300) }, limits)).toEqual({ cubes: all, users: both });
});

test('a month whose rows take too much memory has fewer cubes or none, and is read by day', async () => {
  const { table } = await engine.createTable();
  expect(await load(table, LARGE_MONTH, { rollupBytes: 60_000 })).toBe('loaded');
  const some = await checkMonth(table);
  expect(some).toContain('ad_group_id');
  expect(some.length).toBeLessThan(1 + KEPT.length);
  expect(await load(table, { 'facts/pla/delivery': delivery(3).slice(7) }, { rollupBytes: 1_000 })).toBe('loaded');
  expect(await checkMonth(table)).toEqual([]);
  const small = { ...delivery(4, 20)?.[0], daily_date: '2026-04-01' };
  expect(await load(table, { 'facts/pla/delivery': [small] })).toBe('loaded');
  expect(Object.keys(await readStored(table))).toContain('pla ad_group_id delivery 10 2026-04');
});

test('a month of an older version is read from its rollup, and the next load of any of its days writes its cubes', async () => {
  const { table } = await engine.createTable();
  await load(table, LARGE_MONTH);
  const key = factHeadKey(10);
  const makeOld = async () => {
    const item = await table.get(key, { consistent: true });
    const source = await openSource(table);
    const rollups = (await source.factHeads([10])).get(10)?.rollups;
    const old = [...(rollups ?? [])].flatMap(([experience, months]) =>
      [...months].map(([month, { version, cubes }]) => {
        const { bytes = 0, columns = new Map() } = cubes.get('ad_group_id') ?? {};
        return [experience, month, version, bytes, Object.fromEntries(columns)];
      }),
    );
    const versions = (item?.versions ?? []) as { n: number; value: Record<string, unknown> }[]; // as writeHeads writes them
    const last = versions.at(-1);
    const { cubes: _, ...others } = last?.value ?? {};
    const value = { ...others, rollups: compressJson(old) };
    await table.putMany([{ ...item, ...key, versions: [{ n: last?.n ?? 0, value }] }]);
  };
  const entriesOf = async (): Promise<readonly (readonly [Cube, CubeEntry])[]> => {
    const head = (await (await openSource(table)).factHeads([10])).get(10);
    return [...(head?.rollups?.get('pla')?.get('2026-03')?.cubes ?? [])];
  };
  const written = await entriesOf();
  await makeOld();
  expect((await entriesOf()).map(([cube]) => cube)).toEqual(['ad_group_id']);
  expect(await load(table, LARGE_MONTH)).toBe('loaded'); // the same days, which are not written again
  expect(await entriesOf()).toEqual(written);
  await checkMonth(table);
  await makeOld();
  expect(await load(table, { 'facts/pla/delivery': delivery(2) })).toBe('loaded');
  const [rollup, ...others] = await entriesOf();
  expect(rollup).toEqual(written[0]);
  expect(others).toEqual([]); // the load has one day of three
  expect(await load(table, LARGE_MONTH)).toBe('unchanged');
});
