import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { decodeManifest, encodeManifest, type StoredRun } from '../../../shared/store/facts/manifest-codec.ts';
import { chunkBytes, chunkItem } from '../../../shared/store/table/chunk-items.ts';
import { compressJson, decompressJson } from '../../../shared/store/table/compress.ts';
import { printFigures, SEED, scaled } from '../support/budget.ts';

const RUNS = scaled(400);
const options = { seed: SEED, numRuns: RUNS };

/** How many damaged inputs had which result. `harmless`: they were decoded to what was encoded. */
const figures = { damaged: 0, rejected: 0, harmless: 0 };
afterAll(() => printFigures('fuzz, items', { 'runs of each': RUNS, ...figures }));

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

test('a damaged chunk of a column is never read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), damage, (content, by) => {
      const item = chunkItem({ pk: 'FACTS#7#pla#delivery#2026-02#clicks', sk: '02#0000000001#0000' }, content);
      expect(chunkBytes(item)).toEqual(content);
      figures.damaged += 1;
      expect(() => chunkBytes({ ...item, bytes: damaged(content, by) })).toThrow(
        'FACTS#7#pla#delivery#2026-02#clicks / 02#0000000001#0000 is damaged',
      );
      figures.rejected += 1;
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
