import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { FactRows } from '../../../shared/columns/build-day.ts';
import { decodeKeys, encodeKeys, expandKeys } from '../../../shared/columns/coded-keys.ts';
import type { ShopperData } from '../../../shared/columns/column.ts';
import { CorruptColumnError, compressFrame } from '../../../shared/columns/frame.ts';
import { decodeMeasure, encodeMeasure, expandMeasure, readMeasureHeader } from '../../../shared/columns/measures.ts';
import { packColumns, unpackColumns } from '../../../shared/columns/pack.ts';
import { decodeRollup, encodeRollup } from '../../../shared/columns/rollup.ts';
import { countShopperPairs, decodeShoppers, encodeShoppers } from '../../../shared/columns/shopper-rows.ts';
import { ROLLUP_KEY } from '../../../shared/layout/rollup-keys.ts';
import { decodeManifest, encodeManifest, type StoredRun } from '../../../shared/store/facts/manifest-codec.ts';
import { compressJson, decompressJson } from '../../../shared/store/table/compress.ts';
import { printFigures, SEED, scaled } from '../support/budget.ts';

const RUNS = scaled(400);
const options = { seed: SEED, numRuns: RUNS };

/** How many damaged inputs had which result. `harmless`: they were decoded to what was encoded. */
const figures = { damaged: 0, rejected: 0, harmless: 0 };
afterAll(() => printFigures('fuzz, columns', { 'runs of each': RUNS, ...figures }));

interface Damage {
  readonly at: number;
  readonly bits: number;
  readonly cut: number | null;
  readonly more: Uint8Array;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(),
  bits: fc.integer({ min: 1, max: 255 }),
  cut: fc.option(fc.nat(), { freq: 4 }),
  more: fc.oneof(fc.constant(new Uint8Array(0)), fc.uint8Array({ maxLength: 8 })),
});

/** @returns the bytes with one of them changed and some added, or some cut off */
function damaged(bytes: Uint8Array, { at, bits, cut, more }: Damage): Buffer {
  const changed = Buffer.concat([bytes, more]);
  const place = at % bytes.length;
  changed[place] = (changed[place] ?? 0) ^ bits;
  return cut === null ? changed : changed.subarray(0, cut % bytes.length);
}

/** Expects that the decoder rejects the damaged bytes with an error that names the column. */
function expectRejected(decode: (bytes: Uint8Array, where: string) => unknown, bytes: Uint8Array): void {
  figures.damaged += 1;
  const decoding = () => decode(bytes, '7/pla/2026-02/x');
  expect(decoding).toThrow(CorruptColumnError);
  expect(decoding).toThrow('7/pla/2026-02/x');
  figures.rejected += 1;
}

/** Expects an error that names the item, or what was encoded: zstd's checksum covers the content, and not some bits of its header. */
function expectRejectedOrEqual(
  decode: (bytes: Uint8Array, where: string) => unknown,
  bytes: Uint8Array,
  by: Damage,
): void {
  const encoded = decode(bytes, 'the item');
  figures.damaged += 1;
  let decoded: unknown;
  try {
    decoded = decode(damaged(bytes, by), 'the item');
  } catch (error) {
    expect(String(error)).toContain('the item');
    figures.rejected += 1;
    return;
  }
  expect(decoded).toEqual(encoded);
  figures.harmless += 1;
}

const rowsOfUsers = fc.array(
  fc.uniqueArray(
    fc.maxSafeNat().map((hash) => hash % 2 ** 48),
    { maxLength: 5 },
  ),
  {
    minLength: 1,
    maxLength: 60,
  },
);

function userDataOf(rows: readonly (readonly number[])[]): ShopperData {
  const offsets = Uint32Array.from([0, ...rows.map((_, row) => rows.slice(0, row + 1).flat().length)]);
  const hashes = Float64Array.from(rows.flatMap((row) => [...row].sort((a, b) => a - b)));
  return { rows: rows.length, offsets, hashes };
}

function rollupRowsOf(shoppers: ShopperData): FactRows {
  const codes = (count: number) => Uint8Array.from({ length: shoppers.rows }, (_, row) => row % count);
  return {
    rows: shoppers.rows,
    keys: new Map([
      ['ad_group_id', { dictionary: [101, 102, 2 ** 40], codes: codes(3) }],
      ['date', { dictionary: [1, 28], codes: codes(2) }],
    ]),
    measures: new Map([['impressions', Float64Array.from({ length: shoppers.rows }, (_, row) => row * 97)]]),
    shoppers,
  };
}

