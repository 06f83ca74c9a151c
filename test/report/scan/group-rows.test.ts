import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DimensionName } from '../../../shared/catalog/dimensions.ts';
import type { BaseColumn } from '../../../shared/catalog/tables.ts';
import { encodeKeys } from '../../../shared/columns/coded-keys.ts';
import { type Joins, loadJoins } from '../../../shared/report/plan/joins.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import { MAX_VALUES } from '../../../shared/report/query/too-expensive.ts';
import { AxisCodes, BaseCodes } from '../../../shared/report/scan/axes.ts';
import { groupsOfRows, RowGrouper } from '../../../shared/report/scan/group-rows.ts';
import { GroupTable } from '../../../shared/report/scan/group-table.ts';
import { constantKeys, Segment } from '../../../shared/report/scan/segment.ts';
import { dataset } from '../../support/facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';

const JOINS = await loadJoins(
  await storedSource(dataset({})),
  [],
  {
    accountIds: new Set(),
    advertiserIds: [],
    ownAdvertiserIds: [],
  },
  SETTINGS,
);
const BASES: readonly BaseColumn[] = ['hour', 'ad_group_id', 'placement_id', 'entity_id'];
/** Sizes of axes for which keys are indexed, hashed in one word, and hashed in two words. */
const ROOMS = [1, 1 << 14, 1 << 20];

/** A column of `rows` values below `size`, each repeated `run` times: long runs are stored as runs, and many values with two bytes. */
const shape = fc.record({
  size: fc.constantFrom(1, 2, 7, 300),
  run: fc.constantFrom(1, 2, 9, 40),
  seed: fc.nat(1_000),
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

const valuesOf = ({ size, run, seed }: Shape, rows: number): number[] =>
  Array.from({ length: rows }, (_, row) => (Math.floor(row / run) * 7919 + seed) % size);

const segment = fc.record({
  rows: fc.constantFrom(1, 30, 400),
  shapes: fc.array(shape, { minLength: BASES.length, maxLength: BASES.length }),
  /** Every how many rows one is selected; 0 for all rows. */
  selectEvery: fc.constantFrom(0, 1, 2, 50),
});

function segmentOf(columns: readonly (readonly number[])[], rows: number): Segment {
  const encoded = new Map(BASES.map((base, i) => [base as string, encodeKeys(columns[i] ?? [])]));
  const dates = constantKeys(rows, '2026-01-01');
  return new Segment({
    key: 's',
    advertiserId: 1,
    experience: 'pla',
    rows,
    dates,
    bytesOf: (name) => encoded.get(name),
  });
}

describe('groups of rows', () => {
  test.each(ROOMS)(
    'are those of a map of texts for any shapes of columns, with room for %i codes per axis',
    async (room) => {
      await fc.assert(
        fc.asyncProperty(
          fc.nat(BASES.length),
          fc.array(segment, { minLength: 1, maxLength: 4 }),
          async (axes, drawn) => {
            const bases = BASES.slice(0, axes);
            const table = new GroupTable(axes);
            table.fit(bases.map(() => room));
            const grouper = new RowGrouper(
              bases.map((base) => new BaseCodes(base)),
              table,
              JOINS,
            );
            const groupOf = new Map<string, number>();
            for (const { rows, shapes, selectEvery } of drawn) {
              const columns = shapes.map((own) => valuesOf(own, rows));
              const selected = Uint8Array.from({ length: rows }, (_, row) =>
                selectEvery > 0 && row % selectEvery > 0 ? 0 : 1,
              );
              const grouping = await grouper.group(segmentOf(columns, rows), selectEvery === 0 ? 'all' : selected);
              const groups = groupsOfRows(grouping, rows);
              for (let row = 0; row < rows; row++) {
                const group = groups[row] ?? 0;
                if (selected[row] === 0) {
                  expect(group).toBe(0);
                  continue;
                }
                const key = bases.map((_, i) => columns[i]?.[row]).join();
                if (!groupOf.has(key)) groupOf.set(key, group);
                expect(group).toBe(groupOf.get(key));
              }
            }
            // distinct keys have distinct groups, and no group is without rows
            expect([...groupOf.values()].toSorted((a, b) => a - b)).toEqual([...table.groups()]);
          },
        ),
        { numRuns: 60, seed: 11 },
      );
    },
  );

  test.each(ROOMS)('are 0 for new keys once the table is frozen, with room for %i codes per axis', async (room) => {
    const codes = BASES.slice(0, 2).map((base) => new BaseCodes(base));
    const table = new GroupTable(codes.length);
    table.fit([room, room]);
    const grouper = new RowGrouper(codes, table, JOINS);
    const before = [[1, 2, 3, 1], [5, 5, 6, 5], [], []];
    const known = groupsOfRows(await grouper.group(segmentOf(before, 4), 'all'), 4).slice();
    table.freeze();
    const after = [[3, 1, 3, 9], [6, 6, 5, 6], [], []];
    expect([...known]).toEqual([1, 2, 3, 1]);
    expect([...groupsOfRows(await grouper.group(segmentOf(after, 4), 'all'), 4)]).toEqual([3, 0, 0, 0]);
    expect(table.size).toBe(3);
  });
});

const source = await storedSource(
  dataset({
    advertisers: [1, 2].map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1, accountIds: [1] })),
    placements: [
      { id: 1, name: 'Search' },
      { id: 2, name: 'Home' },
      { id: 3, name: 'Search' },
    ],
    products: [
      { advertiserId: 1, upc: '0000000000011', name: 'Oats', brand: 'Oaty' },
      { advertiserId: 1, upc: '0000000000022', name: 'Milk', brand: 'Oaty' },
      { advertiserId: 2, upc: '0000000000011', name: 'Oats', brand: 'Other' },
    ],
  }),
);

