import { expect, test } from 'vitest';
import { PLATFORM_ID } from '../../../shared/catalog/partitions.ts';
import { TABLE_MEASURES } from '../../../shared/catalog/tables.ts';
import { unpackColumns } from '../../../shared/columns/pack.ts';
import { CUBES, type Cube, decodeCube } from '../../../shared/columns/rollup.ts';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { useEngine } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { folderOf } from '../folder.ts';
import { FACTS, type FolderRows, NETWORK } from '../network-rows.ts';
import { omitEmpty, type Row, readStoredNetwork } from '../read-stored-network.ts';

const engine = useEngine();

const EACH_CUBE = Object.keys(CUBES) as Cube[]; // keys of the literal are the union

/** Rows of every cube of every month, as they are stored. */
async function readRollups(table: Table): Promise<Record<string, readonly Row[]>> {
  const source = openSegmentSource(table, await readCommit(table));
  const found: Record<string, readonly Row[]> = {};
  for (const [advertiserId, { rollups = new Map() }] of await source.factHeads([PLATFORM_ID, 10, 11])) {
    for (const [experience, months] of rollups) {
      for (const [month, entry] of months) {
        const ref = { advertiserId, experience, month };
        for await (const { packed, users } of source.rollups([{ ref, entry }], [...entry.users.keys()])) {
          const columns = new Map([...unpackColumns(packed, month), ...users]);
          for (const cube of EACH_CUBE) {
            const rows = cubeRows(cube, columns);
            if (rows.length > 0) found[`${experience} ${cube} ${advertiserId} ${month}`] = rows;
          }
        }
      }
    }
  }
  return found;
}

function cubeRows(cube: Cube, all: ReadonlyMap<string, Uint8Array>): Row[] {
  const own = [...all].filter(([name]) => name.startsWith(`${cube}/`));
  const columns = new Map(own.map(([name, bytes]) => [name.slice(cube.length + 1), bytes]));
  const { rows, keys, measures, users } = decodeCube(cube, columns, cube);
  return Array.from({ length: rows }, (_, row) =>
    omitEmpty({
      ...Object.fromEntries([...keys].map(([name, values]) => [name, values[row]])),
      ...Object.fromEntries([...measures].map(([name, values]) => [name, values[row]])),
      users: users === undefined ? [] : [...users.hashes.subarray(users.offsets[row], users.offsets[row + 1])],
    }),
  );
}

/** The same, counted plainly over the facts of every day. */
async function countPlainly(table: Table): Promise<Record<string, readonly Row[]>> {
  const { facts } = await readStoredNetwork(table);
  const found: Record<string, Row[]> = {};
  for (const cube of EACH_CUBE) {
    for (const [name, rows] of Object.entries(facts)) {
      const [experience, factTable, advertiserId, date = ''] = name.split(' ');
      if (factTable !== CUBES[cube].table) continue;
      const summed = sumBy(
        cube,
        rows.map((row) => ({ ...row, date: Number(date.slice(8)) })),
      );
      const month = `${experience} ${cube} ${advertiserId} ${date.slice(0, 7)}`;
      found[month] = [...(found[month] ?? []), ...summed];
    }
  }
  return found;
}

function sumBy(cube: Cube, rows: readonly Row[]): Row[] {
  const { keys, table } = CUBES[cube];
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keys.map((key) => row[key])));
  return [...groups.values()].map((equal) => {
    const sum = (measure: string) => equal.reduce((total, row) => total + Number(row[measure] ?? 0), 0);
    const users = equal.flatMap(({ users: own }) => (Array.isArray(own) ? own.map(Number) : []));
    return omitEmpty({
      ...Object.fromEntries(keys.map((key) => [key, equal[0]?.[key] ?? null])),
      ...Object.fromEntries(Object.keys(TABLE_MEASURES[table]).map((measure) => [measure, sum(measure)])),
      users: [...new Set(users)].sort((a, b) => a - b),
    });
  });
}

const textOf = (row: Row) => JSON.stringify(Object.entries(row).sort());
const sorted = (months: Record<string, readonly Row[]>) =>
  Object.fromEntries(Object.entries(months).map(([name, rows]) => [name, rows.map(textOf).sort()]));

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
    using folder = folderOf(rows);
    expect((await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' })).outcome).toBe('loaded');
    const expected = await countPlainly(table);
    expect(Object.keys(expected).length).toBeGreaterThan(4);
    expect(sorted(await readRollups(table))).toEqual(sorted(expected));
  }
});
