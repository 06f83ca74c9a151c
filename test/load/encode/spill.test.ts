import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBlocks } from '../../../shared/load/encode/blocks.ts';
import type { References } from '../../../shared/load/encode/code-facts.ts';
import { openCodingPool } from '../../../shared/load/encode/coding-pool.ts';
import { FactWarnings } from '../../../shared/load/encode/fact-warnings.ts';
import { readFacts } from '../../../shared/load/encode/read-facts.ts';
import { Spill, SpillSequence } from '../../../shared/load/encode/spill.ts';
import { storedColumns } from '../../../shared/load/schema/fact-columns.ts';
import { Problems } from '../../../shared/load/schema/problems.ts';
import { directorySource } from '../../../shared/load/source/file-source.ts';
import { encodeFactRows } from '../../support/encode-fact-rows.ts';
import { hashShopper, USER_ID_KEY } from '../../support/user-id-key.ts';
import { folderOf, makeFolder, type TestFolder } from '../support/folder.ts';
import { factRowsOf, omitEmpty, type Row } from '../support/read-stored-network.ts';

const AD_GROUPS = [5, 70, 9_000_000_000];
const OWNERS = [1, 2, 2];

const deliveryRow = fc.record({
  daily_date: fc.constantFrom('2026-03-01', '2026-03-02', '2000-01-01'),
  hour: fc.constantFrom(0, 23),
  ad_group_id: fc.constantFrom(...AD_GROUPS),
  placement_id: fc.constantFrom(1, 2, undefined),
  keyword: fc.constantFrom('milk', 'Milch 🥛', undefined),
  entity_id: fc.constantFrom('0', '9999999999999', undefined),
  impressions: fc.oneof(fc.nat(5), fc.nat({ max: 2 ** 40 })),
  cost: fc.nat({ max: 10 ** 9 }).map((micros) => micros / 1e6),
  users: fc.array(fc.constantFrom('a', 'b', 'ü', 'z'.repeat(300)), { maxLength: 5 }),
});
type DeliveryRow = typeof deliveryRow extends fc.Arbitrary<infer R> ? R : never;

/** @returns the encoded facts of the folder, decoded again, by advertiser and day */
async function readBack(folder: TestFolder, spillBytes: number): Promise<Record<string, readonly Row[]>> {
  const source = directorySource(folder.path);
  const problems = new Problems(10);
  const references: References = {
    timeZone: 'UTC',
    userIdKey: USER_ID_KEY,
    productIds: 'upc' as const,
    ids: new Map([
      ['ad_groups', new Set(AD_GROUPS)],
      ['placements', new Set([2, 1])],
    ]),
    texts: new Map(),
    owners: new Map(AD_GROUPS.map((id, i) => [id, OWNERS[i] ?? 0])),
    creatives: new Set(),
    products: new Map(),
    chosenProducts: new Map(),
  };
  using temporary = makeFolder();
  const spill = new Spill(temporary.path, spillBytes);
  const signal = new AbortController().signal;
  const files = (await source.list()).map((file) => ({
    ...file,
    ...({ format: 'ndjson', partitions: [], experience: 'pla', table: 'delivery' } as const),
  }));
  const pool = openCodingPool(0);
  pool.setReferences(references, 10);
  const ignore = () => undefined;
  const watched = {
    timeZone: 'UTC',
    source,
    onRows: ignore,
    onBytes: ignore,
    columns: { names: {}, filesAddUp: true, nullWords: [] },
  };
  const factWarnings = new FactWarnings('UTC');
  const reading = { ...watched, problems, factWarnings, temporaryDirectory: temporary.path, signal, spill, pool };
  const [facts] = await readFacts(reading, files);
  expect(problems.list()).toEqual([]);
  const found: Record<string, readonly Row[]> = {};
  for (const { advertiserId, table, day, sequence } of facts?.partitions.days() ?? []) {
    const rows = readBlocks(storedColumns(table), sequence.rows, await spill.read(sequence));
    const encoded = encodeFactRows(table, rows);
    const bytes = new Map([...encoded.columns].map(([name, column]) => [name, column.bytes]));
    found[`${advertiserId} ${day}`] = factRowsOf('delivery', encoded.rows, bytes);
  }
  if (spillBytes === 0) expect(readdirSync(temporary.path)).toEqual(['spill']);
  await spill.close();
  return found;
}

/** @returns the same, summed directly over the rows */
function countPlainly(rows: readonly DeliveryRow[]): Record<string, Row[]> {
  const keyOf = (row: DeliveryRow) =>
    JSON.stringify([row.ad_group_id, row.placement_id, row.keyword, row.entity_id, row.hour]);
  const dayOf = (row: DeliveryRow) =>
    `${OWNERS[AD_GROUPS.indexOf(row.ad_group_id)]} ${Date.parse(row.daily_date) / 86_400_000}`;
  const days = Object.entries(Object.groupBy(rows, dayOf)).map(([day, own = []]) => {
    const summed = Object.values(Object.groupBy(own, keyOf)).map((equal = []) => {
      const {
        daily_date: _date,
        users: _users,
        impressions: _impressions,
        cost: _cost,
        entity_id,
        ...keys
      } = equal[0] ?? {};
      const users = [...new Set(equal.flatMap((value) => value.users))].map(hashShopper).sort((a, b) => a - b);
      return omitEmpty({
        ...keys,
        entity_id: entity_id?.padStart(13, '0'),
        impressions: equal.reduce((sum, row) => sum + row.impressions, 0),
        unidentified_impressions: equal
          .filter((row) => users.length > 0 && row.users.length === 0)
          .reduce((sum, row) => sum + row.impressions, 0),
        cost: equal.reduce((sum, row) => sum + Math.round(row.cost * 1e6), 0),
        users,
      });
    });
    return [day, sortRows(summed)] as const;
  });
  return Object.fromEntries(days);
}

const textOf = (row: Row) => JSON.stringify(Object.entries(row).sort());
const sortRows = (rows: readonly Row[]): Row[] => rows.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));

describe('facts that pass through the spill', () => {
  test.each([0, 64 << 20])(
    'rows with equal keys are summed and their users united, with %i bytes of memory',
    async (spillBytes) => {
      await fc.assert(
        fc.asyncProperty(fc.array(deliveryRow, { minLength: 1, maxLength: 60 }), fc.nat(60), async (rows, cut) => {
          using folder = folderOf({ delivery1: rows.slice(0, cut), delivery2: rows.slice(cut) });
          const found = Object.entries(await readBack(folder, spillBytes)).map(([day, own]) => [day, sortRows(own)]);
          expect(Object.fromEntries(found)).toEqual(countPlainly(rows));
        }),
        { numRuns: 60 },
      );
    },
  );

  test('interleaved sequences that are moved to the file repeatedly are read back completely', async () => {
    using folder = makeFolder();
    const spill = new Spill(folder.path, 10_000);
    const sequences = Array.from({ length: 500 }, () => new SpillSequence());
    const expected = sequences.map((): number[] => []);
    for (let round = 0; round < 200; round++) {
      const buffer = new Uint8Array(150);
      for (let step = 0; step < 50; step++) {
        const index = (round * 31 + step * 7) % 500;
        const bytes = [round, step, index % 256];
        buffer.set(bytes, 3 * step);
        spill.append(sequences[index] ?? new SpillSequence(), buffer.subarray(3 * step, 3 * step + 3));
        expected[index]?.push(...bytes);
      }
      await spill.flushIfFull();
    }
    const read = await Promise.all(sequences.map(async (sequence) => [...(await spill.read(sequence))]));
    expect(read).toEqual(expected);
    await spill.close();
  });
});
