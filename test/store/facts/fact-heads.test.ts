import { describe, expect, test } from 'vitest';
import {
  DAY_COLUMNS,
  EXPERIENCES,
  type Experience,
  type FactTable,
  isOptional,
  tableOf,
} from '../../../shared/catalog/tables.ts';
import type { DayRange } from '../../../shared/layout/day-ranges.ts';
import type { DayList, FactHead, RollupEntry } from '../../../shared/layout/partitions.ts';
import { dayNumber } from '../../../shared/lib/calendar.ts';
import { beginCommit, type CommitWriter, readCommit } from '../../../shared/store/commit/commits.ts';
import { readDimensionTables, writeDimensionTable } from '../../../shared/store/facts/dimension-items.ts';
import { decodeFactHead, encodeFactHead } from '../../../shared/store/facts/fact-heads.ts';
import { sizeOf } from '../../../shared/store/table/item.ts';
import type { Meter } from '../../../shared/store/table/table.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { useTablePerTest } from '../../support/use-engine.ts';

const ROLLUP: RollupEntry = {
  version: 5,
  rows: new Map([['delivery', 20]]),
  bytes: 9,
  columns: new Map([['delivery/users_0', 8]]),
};

const rangeOf = (from: string, to: string): DayRange => [dayNumber(from), dayNumber(to)];

test('a fact head is parsed as it was formatted, with the months of its days', () => {
  const head: FactHead = {
    advertiserId: 7,
    months: new Map<Experience, ReadonlyMap<FactTable, readonly string[]>>([
      ['pla', new Map([['delivery', ['2024-11', '2024-12', '2025-01', '2025-03', '2026-01']]])],
      ['toa', new Map([['market', ['2025-12']]])],
    ]),
    latestDelivery: new Map([['pla', '2026-01-09']]),
    versions: new Map([
      ['pla', 5],
      ['toa', 3],
    ]),
    days: new Map<Experience, ReadonlyMap<DayList, readonly DayRange[]>>([
      [
        'pla',
        new Map<DayList, readonly DayRange[]>([
          [
            'delivery',
            [
              rangeOf('2024-11-30', '2025-01-01'),
              rangeOf('2025-03-04', '2025-03-09'),
              rangeOf('2026-01-09', '2026-01-09'),
            ],
          ],
          ['undelivered', [rangeOf('2025-03-31', '2025-03-31')]],
        ]),
      ],
      ['toa', new Map<DayList, readonly DayRange[]>([['market', [rangeOf('2025-12-01', '2025-12-31')]]])],
    ]),
    rollups: new Map([
      [
        'pla',
        new Map<string, RollupEntry>([
          ['2025-12', ROLLUP],
          ['2026-01', { ...ROLLUP, version: 3 }],
        ]),
      ],
    ]),
  };
  const { unmeasured, ...decoded } = decodeFactHead(7, encodeFactHead(head));
  expect(decoded).toEqual(head);
  // what few networks have is not 0 on days on which its table has no rows
  const range = [rangeOf('2024-11-30', '2026-01-09')];
  expect(unmeasured?.get('pla')).toEqual(
    new Map(
      DAY_COLUMNS.filter((name) => isOptional(name) && tableOf(name) !== 'delivery' && !name.includes('/')).map(
        (name) => [name, range],
      ),
    ),
  );
});

/** A head of 208 KB did not fit into an item with a second version: every later load of the advertiser failed. */
test('a head with facts in all months that facts may have, each with missing days, takes less than a third of an item', () => {
  const random = randomFrom(1);
  const months = Array.from({ length: 1200 }, (_, i) => {
    return `${2000 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`;
  });
  const entry = (): RollupEntry => {
    const sizes = Array.from({ length: 3 }, (_, band) => [`delivery/users_${band}`, 40 + random.int(1_000)] as const);
    const version = 1 + random.int(1_000_000);
    return { version, rows: ROLLUP.rows, bytes: 300 + random.int(10_000), columns: new Map(sizes) };
  };
  const ranges = months.map((month) => rangeOf(`${month}-01`, `${month}-27`));
  const ofExperiences = EXPERIENCES.map((name) => {
    const tables = (['delivery', 'conversions', 'activity'] as const).map((table) => [table, ranges] as const);
    return [name, new Map(tables)] as const;
  });
  const head: FactHead = {
    advertiserId: 7,
    ...{ months: new Map(), latestDelivery: new Map() },
    days: new Map<Experience, ReadonlyMap<DayList, readonly DayRange[]>>(ofExperiences),
    versions: new Map(),
    rollups: new Map(EXPERIENCES.map((name) => [name, new Map(months.map((month) => [month, entry()]))])),
  };
  const bytes = [...encodeFactHead(head).columns.values()].reduce((sum, column) => sum + column.length, 0);
  expect(bytes).toBeLessThan(130_000);
});

