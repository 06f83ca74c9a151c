import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BaseColumn } from '../../../shared/catalog/tables.ts';
import { encodeKeys } from '../../../shared/columns/coded-keys.ts';
import { loadJoins } from '../../../shared/report/plan/joins.ts';
import { BaseCodes } from '../../../shared/report/scan/axes.ts';
import { groupsOfRows, RowGrouper } from '../../../shared/report/scan/group-rows.ts';
import { GroupTable } from '../../../shared/report/scan/group-table.ts';
import { constantKeys, Segment } from '../../../shared/report/scan/segment.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';

const JOINS = await loadJoins(
  memorySource(dataset({})),
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