describe('a damaged column is never decoded:', () => {
  test('keys', () => {
    const values = fc.array(fc.oneof(fc.constant(null), fc.string({ unit: 'grapheme' })), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(values, damage, (keys, by) => {
        const bytes = compressFrame(encodeKeys(keys));
        expect(expandKeys(decodeKeys(bytes, 'x'))).toEqual(keys);
        expectRejected(decodeKeys, damaged(bytes, by));
      }),
      options,
    );
  });

  test('measures, of which the header alone is also read', () => {
    const values = fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(values, damage, (measures, by) => {
        const bytes = compressFrame(encodeMeasure(measures));
        expect([...expandMeasure(decodeMeasure(bytes, 'x'))]).toEqual(measures);
        expectRejected(decodeMeasure, damaged(bytes, by));
        expectRejected(readMeasureHeader, damaged(bytes, by));
      }),
      options,
    );
  });

  test('users, of which the number of pairs alone is also read', () => {
    fc.assert(
      fc.property(rowsOfUsers, damage, (rows, by) => {
        const bands = [...encodeShoppers(userDataOf(rows)).values()].map(compressFrame);
        const found = bands.flatMap((bytes) => [...decodeShoppers(bytes, 'x').hashes]);
        expect(found).toEqual([...new Set(rows.flat())].sort((a, b) => a - b));
        for (const bytes of bands) {
          expectRejected(decodeShoppers, damaged(bytes, by));
          expectRejected(countShopperPairs, damaged(bytes, by));
        }
      }),
      options,
    );
  });

  test('each column of a rollup', () => {
    const decode = (columns: ReadonlyMap<string, Uint8Array>, where: string) =>
      decodeRollup(ROLLUP_KEY, 'delivery', columns, where);
    fc.assert(
      fc.property(rowsOfUsers, fc.nat(), damage, (rows, index, by) => {
        const encoded = encodeRollup(ROLLUP_KEY, rollupRowsOf(userDataOf(rows)));
        const columns = new Map([...encoded.columns].map(([name, { bytes }]) => [name, bytes]));
        expect(decode(columns, 'x').rows).toBe(encoded.rows);
        const names = [...columns.keys()];
        const name = names[index % names.length] ?? '';
        const bytes = damaged(columns.get(name) ?? new Uint8Array(0), by);
        expectRejected((_, where) => decode(new Map(columns).set(name, bytes), where), bytes);
      }),
      options,
    );
  });
});

test('a damaged pack of a rollup’s columns is unpacked to the same names and columns, or not at all', () => {
  fc.assert(
    fc.property(rowsOfUsers, damage, (rows, by) => {
      const { columns } = encodeRollup(ROLLUP_KEY, rollupRowsOf(userDataOf(rows)));
      const frames = new Map([...columns].map(([name, { bytes }]) => [`delivery/${name}`, bytes]));
      const packed = packColumns(frames);
      expect(unpackColumns(packed, 'x')).toEqual(frames);
      figures.damaged += 1;
      let found: ReadonlyMap<string, Uint8Array>;
      try {
        found = unpackColumns(damaged(packed, by), '7/pla/2026-02');
      } catch (error) {
        expect(error).toBeInstanceOf(CorruptColumnError);
        figures.rejected += 1;
        return;
      }
      expect(found).toEqual(frames);
      figures.harmless += 1;
    }),
    options,
  );
});

describe('a damaged item is never decoded to anything else:', () => {
  test('the manifest of a month', () => {
    const entry = fc.record({ bytes: fc.nat(300_000), distinct: fc.nat(9_999) });
    const [hours, hash] = [fc.nat(25), fc.uint8Array({ minLength: 8, maxLength: 8 })];
    const day = fc.record({
      day: fc.integer({ min: 1, max: 31 }),
      rows: fc.nat(9_999),
      hours,
      size: fc.maxSafeNat(),
      hash,
    });
    const run: fc.Arbitrary<StoredRun> = fc
      .record({
        ...{ version: fc.nat(), days: fc.array(day, { minLength: 1, maxLength: 31 }) },
        columns: fc.dictionary(fc.constantFrom('hour', 'clicks', 'impressions', 'users_0'), entry),
      })
      .map((made) => ({
        ...made,
        day: made.days[0]?.day ?? 0,
        rows: made.days.reduce((sum, { rows }) => sum + rows, 0),
        columns: new Map(Object.entries(made.columns).map(([name, column]) => [name, { ...column, chunks: 0 }])),
      }));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 31 }), damage, (runs, by) => {
        const bytes = encodeManifest(runs);
        const partsOf = (of: readonly StoredRun[]) => of.map(({ day, rows, days }) => ({ day, rows, days }));
        expect(partsOf(decodeManifest(bytes, 'x'))).toEqual(partsOf(runs));
        expectRejectedOrEqual(decodeManifest, bytes, by);
      }),
      options,
    );
  });

  test('JSON, as in heads and listings', () => {
    fc.assert(
      fc.property(fc.jsonValue(), damage, (value, by) => {
        const bytes = compressJson(value);
        expect(JSON.stringify(decompressJson(bytes, 'x'))).toBe(JSON.stringify(value));
        expectRejectedOrEqual(decompressJson, bytes, by);
      }),
      options,
    );
  });
});