describe('dimension tables', () => {
  const made = useTablePerTest();

  const load = async (write: (writer: CommitWriter) => Promise<unknown>) => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    await write(writer);
    await writer.finish();
  };

  const tableOf = (seed: number, bytes: number) => ({
    rows: seed,
    columns: new Map([
      ['id', new Uint8Array(bytes).fill(seed)],
      ['name', new Uint8Array(bytes * 2).fill(seed + 1)],
    ]),
  });

  const stored = (seed: number, bytes: number) => ({ ...tableOf(seed, bytes), version: expect.any(Number) });

  test.each([
    ['small, and stored in its head,', 100, 1],
    ['large, and stored in segments,', 400_000, 2],
  ])('a table that is %s is read with the requested columns', async (_what, bytes, calls) => {
    await load((writer) => writeDimensionTable(writer, 'products', 7, tableOf(5, bytes)));
    await load((writer) => writeDimensionTable(writer, 'products', 8, tableOf(6, 9)));
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const state = await readCommit(made.table);
    const id = await readDimensionTables(made.table.metered(meter), 'products', [9, 7], state, ['id', 'nothing']);
    const columns = new Map([['id', new Uint8Array(bytes).fill(5)]]);
    expect(id).toEqual(new Map([[7, { ...stored(5, bytes), columns }]]));
    expect(meter.calls).toBe(calls);
    expect(await readDimensionTables(made.table, 'products', [7, 8], state)).toEqual(
      new Map([
        [7, stored(5, bytes)],
        [8, stored(6, 9)],
      ]),
    );
    expect(await readDimensionTables(made.table, 'campaigns', [7, 8], state)).toEqual(new Map());
  });

  test('a load writes only tables that change, and removes tables without rows', async () => {
    await load((writer) => writeDimensionTable(writer, 'products', 7, tableOf(5, 9_000)));
    await load(async (writer) => {
      expect(await writeDimensionTable(writer, 'products', 7, tableOf(5, 9_000))).toBe('unchanged');
      expect(await writeDimensionTable(writer, 'products', 8, { rows: 0, columns: new Map() })).toBe('unchanged');
    });
    expect((await readCommit(made.table)).commit).toBe(1);
    const readNow = async () => readDimensionTables(made.table, 'products', [7], await readCommit(made.table));
    await load((writer) => writeDimensionTable(writer, 'products', 7, tableOf(6, 10)));
    expect(await readNow()).toEqual(new Map([[7, stored(6, 10)]]));
    await load((writer) => writeDimensionTable(writer, 'products', 7, { rows: 0, columns: new Map() }));
    expect(await readNow()).toEqual(new Map());
  });

  /** About the fiftieth load within a minute failed, because the versions of all of them exceeded the item. */
  test('a small table may change in 60 loads within a minute, and readers see the version of their commit', async () => {
    const states = [];
    for (let seed = 1; seed <= 60; seed++) {
      await load((writer) => writeDimensionTable(writer, 'creatives', 0, tableOf(seed, 2_700)));
      states.push(await readCommit(made.table));
    }
    for (const [at, state] of states.entries()) {
      const expected = new Map([[0, stored(at + 1, 2_700)]]);
      expect(await readDimensionTables(made.table, 'creatives', [0], state)).toEqual(expected);
    }
    const head = (await made.content()).find(({ pk, sk }) => pk === 'DIMENSION#creatives#0' && sk === 'HEAD');
    expect(sizeOf(head ?? { pk: '', sk: '' })).toBeLessThan(200_000);
  });

  test('a missing segment throws STORE_INCONSISTENT', async () => {
    await load((writer) => writeDimensionTable(writer, 'products', 7, tableOf(5, 400_000)));
    await made.table.deleteMany(
      (await made.content()).filter(({ pk, sk }) => pk.endsWith('#id') && sk.endsWith('#0001')),
    );
    const state = await readCommit(made.table);
    await expect(readDimensionTables(made.table, 'products', [7], state, ['id'])).rejects.toMatchObject({
      code: 'STORE_INCONSISTENT',
    });
    expect((await readDimensionTables(made.table, 'products', [7], state, ['name'])).size).toBe(1);
  });
});