/** @returns the axis of the dimensions, and the joins that it needs */
async function axisOf(
  base: BaseColumn,
  dimensions: readonly DimensionName[],
): Promise<{ codes: AxisCodes; joins: Joins }> {
  const query = { experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: [], dimensions } as const;
  const plan = planReport({ ...query, filters: [], sort: [], pagination: { offset: 0, size: 10 } });
  expect(plan.axes).toEqual([{ base, dimensions }]);
  const joins = await loadJoins(
    source,
    [plan],
    {
      accountIds: new Set([1]),
      advertiserIds: [1, 2],
      ownAdvertiserIds: [1, 2],
    },
    SETTINGS,
  );
  return { codes: new AxisCodes({ base, dimensions }), joins };
}

describe('the codes of an axis', () => {
  /** 60,000 creative keys of 1,000 characters a day, all without a creative, ended an instance: one value was counted. */
  test('are limited by base values that have the same dimension values', async () => {
    const { codes, joins } = await axisOf('entity_id', ['brand']);
    const texts = Array.from({ length: MAX_VALUES }, (_, i) => `key ${i}`);
    for (let day = 1; day <= 2; day++) codes.codesOf(joins, 1, texts);
    expect(codes.size).toBe(1);
    const addMore = () => codes.codesOf(joins, 1, ['more']);
    expect(addMore).toThrow(expect.objectContaining({ code: 'REPORT_TOO_EXPENSIVE' }));
  });

  test('are not added when frozen, so that keywords of rivals are neither kept nor joined: they share a code without a value', async () => {
    const { codes, joins } = await axisOf('keyword', ['keyword']);
    expect(await codes.codesOf(joins, 1, ['milk', 'oats'])).toEqual(Uint32Array.of(0, 1));
    codes.freeze();
    expect(await codes.codesOf(joins, 0, ['bread', 'milk', 'rice'])).toEqual(Uint32Array.of(2, 0, 2));
    expect(codes.size).toBe(3);
    expect(codes.valuesOf('keyword')).toEqual(['milk', 'oats']);
  });
});

describe('a table of groups', () => {
  test('numbers any keys as a map of texts does, while axes grow', () => {
    const axes = fc.array(fc.constantFrom(2, 200, 70_000, 2 ** 26), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        axes,
        fc.array(fc.array(fc.nat(2 ** 26 - 1), { minLength: 4, maxLength: 4 }), { maxLength: 300 }),
        (sizes, draws) => {
          const table = new GroupTable(sizes.length);
          const expected = new Map<string, number>();
          draws.forEach((draw, i) => {
            const room = sizes.map((size) => Math.max(1, Math.ceil((size * (i + 1)) / draws.length)));
            const key = room.map((size, axis) => (draw[axis] ?? 0) % size);
            table.fit(room);
            const group = expected.get(key.join()) ?? expected.size + 1;
            expected.set(key.join(), group);
            expect(table.add(key)).toBe(group);
          });
          for (const [key, group] of expected) expect(table.add(key.split(',').map(Number))).toBe(group);
        },
      ),
      { numRuns: 60, seed: 5 },
    );
  });

  /** With a layout for each doubling, a million groups took 14.6 s. */
  test('lays hashed keys of growing axes out less often than these double, and finds the groups afterwards', () => {
    const groups = 300_000;
    const sizes = [1024, 1024, 1, 1, 1];
    const table = new GroupTable(sizes.length);
    table.fit(sizes);
    const keys = Array.from({ length: groups }, (_, i) => [i & 1023, i >>> 10, 0, 0, 0]);
    const codes = sizes.map((_, axis) => Uint32Array.from(keys, (key) => key[axis] as number));
    table.addKeys(codes, groups);
    const layouts = new Set<string>();
    const doublings = 55;
    for (let i = 0; i < doublings; i++) {
      sizes[i % 5] = (sizes[i % 5] as number) * 2;
      table.fit(sizes);
      layouts.add(JSON.stringify(sizes.map((_, axis) => table.bitField(axis))));
    }
    expect(layouts.size).toBeLessThan(doublings / 2);
    expect(table.addKeys(codes, groups)).toEqual(table.groups());
    expect([table.codeAt(groups, 0), table.codeAt(groups, 1), table.codeAt(groups, 4)]).toEqual([
      299_999 & 1023,
      299_999 >>> 10,
      0,
    ]);
  });
});
